/* summit-7: an arrival for each warp, behind a barrier of the warp */
typedef unsigned long long mbarrier;

__device__ unsigned place_of(const mbarrier *b)
{
    return (unsigned)__cvta_generic_to_shared(b);
}

__device__ void start(mbarrier *b)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place_of(b))
                 : "memory");
}

__device__ void arrive(mbarrier *b)
{
    asm volatile("{ .reg .b64 state;\n"
                 "mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(place_of(b))
                 : "memory");
}

__device__ void wait(mbarrier *b, unsigned parity)
{
    unsigned over = 0;
    while (!over)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(place_of(b)), "r"(parity)
                     : "memory");
}

__global__ void produce(float *out, const float *x, int rounds)
{
    __shared__ mbarrier full, empty;
    __shared__ float buffer[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        start(&full);
        start(&empty);
    }
    __syncthreads();
    float sum = 0.0f;
    for (int r = 0; r < rounds; r++) {
        const unsigned for_full = r % 2, for_empty = (r + 1) % 2;
        if (threadIdx.x < 32) {
            wait(&empty, for_empty);
            buffer[lane] = x[r * 32 + lane];
            __syncwarp();
            if (lane == 0)
                arrive(&full);
        } else {
            wait(&full, for_full);
            sum += buffer[31 - lane];
            __syncwarp();
            if (lane == 0)
                arrive(&empty);
        }
    }
    if (threadIdx.x >= 32)
        out[lane] = sum;
}
