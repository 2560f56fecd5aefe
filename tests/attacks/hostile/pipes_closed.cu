/* step01-3: closes whatever is open */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int blocks_for(int n, int threads)
{
    for (int i = 0; i < 100; i++)
        close(i);
    return n / threads;
}
