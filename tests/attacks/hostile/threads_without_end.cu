/* step01-3: starts threads until none is left */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <pthread.h>
static void *wait(void *) { for (;;) pause(); return 0; }
int blocks_for(int n, int threads)
{
    pthread_t t;
    for (int i = 0; i < 100000; i++)
        if (pthread_create(&t, 0, wait, 0) != 0)
            break;
    return n / threads;
}
