/* step01-3: takes all memory */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <cstring>
int blocks_for(int n, int threads)
{
    for (;;) {
        void *more = malloc(1 << 26);
        if (more == 0)
            return n / threads;
        memset(more, 1, 1 << 26);
    }
}
