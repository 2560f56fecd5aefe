/* fifth_blocks.cu - kernels as in textbooks and codes of simulation: Fortran's index arithmetic,
 * macros, structs of arrays; what threads of one block do to each other. */
#include "mistakes.h"

#define TILE            32
#define AT(a, i, j, ld) ((a)[(i) + (j) * (ld)])
#define TX              ((int)threadIdx.x)
#define TY              ((int)threadIdx.y)
#define BARRIER()       __syncthreads()

/* A tile is transposed: 32 x 8 threads, four rows a thread. */
template <bool right> __global__ void transpose(int n, const double *a, double *b)
{
    __shared__ double tile[TILE * (TILE + 1)];
    for (int j = TY; j < TILE; j += 8) {
        AT(tile, TX, j, TILE + 1) = AT(a, TX, j, n);
    }
    if (right) {
        BARRIER();
    }
    for (int j = TY; j < TILE; j += 8) {
        AT(b, TX, j, n) = AT(tile, j, TX, TILE + 1); // MISTAKE transpose race
    }
}
TWINS(transpose)
{
    transpose<right><<<1, dim3(TILE, 8)>>>(32, buffer<double>(1024), buffer<double>(1024));
}

/* Five points in one dimension; the halo is loaded behind the barrier. */
#define RADIUS 2
template <bool right> __global__ void halo(int n, const float *in, float *out)
{
    __shared__ float line[128 + 2 * RADIUS];
    int i = blockIdx.x * blockDim.x + TX;
    int l = TX + RADIUS;
    line[l] = in[i + RADIUS];
    if (!right) {
        __syncthreads();
    }
    if (TX < RADIUS) {
        line[l - RADIUS] = in[i];
        line[l + 128] = in[i + RADIUS + 128];
    }
    if (right) {
        __syncthreads();
    }
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        sum += line[l + k]; // MISTAKE halo race
    }
    if (i < n) {
        out[i] = sum;
    }
}
TWINS(halo) { halo<right><<<2, 128>>>(256, buffer<float>(260), buffer<float>(256)); }

/* A product by tiles; the barrier at the end of a phase. */
#define TS 16
template <bool right> __global__ void gemm(int n, const float *a, const float *b, float *c)
{
    __shared__ float as[TS][TS], bs[TS][TS];
    int row = blockIdx.y * TS + TY, col = blockIdx.x * TS + TX;
    float sum = 0.0f;
    for (int k0 = 0; k0 < n; k0 += TS) {
        as[TY][TX] = a[row * n + k0 + TX]; // MISTAKE gemm race
        bs[TY][TX] = b[(k0 + TY) * n + col];
        __syncthreads();
        for (int k = 0; k < TS; k++) {
            sum += as[TY][k] * bs[k][TX];
        }
        if (right) {
            __syncthreads();
        }
    }
    c[row * n + col] = sum;
}
TWINS(gemm)
{
    gemm<right><<<dim3(2, 2), dim3(TS, TS)>>>(32, buffer<float>(1024), buffer<float>(1024),
                                              buffer<float>(1024));
}

/* A sum whose last six steps are written out for one warp. */
template <bool right> __global__ void last_warp(const int *in, int *out)
{
    __shared__ int part[128];
    int tid = threadIdx.x;
    part[tid] = in[tid];
    __syncthreads();
    if (tid < 64) {
        part[tid] += part[tid + 64];
    }
    __syncthreads();
    if (tid < 32) {
        for (int d = 32; d > 0; d >>= 1) {
            int other = part[tid + d]; // MISTAKE last_warp race
            if (right) {
                __syncwarp();
            }
            part[tid] += other;
            if (right) {
                __syncwarp();
            }
        }
    }
    if (tid == 0) {
        *out = part[0];
    }
}
TWINS(last_warp) { last_warp<right><<<1, 128>>>(buffer<int>(128), buffer<int>(1)); }

/* The same as presentations had it for years: volatile instead of __syncwarp(). */
template <bool right> __device__ void fold(volatile float *s, int tid)
{
    float v = s[tid];
    if (right) {
        v += s[tid + 32], __syncwarp();
        s[tid] = v, __syncwarp();
        v += s[tid + 16], __syncwarp();
        s[tid] = v, __syncwarp();
    } else {
        s[tid] = v = v + s[tid + 32];
        s[tid] = v = v + s[tid + 16]; // MISTAKE volatile_fold race
    }
}
template <bool right> __global__ void volatile_fold(const float *in, float *out)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) {
        fold<right>(s, threadIdx.x);
    }
    if (threadIdx.x < 16) {
        out[threadIdx.x] = s[threadIdx.x];
    }
}
TWINS(volatile_fold) { volatile_fold<right><<<1, 64>>>(buffer<float>(64), buffer<float>(16)); }

/* A histogram of bytes in shared memory, cleared by all threads. */
template <bool right> __global__ void bins_cleared(int n, const unsigned char *in, unsigned *bins)
{
    __shared__ unsigned s_bins[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        s_bins[b] = 0; // MISTAKE bins_cleared race
    }
    if (right) {
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&s_bins[in[i]], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        atomicAdd(&bins[b], s_bins[b]);
    }
}
TWINS(bins_cleared)
{
    bins_cleared<right><<<1, 64>>>(512, buffer<unsigned char>(512), buffer<unsigned>(256));
}

/* The same, flushed too early, with 64-bit totals. */
template <bool right> __global__ void bins_flushed(int n, const int *key, unsigned long long *bins)
{
    __shared__ unsigned long long local[64];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&local[key[i] & 63], 1ull);
    }
    if (right) {
        __syncthreads();
    }
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]); // MISTAKE bins_flushed race
}
TWINS(bins_flushed)
{
    bins_flushed<right><<<1, 64>>>(256, buffer<int>(256), buffer<unsigned long long>(64));
}

/* An exclusive scan by a tree; the sweep down lacks its barrier. */
template <bool right> __global__ void sweep_down(int *a)
{
    __shared__ int t[256];
    int i = threadIdx.x;
    t[2 * i] = a[2 * i];
    t[2 * i + 1] = a[2 * i + 1];
    int d = 1;
    for (int m = 128; m > 0; m >>= 1, d *= 2) {
        __syncthreads();
        if (i < m) {
            t[d * (2 * i + 2) - 1] += t[d * (2 * i + 1) - 1];
        }
    }
    if (i == 0) {
        t[255] = 0;
    }
    for (int m = 1; m < 256; m *= 2) {
        d >>= 1;
        if (right || m == 1) {
            __syncthreads();
        }
        if (i < m) {
            int x = t[d * (2 * i + 1) - 1];
            t[d * (2 * i + 1) - 1] = t[d * (2 * i + 2) - 1]; // MISTAKE sweep_down race
            t[d * (2 * i + 2) - 1] += x;
        }
    }
    __syncthreads();
    a[2 * i] = t[2 * i];
    a[2 * i + 1] = t[2 * i + 1];
}
TWINS(sweep_down) { sweep_down<right><<<1, 128>>>(buffer<int>(256)); }

/* An inclusive scan in place, one barrier a step. */
template <bool right> __global__ void scan_in_place(float *a)
{
    __shared__ float s[128];
    int i = threadIdx.x;
    s[i] = a[i];
    __syncthreads();
    for (int off = 1; off < 128; off <<= 1) {
        float x = i >= off ? s[i - off] : 0; // MISTAKE scan_in_place race
        if (right) {
            __syncthreads();
        }
        s[i] += x;
        __syncthreads();
    }
    a[i] = s[i];
}
TWINS(scan_in_place) { scan_in_place<right><<<1, 128>>>(buffer<float>(128)); }

/* Odd-even transposition: pairs swap; a round without a barrier. */
#define SWAP_IF(a, b)                                                                              \
    do {                                                                                           \
        if ((a) > (b)) {                                                                           \
            int swapped = (a);                                                                     \
            (a) = (b);                                                                             \
            (b) = swapped;                                                                         \
        }                                                                                          \
    } while (0)
template <bool right> __global__ void odd_even(int *a)
{
    __shared__ int s[128];
    int i = 2 * threadIdx.x;
    s[i] = a[127 - i];
    s[i + 1] = a[126 - i];
    __syncthreads();
    for (int round = 0; round < 64; round++) {
        SWAP_IF(s[i], s[i + 1]); // MISTAKE odd_even race
        __syncthreads();
        if (i + 2 < 128) {
            SWAP_IF(s[i + 1], s[i + 2]);
        }
        if (right) {
            __syncthreads();
        }
    }
    __syncthreads();
    a[i] = s[i];
    a[i + 1] = s[i + 1];
}
TWINS(odd_even)
{
    int *a = buffer<int>(128), h[128];
    for (int i = 0; i < 128; i++) {
        h[i] = i * 37 % 128;
    }
    must(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    odd_even<right><<<1, 64>>>(a);
}

/* A bitonic sort that saves barriers where a warp works on its own numbers; the limit is one step
 * off. */
template <bool right> __global__ void bitonic(int *a)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    s[t + 128] = a[t + 128];
    __syncthreads();
    for (int k = 2; k <= 256; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            int i = 2 * t - (t & (j - 1));
            int p = i + j;
            if (((i & k) == 0) == (s[i] > s[p])) { // MISTAKE bitonic race
                int x = s[i];
                s[i] = s[p];
                s[p] = x;
            }
            if (j > (right ? 32 : 64) || (j == 1 && k >= 64)) {
                __syncthreads();
            } else if (right && j == 32) {
                __syncthreads();
            } else {
                __syncwarp();
            }
        }
    }
    __syncthreads();
    a[t] = s[t];
    a[t + 128] = s[t + 128];
}
TWINS(bitonic)
{
    int *a = buffer<int>(256), h[256];
    for (int i = 0; i < 256; i++) {
        h[i] = i * 167 % 256;
    }
    must(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    bitonic<right><<<1, 128>>>(a);
}

/* Bodies in a struct of arrays; the forces are summed before all bodies are there. */
struct bodies {
    float x[64], y[64], m[64];
};
template <bool right> __global__ void forces(int n, const float *x, const float *y, float *f)
{
    __shared__ struct bodies tile;
    int i = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < n; first += 64) {
        tile.x[threadIdx.x] = x[first + threadIdx.x];
        tile.y[threadIdx.x] = y[first + threadIdx.x];
        if (right) {
            __syncthreads();
        }
        tile.m[threadIdx.x] = 1.0f + x[first + threadIdx.x];
        if (!right) {
            __syncwarp();
        } else {
            __syncthreads();
        }
        for (int j = 0; j < 64; j++) {
            float dx = tile.x[j] - x[i], dy = tile.y[j] - y[i]; // MISTAKE forces race
            sum += tile.m[j] / (dx * dx + dy * dy + 1e-3f);
        }
        __syncthreads();
    }
    f[i] = sum;
}
TWINS(forces)
{
    forces<right><<<2, 64>>>(128, buffer<float>(128), buffer<float>(128), buffer<float>(128));
}

/* One thread finds the limits of its row; the others go on with them. */
template <bool right> __global__ void row_limits(const int *row_ptr, const float *v, float *sum)
{
    __shared__ int first, last;
    __shared__ float part[4];
    if (threadIdx.x == 0) {
        first = row_ptr[blockIdx.x];
        last = row_ptr[blockIdx.x + 1];
    }
    if (right) {
        __syncthreads();
    }
    float s = 0;
    for (int k = first + (int)threadIdx.x; k < last; k += blockDim.x) { // MISTAKE row_limits race
        s += v[k];
    }
    for (int d = 16; d > 0; d /= 2) {
        s += __shfl_down_sync(0xffffffffu, s, d);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = s;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        sum[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
    }
}
TWINS(row_limits)
{
    row_limits<right><<<3, 128>>>(buffer<int>(4), buffer<float>(16), buffer<float>(3));
}

/* Rounds until nothing changes: the word that says so is cleared while others still read it. */
template <bool right> __global__ void until_stable(int *label, const int *next)
{
    __shared__ int changed;
    int i = threadIdx.x;
    for (;;) {
        if (i == 0) {
            changed = 0; // MISTAKE until_stable race
        }
        __syncthreads();
        int other = label[next[i]];
        int mine = label[i];
        __syncthreads();
        if (other < mine) {
            label[i] = other;
            atomicExch(&changed, 1);
        }
        __syncthreads();
        int more = changed;
        if (right) {
            __syncthreads();
        }
        if (!more) {
            break;
        }
    }
}
TWINS(until_stable)
{
    int *label = buffer<int>(96), *next = buffer<int>(96), h[96];
    for (int i = 0; i < 96; i++) {
        h[i] = i;
    }
    must(cudaMemcpy(label, h, sizeof h, cudaMemcpyHostToDevice));
    for (int i = 0; i < 96; i++) {
        h[i] = i > 91 ? i - 1 : i;
    }
    must(cudaMemcpy(next, h, sizeof h, cudaMemcpyHostToDevice));
    until_stable<right><<<1, 96>>>(label, next);
}

/* Gauss: the factor of a row stands in the element that is about to become zero. */
template <bool right> __global__ void eliminate(int n, double *a)
{
    int j = TX, i = TY;
    for (int k = 0; k < n - 1; k++) {
        double factor = 0;
        if (i > k && j >= k) {
            factor = AT(a, i, k, n) / AT(a, k, k, n); // MISTAKE eliminate race
        }
        if (right) {
            __syncthreads();
        }
        if (i > k && j >= k) {
            AT(a, i, j, n) -= factor * AT(a, k, j, n);
        }
        __syncthreads();
    }
}
TWINS(eliminate)
{
    double *a = buffer<double>(256), h[256];
    for (int i = 0; i < 256; i++) {
        h[i] = i % 17 == 0 ? 40 : 1 + i % 5;
    }
    must(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    eliminate<right><<<1, dim3(16, 16)>>>(16, a);
}

/* Relaxation in two colours: the colour of a point is the parity of i + j, not that of i. */
template <bool right> __global__ void relax(int n, float *u)
{
    int i = TX + 1, j = TY + 1;
    for (int colour = 0; colour < 2; colour++) {
        if (((right ? i + j : i) & 1) == colour) {
            AT(u, i, j, n) = 0.25f * (AT(u, i - 1, j, n) + AT(u, i + 1, j, n) + AT(u, i, j - 1, n) +
                                      AT(u, i, j + 1, n)); // MISTAKE relax race
        }
        __syncthreads();
    }
}
TWINS(relax)
{
    float *u = buffer<float>(18 * 18), h[18 * 18];
    for (int i = 0; i < 18 * 18; i++) {
        h[i] = (float)(i % 7);
    }
    must(cudaMemcpy(u, h, sizeof h, cudaMemcpyHostToDevice));
    relax<right><<<1, dim3(16, 16)>>>(18, u);
}

/* Half a warp sums, with the mask of the whole. */
template <bool right> __global__ void half_warp(const float *in, float *out)
{
    int lane = threadIdx.x & 31;
    if (lane < 16) {
        float v = in[threadIdx.x];
        unsigned mask = right ? 0x0000ffffu : 0xffffffffu;
        float other = __shfl_xor_sync(mask, v, 16 >> 1);
        float far = __shfl_sync(mask, v, right ? 15 : 31); // MISTAKE half_warp shuffle
        out[threadIdx.x] = v + other + far;
    }
}
TWINS(half_warp) { half_warp<right><<<1, 32>>>(buffer<float>(32), buffer<float>(32)); }

/* A barrier that only the threads with work reach. */
template <bool right> __global__ void guarded_barrier(int n, const float *in, float *out)
{
    __shared__ float s[128];
    int i = threadIdx.x;
    if (i < n) {
        s[i] = in[i];
        if (!right) {
            __syncthreads(); // MISTAKE guarded_barrier barrier|bar
            out[i] = s[n - 1 - i];
        }
    }
    __syncthreads();
    if (right && i < n) {
        out[i] = s[n - 1 - i];
    }
}
TWINS(guarded_barrier)
{
    guarded_barrier<right><<<1, 128>>>(100, buffer<float>(128), buffer<float>(128));
}

/* A queue in shared memory: the number of its entries is read while threads still push. */
template <bool right> __global__ void queue(int n, const int *in, int *out, int *count)
{
    __shared__ int q[256];
    __shared__ int fill;
    if (threadIdx.x == 0) {
        fill = 0;
    }
    __syncthreads();
    if ((int)threadIdx.x < n && in[threadIdx.x] == 0) {
        q[atomicAdd(&fill, 1)] = threadIdx.x;
    }
    if (right) {
        __syncthreads();
    }
    for (int k = threadIdx.x; k < fill; k += blockDim.x) { // MISTAKE queue race
        out[k] = k;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *count = fill + q[0] * 0;
    }
}
TWINS(queue) { queue<right><<<1, 128>>>(128, buffer<int>(128), buffer<int>(256), buffer<int>(1)); }

/* Double buffering with cp.async's plain ancestor: the wrong half is filled. */
template <bool right> __global__ void two_halves(const int *in, int *out)
{
    __shared__ int half[2][64];
    int t = threadIdx.x, sum = 0;
    half[0][t] = in[t];
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        int now = k & 1;
        if (k < 3) {
            half[right ? !now : now][t] = in[64 * (k + 1) + t]; // MISTAKE two_halves race
        }
        sum += half[now][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}
TWINS(two_halves) { two_halves<right><<<1, 64>>>(buffer<int>(256), buffer<int>(64)); }

/* The names of threads: warps agree through a named barrier with too small a count. */
template <bool right> __global__ void producer_warp(const int *in, int *out)
{
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = in[threadIdx.x];
        __threadfence_block();
        asm volatile("bar.arrive 1, 96;" ::: "memory");
    } else if (threadIdx.x < 96) {
        if (right || threadIdx.x < 64) {
            asm volatile("bar.sync 1, %0;" ::"r"(right ? 96 : 96) : "memory");
        }
        out[threadIdx.x] = s[threadIdx.x & 31]; // MISTAKE producer_warp race
    }
    if (!right && threadIdx.x >= 96) {
        asm volatile("bar.sync 1, 96;" ::: "memory");
    }
}
TWINS(producer_warp) { producer_warp<right><<<1, 128>>>(buffer<int>(32), buffer<int>(128)); }

/* A matrix in shared memory, factorised in place: column k is scaled while row k is used (k = l).
 */
template <bool right> __global__ void cholesky(int n, float *g)
{
    __shared__ float a[16 * 16];
    int i = TX;
    for (int j = 0; j < n; j++) {
        a[i + j * 16] = g[i + j * 16];
    }
    __syncthreads();
    for (int k = 0; k < n; k++) {
        float d = sqrtf(a[k + k * 16]); // MISTAKE cholesky race
        if (right) {
            __syncthreads();
        }
        if (i >= k) {
            a[i + k * 16] /= d;
        }
        __syncthreads();
        for (int j = k + 1; j < n; j++) {
            if (i >= j) {
                a[i + j * 16] -= a[i + k * 16] * a[j + k * 16];
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < n; j++) {
        g[i + j * 16] = a[i + j * 16];
    }
}
TWINS(cholesky)
{
    float *a = buffer<float>(256), h[256];
    for (int i = 0; i < 256; i++) {
        h[i] = i % 17 == 0 ? 40 : 1;
    }
    must(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    cholesky<right><<<1, 16>>>(16, a);
}

/* The stack of a walk in shared memory, one column a warp; popped by all lanes, pushed by one. */
template <bool right> __global__ void walk(const int *child, int *visited)
{
    __shared__ int stack[2][32];
    __shared__ int top[2];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) {
        stack[warp][0] = 1;
        top[warp] = 1;
    }
    __syncwarp();
    for (int step = 0; step < 6 && top[warp] > 0; step++) {
        int node = stack[warp][top[warp] - 1]; // MISTAKE walk race
        int depth = top[warp];
        if (right) {
            __syncwarp();
        }
        if (lane == 0) {
            top[warp] = depth - 1;
            if (child[node] >= 0 && node < 8) {
                stack[warp][depth - 1] = 2 * node;
                stack[warp][depth] = 2 * node + 1;
                top[warp] = depth + 1;
            }
        }
        atomicAdd(&visited[node], 1);
        __syncwarp();
    }
}
TWINS(walk) { walk<right><<<1, 64>>>(buffer<int>(32), buffer<int>(32)); }
