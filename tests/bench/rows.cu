/* rows.cu - programs as other people write them, each beside the same work as a native loop and,
 * where an OpenCL is installed, beside the same kernel as its native code. Prints CSV: name,
 * milliseconds on the simulator, of the native loop, and of OpenCL ("-": none); each the best of
 * several runs, which take turns. See rows.h and opencl.h. */
#include "tests/bench/opencl.h"

#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- kernels ----------------------------------------------------------------------------------

__global__ void spmv(struct work w)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = w.starts[row]; k < w.starts[row + 1]; k++) {
        sum += w.a[k] * w.b[w.columns[k]];
    }
    w.c[row] = sum;
}

__global__ void histogram(struct work w)
{
    __shared__ unsigned counts[HISTOGRAM_BINS];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < HISTOGRAM_VALUES;
         i += gridDim.x * blockDim.x) {
        atomicAdd(&counts[w.bytes[i]], 1u);
    }
    __syncthreads();
    atomicAdd(&w.counts[threadIdx.x], counts[threadIdx.x]);
}

// The array is indexed by a variable: it lies in local memory.
__global__ void median(struct work w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= IMAGE_SIDE - 1 || y >= IMAGE_SIDE - 1) {
        return;
    }
    float v[9];
#pragma unroll 1
    for (int k = 0; k < 9; k++) {
        v[k] = w.a[(y + k / 3 - 1) * IMAGE_SIDE + x + k % 3 - 1];
    }
#pragma unroll 1
    for (int i = 1; i < 9; i++) {
        float value = v[i];
        int j = i;
#pragma unroll 1
        for (; j > 0 && v[j - 1] > value; j--) {
            v[j] = v[j - 1];
        }
        v[j] = value;
    }
    w.c[y * IMAGE_SIDE + x] = v[4];
}

__global__ void search_level(struct work w, int level)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (w.levels[node] == level) {
        for (int k = 0; k < GRAPH_DEGREE; k++) {
            int next = w.edges[node * GRAPH_DEGREE + k];
            if (w.levels[next] < 0) {
                w.levels[next] = level + 1;
                *w.changed = 1;
            }
        }
    }
}

__global__ void bodies(struct work w)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 *all = (const float4 *)w.a;
    float4 p = all[i];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < BODIES; first += 128) {
        tile[threadIdx.x] = all[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; j++) {
            float4 q = tile[j];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            float pull = q.w * r * r * r;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        __syncthreads();
    }
    w.c[4 * i] = ax;
    w.c[4 * i + 1] = ay;
    w.c[4 * i + 2] = az;
}

__device__ float normal_below(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

__global__ void options(struct work w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float price = 5 + w.a[i], strike = 1 + w.b[i], years = 1 + 0.1f * w.a[i];
    float root = sqrtf(years);
    float d1 = (logf(price / strike) + 0.065f * years) / (0.3f * root);
    float d2 = d1 - 0.3f * root;
    w.c[i] = price * normal_below(d1) - strike * expf(-0.02f * years) * normal_below(d2);
}

__device__ unsigned next_number(unsigned x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

__global__ void random_numbers(struct work w)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = 1 + i;
    int inside = 0;
    for (int k = 0; k < NUMBERS_OF_EACH; k++) {
        x = next_number(x);
        float u = (float)(x >> 8) * 0x1p-24f;
        x = next_number(x);
        float v = (float)(x >> 8) * 0x1p-24f;
        inside += u * u + v * v < 1;
    }
    w.c[i] = (float)inside;
}

__global__ void sort_step(struct work w, int length, int distance)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
    if (other > i) {
        float low = w.c[i], high = w.c[other];
        if ((low > high) == ((i & length) == 0)) {
            w.c[i] = high;
            w.c[other] = low;
        }
    }
}

__global__ void scale(const float *in, float *out, float summand)
{
    int i = threadIdx.x;
    out[i] = in[i] * 2 + summand;
}

__global__ void synced(struct work w)
{
    const int count = SYNCED_BLOCKS * SYNCED_THREADS;
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < SYNCS; step++) {
        const float *from = step % 2 == 0 ? w.a : w.c;
        float *to = step % 2 == 0 ? w.c : w.a;
        to[i] = 0.5f * (from[i] + from[(i + 1) % count]);
        grid.sync();
    }
}

__global__ void gray(struct work w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 p = ((const uchar4 *)w.bytes)[i];
    int sum = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
    __half scaled = __hfma(__int2half_rn(sum), __float2half(0.5f), __float2half(1.0f));
    ((__half *)w.halves)[i] = scaled;
}

// ---- launches ---------------------------------------------------------------------------------

static void run_spmv(struct work w) { spmv<<<SPMV_ROWS / 128, 128>>>(w); }

static void run_histogram(struct work w)
{
    cudaMemset(w.counts, 0, HISTOGRAM_BINS * sizeof(unsigned));
    histogram<<<64, HISTOGRAM_BINS>>>(w);
}

static void run_median(struct work w)
{
    median<<<dim3(IMAGE_SIDE / 32, IMAGE_SIDE / 8), dim3(32, 8)>>>(w);
}

static void run_search(struct work w)
{
    int changed = 1;
    cudaMemset(w.levels, 0xff, GRAPH_NODES * sizeof(int));
    cudaMemset(w.levels, 0, sizeof(int));
    for (int level = 0; changed; level++) {
        cudaMemset(w.changed, 0, sizeof(int));
        search_level<<<GRAPH_NODES / 256, 256>>>(w, level);
        cudaMemcpy(&changed, w.changed, sizeof(int), cudaMemcpyDeviceToHost);
    }
}

static void run_bodies(struct work w) { bodies<<<BODIES / 128, 128>>>(w); }

static void run_options(struct work w) { options<<<OPTIONS / 256, 256>>>(w); }

static void run_random(struct work w) { random_numbers<<<GENERATORS / 256, 256>>>(w); }

static void run_sort(struct work w)
{
    cudaMemcpy(w.c, w.b, SORTED * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int length = 2; length <= SORTED; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
            sort_step<<<SORTED / 256, 256>>>(w, length, distance);
        }
    }
}

static void run_small(struct work w)
{
    for (int i = 0; i < SMALL_LAUNCHES; i++) {
        scale<<<1, SMALL_THREADS>>>(w.a, w.c, (float)i);
    }
}

static void run_synced(struct work w)
{
    void *arguments[] = {&w};
    cudaLaunchCooperativeKernel((const void *)synced, dim3(SYNCED_BLOCKS), dim3(SYNCED_THREADS),
                                arguments, 0, 0);
}

static void run_gray(struct work w) { gray<<<PIXELS / 256, 256>>>(w); }

static const struct row {
    const char *name;
    void (*simulated)(struct work);
    void (*native)(const struct work *);
} rows[] = {
    {"sparse matrix by vector", run_spmv, native_spmv},
    {"histogram with shared atomics", run_histogram, native_histogram},
    {"median of 3 x 3 in a local array", run_median, native_median},
    {"breadth-first search", run_search, native_search},
    {"N bodies", run_bodies, native_bodies},
    {"Black-Scholes", run_options, native_options},
    {"random numbers", run_random, native_random},
    {"bitonic sort", run_sort, native_sort},
    {"10000 small launches", run_small, native_small},
    {"grid.sync()", run_synced, native_synced},
    {"bytes and halves", run_gray, native_gray},
};

// ---- data and times ---------------------------------------------------------------------------

static void fail(const char *what)
{
    fprintf(stderr, "rows: %s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    exit(1);
}

static void *pair(size_t bytes, void **device)
{
    void *host = calloc(1, bytes);
    if (host == NULL || cudaMalloc(device, bytes) != cudaSuccess) {
        fail("no memory");
    }
    return host;
}

enum { FLOATS = 1 << 18 };

static void make(struct work *h, struct work *d)
{
    h->a = (float *)pair(FLOATS * sizeof(float), (void **)&d->a);
    h->b = (float *)pair(FLOATS * sizeof(float), (void **)&d->b);
    h->c = (float *)pair(FLOATS * sizeof(float), (void **)&d->c);
    h->columns = (int *)pair(SPMV_ROWS * SPMV_PER_ROW * sizeof(int), (void **)&d->columns);
    h->starts = (int *)pair((SPMV_ROWS + 1) * sizeof(int), (void **)&d->starts);
    h->edges = (int *)pair(GRAPH_NODES * GRAPH_DEGREE * sizeof(int), (void **)&d->edges);
    h->levels = (int *)pair(GRAPH_NODES * sizeof(int), (void **)&d->levels);
    h->changed = (int *)pair(sizeof(int), (void **)&d->changed);
    h->counts = (unsigned *)pair(HISTOGRAM_BINS * sizeof(unsigned), (void **)&d->counts);
    h->bytes = (unsigned char *)pair(PIXELS * 4, (void **)&d->bytes);
    h->halves = (unsigned short *)pair(PIXELS * sizeof(unsigned short), (void **)&d->halves);
}

// The same numbers on every machine; Numerical Recipes' generator.
static unsigned state;

static unsigned any_below(unsigned limit)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % limit;
}

static void clear(void *host, void *device, size_t bytes)
{
    memset(host, 0, bytes);
    cudaMemset(device, 0, bytes);
}

static void fill(struct work *h, const struct work *d)
{
    state = 1;
    for (int i = 0; i < FLOATS; i++) {
        h->a[i] = (float)any_below(1000) * 0.01f;
        h->b[i] = (float)any_below(1000) * 0.01f;
    }
    for (int i = 0; i < SPMV_ROWS * SPMV_PER_ROW; i++) {
        h->columns[i] = (int)any_below(SPMV_ROWS);
    }
    for (int row = 0; row < SPMV_ROWS; row++) { // 8 to 16 elements
        h->starts[row + 1] =
            h->starts[row] + SPMV_PER_ROW / 2 + (int)any_below(SPMV_PER_ROW / 2 + 1);
    }
    for (int i = 0; i < GRAPH_NODES * GRAPH_DEGREE; i++) {
        h->edges[i] = (int)any_below(GRAPH_NODES);
    }
    for (int i = 0; i < PIXELS * 4; i++) {
        h->bytes[i] = (unsigned char)any_below(256);
    }
    cudaMemcpy(d->a, h->a, FLOATS * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d->b, h->b, FLOATS * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d->columns, h->columns, SPMV_ROWS * SPMV_PER_ROW * sizeof(int),
               cudaMemcpyHostToDevice);
    cudaMemcpy(d->starts, h->starts, (SPMV_ROWS + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d->edges, h->edges, GRAPH_NODES * GRAPH_DEGREE * sizeof(int),
               cudaMemcpyHostToDevice);
    clear(h->c, d->c, FLOATS * sizeof(float));
    clear(h->counts, d->counts, HISTOGRAM_BINS * sizeof(unsigned));
    clear(h->levels, d->levels, GRAPH_NODES * sizeof(int));
    clear(h->halves, d->halves, PIXELS * sizeof(unsigned short));
    if (cudaMemcpy(d->bytes, h->bytes, PIXELS * 4, cudaMemcpyHostToDevice) != cudaSuccess) {
        fail("copying the data");
    }
}

// The clock's time or, with BENCH_CPU set, that of all cores that this process has used.
static double now_ms(void)
{
    struct timespec t;
    clock_gettime(getenv("BENCH_CPU") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

struct times {
    double simulated_ms, native_ms, opencl_ms;
};

static double lap(double *since_ms)
{
    const double now = now_ms(), took_ms = now - *since_ms;
    *since_ms = now;
    return took_ms;
}

// One run of each, in turns; OpenCL's time is 0 where it has no such row.
static struct times run_once(const struct row *r, const struct work *h, const struct work *d,
                             bool opencl)
{
    struct times t;
    double since_ms = now_ms();
    r->simulated(*d);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        fail(r->name);
    }
    t.simulated_ms = lap(&since_ms);
    r->native(h);
    t.native_ms = lap(&since_ms);
    const bool ran = opencl && opencl_run(r->name);
    t.opencl_ms = ran ? lap(&since_ms) : 0;
    return t;
}

static struct times measure(const struct row *r, const struct work *h, const struct work *d,
                            int repeats, bool opencl)
{
    struct times best = run_once(r, h, d, opencl);
    for (int i = 1; i < repeats; i++) {
        const struct times t = run_once(r, h, d, opencl);
        best.simulated_ms = fmin(best.simulated_ms, t.simulated_ms);
        best.native_ms = fmin(best.native_ms, t.native_ms);
        best.opencl_ms = fmin(best.opencl_ms, t.opencl_ms);
    }
    return best;
}

// What the simulator and OpenCL have computed must agree: numbers exactly, sums and functions to a
// thousandth, since OpenCL may compute them in another way. What the row does not write is 0 for
// both.
static bool agree(const struct work *h, const struct work *d)
{
    static float got[FLOATS], want[FLOATS];
    static unsigned char bytes[PIXELS * 2], wanted[PIXELS * 2];
    struct work to = *h;
    to.c = want;
    to.halves = (unsigned short *)wanted;
    opencl_fetch(&to, FLOATS);
    cudaMemcpy(got, d->c, sizeof got, cudaMemcpyDeviceToHost);
    bool equal = true;
    for (int i = 0; i < FLOATS; i++) {
        equal = equal && fabsf(got[i] - want[i]) <= 1e-3f * fmaxf(1, fabsf(want[i]));
    }
    cudaMemcpy(bytes, d->halves, sizeof bytes, cudaMemcpyDeviceToHost);
    equal = equal && memcmp(bytes, wanted, sizeof bytes) == 0;
    cudaMemcpy(bytes, d->counts, HISTOGRAM_BINS * sizeof(unsigned), cudaMemcpyDeviceToHost);
    equal = equal && memcmp(bytes, to.counts, HISTOGRAM_BINS * sizeof(unsigned)) == 0;
    cudaMemcpy(bytes, d->levels, GRAPH_NODES * sizeof(int), cudaMemcpyDeviceToHost);
    return equal && memcmp(bytes, to.levels, GRAPH_NODES * sizeof(int)) == 0;
}

static void show(const struct row *r, struct work *h, const struct work *d, int repeats,
                 bool opencl)
{
    fill(h, d);
    if (opencl) {
        opencl_fill(h, FLOATS);
    }
    const struct times best = measure(r, h, d, repeats, opencl);
    printf("%s,%.3f,%.4f,", r->name, best.simulated_ms, best.native_ms);
    if (best.opencl_ms == 0) {
        printf("-\n");
        return;
    }
    if (!agree(h, d)) {
        fprintf(stderr, "rows: %s: the simulator and OpenCL computed different results\n", r->name);
        exit(1);
    }
    printf("%.4f\n", best.opencl_ms);
}

// rows [NAME [REPEATS [KERNELS]]]: the rows whose names contain NAME; KERNELS: rows.cl, to run
// OpenCL beside them.
int main(int argc, char **argv)
{
    struct work host, device;
    const int repeats = argc > 2 ? atoi(argv[2]) : 5;
    const bool opencl = argc > 3 && opencl_open(argv[3]);
    make(&host, &device);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (argc < 2 || strstr(rows[i].name, argv[1]) != NULL) {
            show(&rows[i], &host, &device, repeats, opencl);
        }
    }
    return 0;
}
