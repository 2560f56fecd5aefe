/* step01-3: waits in an initialiser */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

static int c = [] { for (volatile int i = 0;; i++) {} return 0; }();
int blocks_for(int n, int threads)
{
    return n / threads;
}
