/* classes.cu - C++ on the device: virtual functions, pointers to functions, recursion, odd structs, carved shared memory. */
#include "today.h"

#include <new>

struct shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~shape() {}
};
struct circle : shape {
    float r;
    __device__ circle(float x) : r(x) {}
    __device__ float area() const override { return 3.14159f * r * r; }
};
struct box : shape {
    float w, h;
    __device__ box(float x, float y) : w(x), h(y) {}
    __device__ float area() const override { return w * h; }
};

__global__ void areas(const float *in, float *out)
{
    alignas(8) char room[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    shape *s;
    if (in[i] > 0)
        s = new (room) circle(in[i]);
    else
        s = new (room) box(in[i], in[i + 1]);
    out[i] = s->area();
    s->~shape();
}

typedef float (*function)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ float half_of(float x) { return x / 2; }
__device__ function const table[3] = {twice, square, half_of};

__global__ void apply_table(const float *in, float *out, const unsigned *which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[which[i] % 3](in[i]);
}

__device__ int depth_of(const unsigned *tree, int node, int most)
{
    if (node >= most || (tree[node] & 3) == 0)
        return 0;
    return 1 + depth_of(tree, 2 * node + 1, most);
}

__global__ void tree_depth(const unsigned *tree, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = depth_of(tree + i * 64, 0, 63);
}

struct three { unsigned char b[3]; };
struct five { unsigned char b[5]; };
struct twelve { int x, y, z; };
struct twenty { float m[5]; };
struct mixed { double d; float f; short s; char c; };

template <typename T> __global__ void copy_structs(const T *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[n - 1 - i] = in[i];
}

__global__ void change_mixed(mixed *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        mixed m = p[i];
        m.s += 3;
        m.c ^= 0x55;
        m.f = (float)m.s;
        p[i] = m;
    }
}

__global__ void local_histogram(const unsigned char *in, unsigned *out, int n)
{
    unsigned bins[8] = {};
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        bins[in[blockIdx.x * n + i] & 7]++;
    for (int k = 0; k < 8; k++)
        atomicAdd(&out[k], bins[k]);
}

__global__ void insertion_sort(const int *in, int *out)
{
    int a[12], i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 12; k++)
        a[k] = in[i * 12 + k];
    for (int k = 1; k < 12; k++) {
        int v = a[k], j = k - 1;
        while (j >= 0 && a[j] > v) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = v;
    }
    for (int k = 0; k < 12; k++)
        out[i * 12 + k] = a[k];
}

/* Dynamic shared memory in three parts of different types. */
__global__ void carved(const double *in, double *out, int n)
{
    extern __shared__ unsigned char raw[];
    double *values = reinterpret_cast<double *>(raw);
    int *order = reinterpret_cast<int *>(values + n);
    unsigned char *flags = reinterpret_cast<unsigned char *>(order + n);
    int t = threadIdx.x;
    values[t] = in[t + blockIdx.x * n];
    order[t] = (t * 7 + 3) % n;
    flags[t] = t % 3 == 0;
    __syncthreads();
    double v = values[order[t]];
    if (flags[order[(t + 1) % n]])
        v += values[(order[t] + 1) % n];
    out[blockIdx.x * n + t] = v;
}

template <typename T, int N> struct vec {
    T v[N];
    __device__ vec operator+(const vec &o) const
    {
        vec r;
        for (int i = 0; i < N; i++)
            r.v[i] = v[i] + o.v[i];
        return r;
    }
    __device__ T dot(const vec &o) const
    {
        T s = 0;
        for (int i = 0; i < N; i++)
            s += v[i] * o.v[i];
        return s;
    }
};

template <typename V, typename T> __global__ void dots(const V *a, const V *b, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (a[i] + b[i]).dot(b[i]);
}

template <typename F> __global__ void for_each(F f, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        f(i);
}

template <typename... A> __device__ auto sum_of(A... a) { return (a + ...); }

union word {
    float f;
    unsigned u;
    unsigned char b[4];
};

__global__ void unions(const word *in, word *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    word w = in[i];
    unsigned char t = w.b[0];
    w.b[0] = w.b[3];
    w.b[3] = t;
    out[i].u = sum_of(w.u, (unsigned)w.b[1], (unsigned)w.b[2]);
}

/* The last block to come adds up what all have left. */
__device__ unsigned arrived;
__global__ void last_block_sum(const int *in, volatile int *parts, int *out, int n)
{
    __shared__ int s[128];
    __shared__ bool last;
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128)
        sum += in[i] >> 8;
    s[t] = sum;
    for (int d = 64; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            s[t] += s[t + d];
    }
    if (t == 0) {
        parts[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += parts[i];
        *out = sum;
    }
}

__global__ void __launch_bounds__(128, 4) say_some(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 5)
        printf("block %d of %d says %s: %5.2f %c %llx\n", blockIdx.x, gridDim.x, "so", i * 0.5, 'x', 0xfeedfacecafebeefull);
    out[i] = in[i] + 1;
}

__global__ void hanoi(int *moves, int disks)
{
    struct frame { signed char n, from, to, via, stage; } stack[16];
    int top = 0, count = 0, i = threadIdx.x;
    stack[top++] = {(signed char)(disks - i % 3), 0, 2, 1, 0};
    while (top > 0) {
        frame &f = stack[top - 1];
        if (f.n == 0) {
            top--;
        } else if (f.stage == 0) {
            f.stage = 1;
            stack[top++] = {(signed char)(f.n - 1), f.from, f.via, f.to, 0};
        } else if (f.stage == 1) {
            count += f.from * 3 + f.to;
            f.stage = 2;
            stack[top++] = {(signed char)(f.n - 1), f.via, f.to, f.from, 0};
        } else {
            top--;
        }
    }
    moves[i] = count;
}

void run_classes(void)
{
    const int *in = (const int *)d_in;
    int *out = (int *)d_out;
    float *const x = (float *)d_in, *const y = (float *)d_out;
    RUN(areas, FLOATS, areas<<<2, 128>>>(x, y));
    RUN(apply_table, FLOATS, apply_table<<<2, 128>>>(x, y, d_in));
    RUN(tree_depth, WHOLE, tree_depth<<<2, 64>>>(d_in, out));
    RUN(copy_three, WHOLE, copy_structs<<<2, 128>>>((three *)d_in, (three *)d_out, 250));
    RUN(copy_five, WHOLE, copy_structs<<<2, 128>>>((five *)d_in, (five *)d_out, 250));
    RUN(copy_twelve, WHOLE, copy_structs<<<2, 128>>>((twelve *)d_in, (twelve *)d_out, 250));
    RUN(copy_twenty, WHOLE, copy_structs<<<2, 128>>>((twenty *)d_in, (twenty *)d_out, 250));
    RUN(change_mixed, WHOLE, change_mixed<<<2, 128>>>((mixed *)d_in, 250));
    RUN(local_histogram, WHOLE, local_histogram<<<2, 64>>>((unsigned char *)d_in, d_out, 500));
    RUN(insertion_sort, WHOLE, insertion_sort<<<2, 64>>>(in, out));
    RUN(carved, SORTED, carved<<<3, 100, 1300>>>((double *)d_in, (double *)d_out, 100));
    RUN(dots_of_three, FLOATS, dots<<<2, 64>>>((vec<float, 3> *)d_in, (vec<float, 3> *)d_in + 900, y, 120));
    RUN(dots_of_four, WHOLE, dots<<<2, 64>>>((vec<int, 4> *)d_in, (vec<int, 4> *)d_in + 900, out, 120));
    RUN(for_each_scaled, FLOATS, for_each<<<3, 64>>>([=] __device__(int i) { y[i] = x[i] * 2 + x[999 - i]; }, 1000));
    RUN(unions, WHOLE, unions<<<2, 128>>>((word *)d_in, (word *)d_out));
    RUN(last_block_sum, WHOLE, last_block_sum<<<5, 128>>>(in, out + 100, out, 3000));
    RUN(say_some, WHOLE, say_some<<<2, 128>>>(in, out));
    RUN(hanoi, WHOLE, hanoi<<<1, 64>>>(out, 6));
}
