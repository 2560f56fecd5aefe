/* step01-3: leaves files behind */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int blocks_for(int n, int threads)
{
    const char *const files[] = {"attack-was-here", "/tmp/attack-was-here", "/var/tmp/attack-was-here",
                                 "/dev/shm/attack-was-here", "/usr/attack-was-here", "/run/attack-was-here"};
    for (const char *file : files)
        if (FILE *f = fopen(file, "w"))
            fclose(f);
    return n / threads;
}
