/* step01-3: prints for ever */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int blocks_for(int n, int threads)
{
    for (;;)
        puts("solved");
    return n / threads;
}
