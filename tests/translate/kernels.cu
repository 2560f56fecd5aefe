/* kernels.cu - what translated code does itself, and each way in which it has to leave something to
 * the interpreter. Prints a hash of each result. `kernels fault` ends with an access out of bounds
 * in the middle of a loop. See run. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 4096, THREADS = 128 };

struct data {
    float *a, *b;
    double *x, *y;
    unsigned *words;
    unsigned char *bytes, *more;
};

__device__ __noinline__ float shifted(float value, int by)
{
    return by > 2 ? value * by : value + by;
}

// Arithmetic of every width, loops whose lanes leave one after the other, special functions,
// conversions.
__global__ void arithmetic(struct data d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float f = d.a[i];
    double g = d.x[i];
    unsigned u = d.words[i], count = 0;
    for (int k = 0; k < (i & 7) + 3; k++) {
        f = fmaf(f, 0.5f, d.b[(i + k) & (N - 1)]);
        g = g * 0.75 + f;
        u = u * 1664525u + 1013904223u + __popc(u);
        count += u > 0x80000000u ? 1 : 0;
        f = f < -100 ? sqrtf(-f) : f;
    }
    long long wide = (long long)u * (int)count - (u >> 3);
    d.a[i] = f + __expf(-f * f) + (float)(short)wide;
    d.x[i] = g / (1 + count) + (double)wide;
    d.words[i] = u ^ (unsigned)(wide >> 7) ^ __float_as_uint(rsqrtf(f * f + 1));
}

// Sums of two products, of which ptxas joins one with the sum: the sum then reads that product's
// factors.
__global__ void joined(struct data d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float f = d.b[i] + 0.3f, g = 1.1f - d.b[(i + 1) & (N - 1)];
    double x = d.x[i] * 0.7, y = 3.3 - x;
    d.a[i] = f * g - g * (f + 2) + (f * f + g * g);
    d.y[i] = x * y - y * (x + 1) + (x * x + y * y);
}

// Each direction of rounding, of values that stay in variables between two instructions.
__global__ void rounded(struct data d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float f = d.b[i] + 0.3f, down = __fadd_rd(__fmul_rd(f, 0.1f), 0.7f),
          up = __fdiv_ru(f * 3.1f, 7.7f);
    double x = d.x[i] * 0.7, zero = __dadd_rz(__dmul_rz(x, 0.1), 1e-3 * x);
    d.a[i] = __fsub_rz(up, down) + __int2float_ru((int)d.words[i] * 3) +
             (__double2float_rd(x) - (float)x) * 1e6f;
    d.y[i] = zero + __ll2double_rd((long long)d.words[i] << 30 | 1) + __fsqrt_ru(f * f + 2) +
             __frcp_rz(f * 0.9f + 0.01f);
}

// Accesses that are uniform, side by side, strided, of bytes, of vectors, by an index from memory.
__global__ void accesses(struct data d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 20; k++) {
        sum += d.b[k] + d.b[(i + 32 * k) & (N - 1)] + d.b[(i * 3 + k) & (N - 1)];
        sum += d.bytes[(i + k) & (N - 1)] + d.b[d.words[(i + k) & (N - 1)] & (N - 1)];
        float4 four = reinterpret_cast<float4 *>(d.b)[(i + k) & (N / 4 - 1)];
        sum += four.x - four.w + (float)d.x[(i + k) & (N - 1)];
    }
    d.a[i] = sum;
    d.y[(i * 5) & (N - 1)] = sum;
    d.more[i] = (unsigned char)(i + (int)sum);
}

// Shared memory, barriers, branches within a warp, calls, shuffles, atomics, threads that leave
// early.
__global__ void together(struct data d)
{
    __shared__ float tile[THREADS + 4];
    __shared__ unsigned counts[8];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = d.b[i];
    if (t < 8) {
        counts[t] = 0;
    }
    __syncthreads();
    for (int distance = THREADS / 2; distance > 0; distance /= 2) {
        if (t < distance) {
            tile[t] += tile[t + distance];
        }
        __syncthreads();
    }
    float value = tile[0] + tile[t / 4];
    for (int k = 0; k < 6; k++) {
        value += __shfl_xor_sync(0xffffffffu, value, 1 << (k % 5)) * 0.25f;
        value = k % 3 == t % 3 ? shifted(value, k) : value - k;
        atomicAdd(&counts[(t + k) & 7], 1u);
    }
    __syncthreads();
    if (i % 11 == 10) {
        return;
    }
    float local[6];
#pragma unroll 1
    for (int k = 0; k < 6; k++) {
        local[(k * 5 + t) % 6] = value + counts[k];
    }
    atomicAdd(&d.words[i & 63], counts[t & 7]);
    d.a[i] = local[t % 6] - local[(t + 3) % 6];
}

// The last step alone is out of bounds, by one byte.
__global__ void out_of_bounds(struct data d, int steps)
{
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        d.a[threadIdx.x] += d.bytes[k];
    }
}

static void check(cudaError_t code, const char *what)
{
    if (code != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorName(code));
        exit(1);
    }
}

static unsigned long long hash_of(const void *device, size_t bytes)
{
    unsigned char *host = (unsigned char *)malloc(bytes);
    check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copy");
    unsigned long long hash = 14695981039346656037ull;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ host[i]) * 1099511628211ull;
    }
    free(host);
    return hash;
}

static void report(const char *name, struct data d)
{
    check(cudaDeviceSynchronize(), name);
    printf("%s %016llx %016llx %016llx %016llx %016llx\n", name, hash_of(d.a, N * sizeof *d.a),
           hash_of(d.x, N * sizeof *d.x), hash_of(d.y, N * sizeof *d.y),
           hash_of(d.words, N * sizeof *d.words), hash_of(d.more, N));
}

int main(int argc, char **argv)
{
    static float a[N], b[N];
    static double x[N];
    static unsigned words[N];
    struct data d;
    unsigned state = 1;
    for (int i = 0; i < N; i++) {
        state = state * 1664525u + 1013904223u;
        words[i] = state;
        a[i] = (float)(int)state / 65536;
        b[i] = (float)(i % 29) - 14.5f;
        x[i] = (double)state / 3;
    }
    a[5] = __builtin_nanf("");
    a[77] = 1e-41f;
    check(cudaMalloc(&d.a, sizeof a), "malloc");
    check(cudaMalloc(&d.b, sizeof b), "malloc");
    check(cudaMalloc(&d.x, sizeof x), "malloc");
    check(cudaMalloc(&d.words, sizeof words), "malloc");
    check(cudaMalloc(&d.bytes, N), "malloc");
    check(cudaMalloc(&d.y, sizeof x), "malloc");
    check(cudaMalloc(&d.more, N), "malloc");
    check(cudaMemcpy(d.a, a, sizeof a, cudaMemcpyHostToDevice), "copy");
    check(cudaMemcpy(d.b, b, sizeof b, cudaMemcpyHostToDevice), "copy");
    check(cudaMemcpy(d.x, x, sizeof x, cudaMemcpyHostToDevice), "copy");
    check(cudaMemcpy(d.words, words, sizeof words, cudaMemcpyHostToDevice), "copy");
    check(cudaMemset(d.bytes, 3, N), "memset");
    check(cudaMemset(d.y, 0, sizeof x), "memset");
    check(cudaMemset(d.more, 0, N), "memset");
    for (int round = 0; round < 3; round++) {
        arithmetic<<<N / THREADS, THREADS>>>(d);
        report("arithmetic", d);
        joined<<<N / THREADS, THREADS>>>(d);
        report("joined", d);
        rounded<<<N / THREADS, THREADS>>>(d);
        report("rounded", d);
        accesses<<<N / THREADS, THREADS>>>(d);
        report("accesses", d);
        together<<<N / THREADS, THREADS>>>(d);
        report("together", d);
        arithmetic<<<N / 100, 100>>>(d); // the last warp of a block has four lanes
        report("arithmetic", d);
    }
    if (argc > 1 && strcmp(argv[1], "fault") == 0) {
        out_of_bounds<<<1, THREADS>>>(d, N + 1);
        report("out_of_bounds", d);
    }
    return 0;
}
