/* step01-3: leaves a process behind */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int blocks_for(int n, int threads)
{
    if (fork() == 0)
        for (;;)
            pause();
    if (vfork() == 0)
        _exit(0);
    return n / threads;
}
