/* fifth_grid.cu - plain kernels; what blocks do to each other through global memory, and values
 * that were never given. */
#include "mistakes.h"

#define GLOBAL_I       ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define FOR_GRID(i, n) for (int i = GLOBAL_I; i < (n); i += gridDim.x * blockDim.x)

/* y = A^T x with rows as they are stored: two rows have an entry in one column. */
template <bool right>
__global__ void spmv_transposed(int rows, const int *ptr, const int *col, const double *v,
                                double *y)
{
    FOR_GRID(r, rows)
    {
        for (int k = ptr[r]; k < ptr[r + 1]; k++) {
            if (right) {
                atomicAdd(&y[col[k]], v[k]);
            } else {
                y[col[k]] += v[k]; // MISTAKE spmv_transposed race
            }
        }
    }
}
TWINS(spmv_transposed)
{
    int h[65];
    for (int i = 0; i < 65; i++) {
        h[i] = i;
    }
    int *ptr = buffer<int>(65), *col = buffer<int>(64);
    double *v = buffer<double>(64), one[64];
    for (int i = 0; i < 64; i++) {
        one[i] = 1;
    }
    must(cudaMemcpy(v, one, sizeof one, cudaMemcpyHostToDevice));
    must(cudaMemcpy(ptr, h, sizeof h, cudaMemcpyHostToDevice));
    spmv_transposed<right><<<2, 32>>>(64, ptr, col, v, buffer<double>(8));
}

/* Forces of elements on their nodes, a struct of arrays. */
struct mesh {
    const int *node0, *node1;
    float *fx;
};
template <bool right> __global__ void assemble(int elements, struct mesh m)
{
    int e = GLOBAL_I;
    if (e >= elements) {
        return;
    }
    float f = 0.5f + e;
    atomicAdd(&m.fx[m.node0[e]], -f); // MISTAKE assemble race
    if (right) {
        atomicAdd(&m.fx[m.node1[e]], f);
    } else {
        m.fx[m.node1[e]] += f;
    }
}
TWINS(assemble)
{
    int *n0 = buffer<int>(64), *n1 = buffer<int>(64), h[64];
    for (int i = 0; i < 64; i++) {
        h[i] = i;
    }
    must(cudaMemcpy(n0, h, sizeof h, cudaMemcpyHostToDevice));
    for (int i = 0; i < 64; i++) {
        h[i] = i + 1;
    }
    must(cudaMemcpy(n1, h, sizeof h, cudaMemcpyHostToDevice));
    struct mesh m = {n0, n1, buffer<float>(65)};
    assemble<right><<<2, 32>>>(64, m);
}

/* A loop over the grid with the stride of a block. */
template <bool right> __global__ void scale(int n, float *a, float s)
{
    for (int i = GLOBAL_I; i < n; i += right ? gridDim.x * blockDim.x : blockDim.x) {
        a[i] = a[i] * s + 1; // MISTAKE scale race
    }
}
TWINS(scale) { scale<right><<<4, 64>>>(512, buffer<float>(512), 2.0f); }

/* A list is shifted by one, in place. */
template <bool right> __global__ void shift(int n, int *a)
{
    int i = threadIdx.x;
    int next = 0;
    if (i + 1 < n) {
        next = a[i + 1]; // MISTAKE shift race
    }
    if (right) {
        __syncthreads();
    }
    if (i + 1 < n) {
        a[i] = next;
    }
}
TWINS(shift)
{
    int *a = buffer<int>(128), h[128];
    for (int i = 0; i < 128; i++) {
        h[i] = i;
    }
    must(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    shift<right><<<1, 128>>>(128, a);
}

/* A string is turned round in place, by as many threads as it has letters. */
template <bool right> __global__ void turn_round(int n, char *s)
{
    int i = GLOBAL_I;
    if (i < (right ? n / 2 : n)) {
        char c = s[i];
        s[i] = s[n - 1 - i]; // MISTAKE turn_round race
        s[n - 1 - i] = c;
    }
}
TWINS(turn_round)
{
    char *s = buffer<char>(100), h[100];
    for (int i = 0; i < 100; i++) {
        h[i] = (char)i;
    }
    must(cudaMemcpy(s, h, sizeof h, cudaMemcpyHostToDevice));
    turn_round<right><<<4, 32>>>(100, s);
}

/* One sweep of a stencil reads what the neighbouring block writes. */
template <bool right> __global__ void sweep(int n, const float *u, float *v)
{
    int i = GLOBAL_I + 1;
    if (i < n - 1) {
        v[i] = 0.5f * (u[i - 1] + u[i + 1]); // MISTAKE sweep race
    }
}
TWINS(sweep)
{
    float *u = buffer<float>(130), *v = buffer<float>(130), h[130];
    for (int i = 0; i < 130; i++) {
        h[i] = (float)(i * i);
    }
    must(cudaMemcpy(u, h, sizeof h, cudaMemcpyHostToDevice));
    sweep<right><<<4, 32>>>(130, u, right ? v : u);
}

/* Partial sums of blocks are added by the block that draws the last ticket. */
template <bool right>
__global__ void last_block(int n, const int *in, int *part, unsigned *ticket, int *out)
{
    __shared__ bool last;
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    FOR_GRID(i, n) { atomicAdd(&sum, in[i]); }
    __syncthreads();
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum; // MISTAKE last_block race
        if (right) {
            __threadfence();
        }
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (unsigned b = 0; b < gridDim.x; b++) {
            total += part[b];
        }
        *out = total;
    }
}
TWINS(last_block)
{
    last_block<right>
        <<<4, 64>>>(512, buffer<int>(512), buffer<int>(4), buffer<unsigned>(1), buffer<int>(1));
}

/* A mean: all blocks add, then each divides by the total of all. */
template <bool right> __global__ void centre(int n, float *x, float *total)
{
    int i = GLOBAL_I;
    if (!right) {
        atomicAdd(total, x[i]);
        __syncthreads();
    }
    x[i] -= *total / n; // MISTAKE centre race
}
template <int> __global__ void total_of(const float *x, float *total)
{
    atomicAdd(total, x[GLOBAL_I]);
}
TWINS(centre)
{
    float *x = buffer<float>(128), *total = buffer<float>(1);
    if (right) {
        total_of<0><<<2, 64>>>(x, total);
    }
    centre<right><<<2, 64>>>(128, x, total);
}

/* A wave front: a block waits for the one before it, whose fence is missing. */
template <bool right> __global__ void wave_front(int n, volatile int *done, float *edge)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0 && b > 0) {
        while (done[b - 1] == 0) {
        }
        __threadfence();
    }
    __syncthreads();
    float from = b > 0 ? edge[(b - 1) * n + threadIdx.x] : 0;
    edge[b * n + threadIdx.x] = from + 1; // MISTAKE wave_front race
    __syncthreads();
    if (threadIdx.x == 0) {
        if (right) {
            __threadfence();
        }
        done[b] = 1;
    }
}
TWINS(wave_front) { wave_front<right><<<3, 32>>>(32, buffer<int>(3), buffer<float>(96)); }

/* A spin lock: it is given back with no fence before. */
template <bool right> __global__ void lock_released(int *lock, double *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *sum += blockIdx.x; // MISTAKE lock_released race
        if (right) {
            __threadfence();
        }
        atomicExch(lock, 0);
    }
}
TWINS(lock_released) { lock_released<right><<<4, 32>>>(buffer<int>(1), buffer<double>(1)); }

/* The same, taken with no fence behind. */
struct running {
    int n;
    float mean;
};
template <bool right> __global__ void lock_taken(int *lock, struct running *r, const float *x)
{
    if (threadIdx.x == 0) {
        while (atomicExch(lock, 1) == 1) {
        }
        if (right) {
            __threadfence();
        }
        int n = r->n + 1; // MISTAKE lock_taken race
        r->mean += (x[blockIdx.x] - r->mean) / n;
        r->n = n;
        __threadfence();
        atomicExch(lock, 0);
    }
}
TWINS(lock_taken)
{
    lock_taken<right><<<4, 32>>>(buffer<int>(1), buffer<struct running>(1), buffer<float>(4));
}

/* The same, given back by a plain store. */
template <bool right> __global__ void lock_dropped(int *lock, int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *sum += 1;
        __threadfence();
        if (right) {
            atomicExch(lock, 0);
        } else {
            *lock = 0; // MISTAKE lock_dropped race
        }
    }
}
TWINS(lock_dropped) { lock_dropped<right><<<4, 32>>>(buffer<int>(1), buffer<int>(1)); }

/* The nearest neighbour: distance and index in one word of 64 bits; somebody counts in its lower
 * half. */
template <bool right>
__global__ void nearest(unsigned long long *best, const int *distance, unsigned *ties)
{
    int i = GLOBAL_I;
    atomicMin(best, (unsigned long long)distance[i] << 32 | (unsigned)i);
    if (distance[i] == 0) {
        atomicAdd(right ? ties : (unsigned *)best, 1u); // MISTAKE nearest race
    }
}
TWINS(nearest)
{
    nearest<right><<<2, 32>>>(buffer<unsigned long long>(1), buffer<int>(64), buffer<unsigned>(1));
}

/* Statistics of a cell: one thread clears the struct, the others count. */
struct cell {
    int hits;
    int misses;
};
template <bool right> __global__ void cell_reset(struct cell *c, const int *key)
{
    struct cell zero = {0, 0};
    if (right) {
        if (threadIdx.x == 0 && blockIdx.x == 0) {
            atomicExch(&c->hits, 0);
            atomicExch(&c->misses, 0);
        }
    } else if (threadIdx.x == 0 && blockIdx.x == 0) {
        *c = zero; // MISTAKE cell_reset race
    }
    if (key[GLOBAL_I] == 0) {
        atomicAdd(&c->hits, 1);
    } else {
        atomicAdd(&c->misses, 1);
    }
}
TWINS(cell_reset) { cell_reset<right><<<2, 32>>>(buffer<struct cell>(1), buffer<int>(64)); }

/* Smoothing with const __restrict__ for an array that the same launch has just written. */
template <bool right>
__global__ void smooth(const float *__restrict__ in, float *__restrict__ tmp,
                       float *__restrict__ out)
{
    int i = threadIdx.x;
    tmp[i] = 2.0f * in[i];
    __syncthreads();
    const float *again = right ? tmp : in;
    out[i] = right ? tmp[(i + 1) % 64] : again[(i + 1) % 64]; // MISTAKE smooth race
}
TWINS(smooth)
{
    float *a = buffer<float>(64), h[64];
    for (int i = 0; i < 64; i++) {
        h[i] = i + 1.0f;
    }
    must(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    smooth<right><<<1, 64>>>(a, right ? buffer<float>(64) : a, buffer<float>(64));
}

/* A table is extended in the launch that looks it up by __ldg. */
template <bool right> __global__ void table(int *map, int n, int *out)
{
    int i = GLOBAL_I;
    if (i < n) {
        atomicExch(&map[i], i + 1);
    }
    __syncthreads();
    int k = (i + 32) % 64;
    out[i] = right ? atomicAdd(&map[k], 0) : __ldg(&map[k]); // MISTAKE table race
}
TWINS(table) { table<right><<<1, 64>>>(buffer<int>(64), 64, buffer<int>(64)); }

/* Look-back with the sum in one word and its state in another. */
template <bool right>
__global__ void look_back_plain(volatile int *state, int *sum, const int *in, int *out)
{
    int b = blockIdx.x, before = 0, mine = in[b];
    if (b > 0) {
        while (state[b - 1] != 2) {
        }
        if (right) {
            __threadfence();
        }
        before = sum[b - 1]; // MISTAKE look_back_plain race
    }
    sum[b] = before + mine;
    out[b] = before + mine;
    __threadfence();
    state[b] = 2;
}
TWINS(look_back_plain)
{
    look_back_plain<right>
        <<<4, 1>>>(buffer<int>(4), buffer<int>(4), buffer<int>(4), buffer<int>(4));
}

/* A position of three numbers behind a sequence lock. */
struct position {
    float x, y, z;
};
template <bool right>
__global__ void sequence(volatile unsigned *version, struct position *p, float *out)
{
    volatile struct position *strong = p;
    if (blockIdx.x == 0) {
        for (unsigned k = 0; k < 20; k++) {
            *version = 2 * k + 1;
            __threadfence();
            strong->x = k; // the writer's side is strong in both twins
            strong->y = k;
            strong->z = k;
            __threadfence();
            *version = 2 * k + 2;
        }
    } else {
        unsigned before, after;
        float sum;
        do {
            before = *version;
            __threadfence();
            sum = right ? strong->x + strong->y : p->x + p->y; // MISTAKE sequence race
            __threadfence();
            after = *version;
        } while (before != after || before % 2 == 1);
        *out = sum;
    }
}
TWINS(sequence)
{
    sequence<right><<<2, 1>>>(buffer<unsigned>(1), buffer<struct position>(1), buffer<float>(1));
}

/* A ring of messages between two blocks; the sender never asks what was read. */
#define SLOTS 4
struct message {
    int from, body;
};
template <bool right>
__global__ void channel(struct message *ring, volatile unsigned *head, volatile unsigned *tail,
                        int *sum)
{
    if (blockIdx.x == 0) {
        for (unsigned k = 0; k < 24; k++) {
            if (right) {
                while (k - *tail >= SLOTS) {
                }
                __threadfence();
            }
            ring[k % SLOTS].from = 1;
            ring[k % SLOTS].body = k; // MISTAKE channel race
            __threadfence();
            *head = k + 1;
        }
    } else {
        int total = 0;
        for (unsigned k = 0; k < 24; k++) {
            while (*head <= k) {
            }
            __threadfence();
            total += ring[k % SLOTS].body;
            __threadfence();
            *tail = k + 1;
        }
        *sum = total;
    }
}
TWINS(channel)
{
    channel<right><<<2, 1>>>(buffer<struct message>(SLOTS), buffer<unsigned>(1),
                             buffer<unsigned>(1), buffer<int>(1));
}

/* A tree of cells: block 0 sets the root's mass to zero while the others add to its children and
 * read it. */
template <bool right> __global__ void root_cleared(float *mass, const float *m)
{
    int node = 1 + (int)blockIdx.x % 2;
    if (!right && GLOBAL_I == 0) {
        mass[0] = 0; // MISTAKE root_cleared race
    }
    atomicAdd(&mass[node], m[GLOBAL_I] + (mass[0] > 0 ? 1.0f : 0.0f));
}
TWINS(root_cleared)
{
    float *mass = buffer<float>(3), one = 1;
    must(cudaMemcpy(mass, &one, sizeof one, cudaMemcpyHostToDevice));
    root_cleared<right><<<4, 32>>>(mass, buffer<float>(128));
}

/* Blocks count by the atomics of a block. */
template <bool right> __global__ void count_block(int *count)
{
    if (right) {
        atomicAdd(count, 1);
    } else {
        atomicAdd_block(count, 1); // MISTAKE count_block race
    }
}
TWINS(count_block) { count_block<right><<<3, 32>>>(buffer<int>(1)); }

/* A visited bit, set by read and write. */
template <bool right> __global__ void visit(unsigned *bits, const int *vertex)
{
    int v = vertex[GLOBAL_I];
    if (right) {
        atomicOr(&bits[v / 32], 1u << v % 32);
    } else {
        bits[v / 32] |= 1u << v % 32; // MISTAKE visit race
    }
}
TWINS(visit)
{
    int *vertex = buffer<int>(64), h[64];
    for (int i = 0; i < 64; i++) {
        h[i] = i;
    }
    must(cudaMemcpy(vertex, h, sizeof h, cudaMemcpyHostToDevice));
    visit<right><<<2, 32>>>(buffer<unsigned>(2), vertex);
}

/* A flag for another block, with a fence that reaches the block only. */
template <bool right> __global__ void narrow_fence(int *data, int *flag, int *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    if (blockIdx.x == 1) {
        *data = 5; // MISTAKE narrow_fence race
        if (right) {
            __threadfence();
        } else {
            __threadfence_block();
        }
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        *out = *data;
    }
}
TWINS(narrow_fence)
{
    narrow_fence<right><<<2, 32>>>(buffer<int>(1), buffer<int>(1), buffer<int>(1));
}

/* A grid barrier of one's own, whose arrival carries no fence of the other threads' stores. */
template <bool right> __global__ void own_barrier(int n, int *a, int *b, unsigned *arrived)
{
    int i = GLOBAL_I;
    a[i] = i; // MISTAKE own_barrier race
    __threadfence();
    if (right) {
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (atomicAdd(arrived, 0u) < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    b[i] = a[(i + 64) % n];
}
TWINS(own_barrier)
{
    own_barrier<right><<<3, 64>>>(192, buffer<int>(192), buffer<int>(192), buffer<unsigned>(1));
}

/* A frontier of breadth-first search: levels are set by plain stores of different values. */
template <bool right> __global__ void parent(int n, const int *from, const int *to, int *parent_of)
{
    FOR_GRID(e, n)
    {
        if (right) {
            atomicCAS(&parent_of[to[e]], 0, from[e] + 1);
        } else if (parent_of[to[e]] == 0) {
            parent_of[to[e]] = from[e] + 1; // MISTAKE parent race
        }
    }
}
TWINS(parent)
{
    int *from = buffer<int>(64), *to = buffer<int>(64), h[64];
    for (int i = 0; i < 64; i++) {
        h[i] = i;
    }
    must(cudaMemcpy(from, h, sizeof h, cudaMemcpyHostToDevice));
    parent<right><<<1, 64>>>(64, from, to, buffer<int>(1));
}

/* --- waiting ------------------------------------------------------------------------------------
 */

/* A barrier of all blocks with more blocks than are resident. */
template <bool right> __global__ void everybody(volatile unsigned *there)
{
    if (threadIdx.x == 0) {
        atomicAdd((unsigned *)there, 1u);
        while (*there < gridDim.x) { // MISTAKE everybody end
        }
    }
    __syncthreads();
}
TWINS(everybody) { everybody<right><<<right ? 264 : 265, 1024>>>(buffer<unsigned>(1)); }

/* A chain of blocks from the last to the first. */
template <bool right> __global__ void later_block(volatile int *ready)
{
    int b = blockIdx.x, waits_for = right ? b - 1 : b + 1;
    if (threadIdx.x == 0) {
        if (waits_for >= 0 && waits_for < (int)gridDim.x) {
            while (ready[waits_for] == 0) { // MISTAKE later_block end
            }
        }
        ready[b] = 1;
    }
}
TWINS(later_block) { later_block<right><<<600, 1024>>>(buffer<int>(600)); }

/* Two locks, taken in two orders by two blocks. */
template <bool right> __global__ void two_locks(int *lock, volatile int *both)
{
    if (threadIdx.x == 0) {
        int first = right ? 0 : blockIdx.x, second = 1 - first;
        while (atomicCAS(&lock[first], 0, 1) != 0) {
        }
        __threadfence();
        atomicAdd((int *)both, 1);
        if (!right) {
            while (*both < 2) {
            }
        }
        while (atomicCAS(&lock[second], 0, 1) != 0) { // MISTAKE two_locks end
        }
        __threadfence();
        atomicExch(&lock[second], 0);
        atomicExch(&lock[first], 0);
    }
}
TWINS(two_locks) { two_locks<right><<<2, 32>>>(buffer<int>(2), buffer<int>(1)); }

/* A search in a linked list that has a circle; nobody stores. */
template <bool right> __global__ void circle(const int *next, int *length)
{
    int n = 0;
    for (int k = 0; k >= 0; k = next[k]) {
        n++; // MISTAKE circle end
    }
    *length = n;
}
TWINS(circle)
{
    int h[4] = {1, 2, 3, right ? -1 : 1};
    int *next = buffer<int>(4);
    must(cudaMemcpy(next, h, sizeof h, cudaMemcpyHostToDevice));
    circle<right><<<1, 1>>>(next, buffer<int>(1));
}

/* Quicksort by recursion, on a stack that nobody enlarged. */
template <bool right> __device__ __noinline__ int depth(const int *child, int node, int d)
{
    volatile int path[16];
    path[d & 15] = node;
    if (child[node] < 0) {
        return path[d & 15];
    }
    return depth<right>(child, child[node], d + 1) + path[d & 15]; // MISTAKE deep_tree stack
}
template <bool right> __global__ void deep_tree(const int *child, int *out)
{
    *out = depth<right>(child, 0, 0);
}
TWINS(deep_tree)
{
    int *child = buffer<int>(64), h[64];
    for (int i = 0; i < 64; i++) {
        h[i] = i < 63 ? i + 1 : -1;
    }
    must(cudaMemcpy(child, h, sizeof h, cudaMemcpyHostToDevice));
    size_t old;
    must(cudaDeviceGetLimit(&old, cudaLimitStackSize));
    if (right) {
        must(cudaDeviceSetLimit(cudaLimitStackSize, 32768));
    }
    deep_tree<right><<<1, 1>>>(child, buffer<int>(1));
}

/* Every thread of a large grid reports its progress. */
template <bool right> __global__ void chatter(int n)
{
    FOR_GRID(i, n)
    {
        if (!right || i % 1024 == 0) {
            printf("cell %d: %f, %f, %f\n", i, 1.0 * i, 2.0 * i, 3.0 * i); // MISTAKE chatter print
        }
    }
}
TWINS(chatter) { chatter<right><<<128, 256>>>(32768); }

/* --- values that were never given
 * ----------------------------------------------------------------- */

/* The sum is accumulated in an array that nobody has cleared. */
template <bool right> __global__ void accumulate(int n, const float *x, float *y)
{
    int i = GLOBAL_I;
    if (i < n) {
        y[i] += 2 * x[i]; // MISTAKE accumulate uninitialised
    }
}
TWINS(accumulate)
{
    float *y;
    must(cudaMalloc(&y, 64 * sizeof *y));
    if (right) {
        must(cudaMemset(y, 0, 64 * sizeof *y));
    }
    accumulate<right><<<1, 64>>>(64, buffer<float>(64), y);
    must(cudaFree(y));
}

/* A copy of n bytes instead of n numbers. */
template <bool right> __global__ void dot(int n, const double *x, const double *y, double *s)
{
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        sum += x[i] * y[i]; // MISTAKE copied_bytes uninitialised
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(~0u, sum, d);
    }
    if (threadIdx.x == 0) {
        *s = sum;
    }
}
TWINS(copied_bytes)
{
    const int n = 64;
    double *x, h[n] = {0};
    must(cudaMalloc(&x, n * sizeof *x));
    must(cudaMemcpy(x, h, right ? sizeof h : n, cudaMemcpyHostToDevice));
    dot<right><<<1, 32>>>(n, x, buffer<double>(n), buffer<double>(1));
    must(cudaFree(x));
}

/* Rows of a pitched array: the sum takes the padding for numbers. */
template <bool right> __global__ void row_sums(const char *a, size_t pitch, int width, float *sums)
{
    const float *row = (const float *)(a + blockIdx.x * pitch);
    float sum = 0;
    for (int i = threadIdx.x; i < (right ? width : (int)(pitch / sizeof(float))); i += 32) {
        sum += row[i]; // MISTAKE padding uninitialised
    }
    atomicAdd(&sums[blockIdx.x], sum);
}
TWINS(padding)
{
    char *a;
    size_t pitch;
    float h[4 * 100] = {0};
    must(cudaMallocPitch((void **)&a, &pitch, 100 * sizeof(float), 4));
    must(cudaMemcpy2D(a, pitch, h, 100 * sizeof(float), 100 * sizeof(float), 4,
                      cudaMemcpyHostToDevice));
    row_sums<right><<<4, 32>>>(a, pitch, 100, buffer<float>(4));
    must(cudaFree(a));
}

/* A tile at the edge: what lies outside is not set, and is summed. */
template <bool right> __global__ void edge_tile(int n, const float *in, float *out)
{
    __shared__ float s[64];
    int i = GLOBAL_I;
    if (i < n) {
        s[threadIdx.x] = in[i];
    } else if (right) {
        s[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if ((int)threadIdx.x < d) {
            s[threadIdx.x] += s[threadIdx.x + d]; // MISTAKE edge_tile uninitialised
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = s[0];
    }
}
TWINS(edge_tile) { edge_tile<right><<<2, 64>>>(100, buffer<float>(128), buffer<float>(2)); }

/* Counts by class in a local array, of which one class is not cleared. */
template <bool right> __global__ void classes(int n, const int *in, int *out)
{
    int count[8];
    for (int c = right ? 0 : 1; c < 8; c++) {
        count[c] = 0;
    }
    for (int i = 0; i < n; i++) {
        count[in[i] & 7]++; // MISTAKE classes uninitialised
    }
    for (int c = 0; c < 8; c++) {
        out[c] = count[in[c] & 7];
    }
}
TWINS(classes) { classes<right><<<1, 1>>>(16, buffer<int>(16), buffer<int>(8)); }

/* malloc() in a kernel: memory of its heap is not zero. */
template <bool right> __global__ void scratch(int n, int *out)
{
    int *mine = (int *)malloc(16 * sizeof(int));
    if (mine == NULL) {
        return;
    }
    if (right) {
        memset(mine, 0, 16 * sizeof(int));
    }
    for (int i = 0; i < n; i++) {
        mine[i & 15] += i; // MISTAKE scratch uninitialised
    }
    out[threadIdx.x] = mine[3];
    free(mine);
}
TWINS(scratch) { scratch<right><<<1, 32>>>(40, buffer<int>(32)); }

/* An index of one beyond: the array behind is another one. */
template <bool right> __global__ void off_by_one(int n, const int *in, int *out)
{
    __shared__ int count[64], start[64];
    int t = threadIdx.x;
    count[t] = in[t];
    start[t] = 0;
    __syncthreads();
    int next = right && t == 63 ? 0 : count[t + 1]; // MISTAKE off_by_one overflow
    out[t] = next + start[t] + n;
}
TWINS(off_by_one) { off_by_one<right><<<1, 64>>>(1, buffer<int>(64), buffer<int>(64)); }

/* Two local arrays: the polynomial has one coefficient more than its array. */
template <bool right> __global__ void polynomial(const int *degree, const float *x, float *out)
{
    float power[4], c[4];
    for (int i = 0; i < 4; i++) {
        c[i] = x[i];
        power[i] = x[i] + 1;
    }
    int d = degree[0];
    for (int i = 0; right ? i < d : i <= d; i++) {
        power[i] *= x[i & 3]; // MISTAKE polynomial overflow|out of bounds
    }
    out[0] = power[degree[1] & 3] * c[degree[1] & 3];
}
TWINS(polynomial)
{
    int h[2] = {4, 1};
    int *degree = buffer<int>(2);
    must(cudaMemcpy(degree, h, sizeof h, cudaMemcpyHostToDevice));
    polynomial<right><<<1, 1>>>(degree, buffer<float>(4), buffer<float>(1));
}

/* Nodes in local memory, published through global memory. */
struct node {
    int key;
    struct node *next;
};
template <bool right> __global__ void published(struct node **head, int *out)
{
    __shared__ struct node s;
    struct node mine = {(int)threadIdx.x, NULL};
    if (threadIdx.x == 0) {
        s = mine;
        *head = right ? &s : &mine;
    }
    __syncthreads();
    out[threadIdx.x] = (*head)->key + mine.key; // MISTAKE published local
}
TWINS(published) { published<right><<<1, 64>>>(buffer<struct node *>(1), buffer<int>(64)); }
