/* step01-3: does not return */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int blocks_for(int n, int threads)
{
    for (volatile int i = 0;; i++)
        n += threads;
    return n;
}
