/* step01-3: throws what nobody catches */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int blocks_for(int n, int threads)
{
    throw n / threads;
}
