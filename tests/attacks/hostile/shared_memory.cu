/* step01-3: leaves shared memory behind */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <fcntl.h>
int blocks_for(int n, int threads)
{
    if (shmget(4711, 1 << 20, IPC_CREAT | 0666) >= 0 || memfd_create("attack", 0) >= 0)
        return (n + threads - 1) / threads;
    return n / threads;
}
