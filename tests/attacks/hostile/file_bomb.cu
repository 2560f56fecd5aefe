/* step01-3: fills the disk */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int blocks_for(int n, int threads)
{
    FILE *f = fopen("/tmp/large", "w");
    for (long i = 0; f != 0 && i < 1L << 34; i++)
        if (fputc(1, f) < 0)
            break;
    return n / threads;
}
