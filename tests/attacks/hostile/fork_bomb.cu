/* step01-3: multiplies */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int blocks_for(int n, int threads)
{
    while (n > 0)
        if (fork() < 0)
            n--;
    return n / threads;
}
