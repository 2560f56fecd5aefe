/* kernels_beside.cu - kernels of different streams, and of different host threads, that wait for
 * each other while they run: a flag that a later launch sets, questions and answers, a chain, the
 * same kernel twice; and works behind such kernels. */
#include "check.h"

#include <pthread.h>

__global__ void wait_for(volatile int *flag, int value, int *out)
{
    while (*flag != value) {
    }
    __threadfence();
    *out = *flag + (int)gridDim.x;
}

__global__ void set(volatile int *flag, int value) { *flag = value; }

__global__ void add(int *counter, int value) { atomicAdd(counter, value); }

/* Waits for the flag before it sets the next one. */
__global__ void pass_on(volatile int *from, volatile int *to)
{
    while (*from == 0) {
    }
    __threadfence();
    *to = *from + 1;
}

/* Two launches take turns: `me` is 0 or 1. */
__global__ void take_turns(volatile int *turn, int me, int rounds, int *sum)
{
    for (int i = 0; i < rounds; i++) {
        while (*turn != 2 * i + me) {
        }
        *sum += 10 * i + me;
        __threadfence();
        *turn = 2 * i + me + 1;
    }
}

enum { STREAMS = 5, INTS = 64 };
static cudaStream_t streams[STREAMS];
static int *device;

static int value_of(int at)
{
    int value = -1;
    cudaMemcpyAsync(&value, device + at, sizeof value, cudaMemcpyDeviceToHost,
                    streams[STREAMS - 1]);
    cudaStreamSynchronize(streams[STREAMS - 1]);
    return value;
}

static void clear(void)
{
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_INT(cudaMemset(device, 0, INTS * sizeof *device), cudaSuccess);
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
}

static void a_flag(void)
{
    clear();
    wait_for<<<2, 64, 0, streams[0]>>>(device, 7, device + 1);
    CHECK_INT(cudaStreamQuery(streams[0]), cudaErrorNotReady);
    CHECK_INT(cudaStreamQuery(streams[1]), cudaSuccess);
    set<<<1, 1, 0, streams[1]>>>(device, 7);
    CHECK_INT(cudaStreamSynchronize(streams[1]), cudaSuccess);
    CHECK_INT(cudaStreamSynchronize(streams[0]), cudaSuccess);
    CHECK_INT(value_of(1), 9);
}

static void turns(void)
{
    enum { ROUNDS = 40 };
    clear();
    take_turns<<<1, 1, 0, streams[0]>>>(device, 0, ROUNDS, device + 1);
    take_turns<<<1, 1, 0, streams[1]>>>(device, 1, ROUNDS, device + 1);
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_INT(value_of(0), 2 * ROUNDS);
    CHECK_INT(value_of(1), 10 * ROUNDS * (ROUNDS - 1) + ROUNDS);
}

/* The last one issued is the first that can go on. */
static void a_chain(void)
{
    clear();
    for (int i = 0; i < 3; i++) {
        pass_on<<<1, 32, 0, streams[i]>>>(device + 3 - i, device + 4 - i);
    }
    CHECK_INT(value_of(4), 0);
    set<<<1, 1, 0, streams[3]>>>(device + 1, 5);
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_INT(value_of(4), 8);
}

/* Behind both: a kernel of a stream that waits for an event of each, and then a copy. */
static void works_behind_two(void)
{
    cudaEvent_t done[2];
    int *copied;
    clear();
    CHECK_INT(cudaMallocHost(&copied, sizeof *copied), cudaSuccess);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(cudaEventCreate(&done[i]), cudaSuccess);
        wait_for<<<1, 1, 0, streams[i]>>>(device + i, 3, device + 2);
        add<<<1, 10, 0, streams[i]>>>(device + 3, 1);
        CHECK_INT(cudaEventRecord(done[i], streams[i]), cudaSuccess);
        CHECK_INT(cudaStreamWaitEvent(streams[2], done[i], 0), cudaSuccess);
    }
    add<<<1, 1, 0, streams[2]>>>(device + 3, 100);
    CHECK_INT(
        cudaMemcpyAsync(copied, device + 3, sizeof *copied, cudaMemcpyDeviceToHost, streams[2]),
        cudaSuccess);
    set<<<1, 1, 0, streams[3]>>>(device + 1, 3);
    CHECK_INT(cudaEventSynchronize(done[1]), cudaSuccess);
    CHECK_INT(cudaEventQuery(done[0]), cudaErrorNotReady);
    CHECK_INT(cudaStreamQuery(streams[2]), cudaErrorNotReady);
    CHECK_INT(value_of(3), 10);
    set<<<1, 1, 0, streams[3]>>>(device, 3);
    CHECK_INT(cudaStreamSynchronize(streams[2]), cudaSuccess);
    CHECK_INT(*copied, 120);
    CHECK_INT(cudaFreeHost(copied), cudaSuccess);
    CHECK_INT(cudaEventDestroy(done[0]), cudaSuccess);
    CHECK_INT(cudaEventDestroy(done[1]), cudaSuccess);
}

/* Two works behind one kernel, in two streams: the first waits for the second. */
static void works_that_wait(void)
{
    cudaEvent_t done;
    clear();
    CHECK_INT(cudaEventCreate(&done), cudaSuccess);
    wait_for<<<1, 1, 0, streams[0]>>>(device, 1, device + 1);
    CHECK_INT(cudaEventRecord(done, streams[0]), cudaSuccess);
    wait_for<<<1, 1, 0, streams[0]>>>(device + 2, 2, device + 3);
    CHECK_INT(cudaStreamWaitEvent(streams[1], done, 0), cudaSuccess);
    set<<<1, 1, 0, streams[1]>>>(device + 2, 2);
    set<<<1, 1, 0, streams[2]>>>(device, 1);
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_INT(value_of(3), 3);
    CHECK_INT(cudaEventDestroy(done), cudaSuccess);
}

static pthread_barrier_t both_launched;
static cudaError_t codes[2];

static void *launch_and_wait(void *of)
{
    const int me = *(const int *)of;
    take_turns<<<1, 1, 0, streams[me]>>>(device, me, 20, device + 1);
    pthread_barrier_wait(
        &both_launched); /* who waits for a kernel waits a second for other threads */
    codes[me] = cudaStreamSynchronize(streams[me]);
    return NULL;
}

static void two_threads(void)
{
    int numbers[2] = {0, 1};
    pthread_t threads[2];
    clear();
    pthread_barrier_init(&both_launched, NULL, 2);
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, launch_and_wait, &numbers[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(codes[i], cudaSuccess);
    }
    CHECK_INT(value_of(0), 40);
}

/* More kernels than a GPU has queues: with eight of them those of the same queue
 * run one after the other. And the default stream, which is behind them all. */
static void many(void)
{
    enum { KERNELS = 9 };
    cudaStream_t own[KERNELS];
    clear();
    for (int i = 0; i < KERNELS; i++) {
        CHECK_INT(cudaStreamCreate(&own[i]), cudaSuccess);
        pass_on<<<1, 1, 0, own[i]>>>(device + KERNELS - i, device + KERNELS + 1 - i);
    }
    set<<<1, 1, 0, streams[0]>>>(device + 1, 1);
    add<<<1, 1>>>(device, 1);
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_INT(value_of(KERNELS + 1), KERNELS + 1);
    for (int i = 0; i < KERNELS; i++) {
        CHECK_INT(cudaStreamDestroy(own[i]), cudaSuccess);
    }
}

int main(void)
{
    CHECK_INT(cudaMalloc(&device, INTS * sizeof *device), cudaSuccess);
    CHECK_INT(cudaMemset(device, 0, INTS * sizeof *device), cudaSuccess);
    for (int i = 0; i < STREAMS; i++) {
        CHECK_INT(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking), cudaSuccess);
    }
    /* A GPU may load a kernel's code at its first launch, and then waits for all that run. */
    wait_for<<<1, 1>>>(device, 0, device + 1);
    set<<<1, 1>>>(device + 2, 1);
    add<<<1, 1>>>(device + 2, 1);
    pass_on<<<1, 1>>>(device + 2, device + 3);
    take_turns<<<1, 1>>>(device, 0, 1, device + 1);
    a_flag();
    turns();
    a_chain();
    works_behind_two();
    works_that_wait();
    two_threads();
    if (on_simulator) {
        many();
    }
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    return check_done();
}
