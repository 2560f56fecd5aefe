/* merged.cu - structs whose fields ptxas stores together, and words of shared memory that it loads together although
 * there is an `if` between them. Written after the others, to see whether a GPU counts what ptxas's rules say. */
#include "strangers.h"

/* --- stores ------------------------------------------------------------------------------------------------------- */
struct sample {
    int id, count;
    double value;
};

__global__ void store_samples(sample *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i].id = i;
        out[i].count = i * i;
        out[i].value = i * 0.5;
    }
}

struct packet {
    char kind, flags;
    short length;
    int data;
};

__global__ void copy_packets(const packet *in, packet *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        packet p = in[i];
        p.data += p.kind;
        out[i] = p;
    }
}

struct segment {
    short from, to;
    int weight;
};

__global__ void store_segments(segment *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        segment s = {(short)i, (short)(i * 3), i * 7};
        out[i] = s;
    }
}

struct colored {
    uchar4 color;
    int next;
    double depth;
};

__global__ void store_colored(colored *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i].color = make_uchar4(i, i + 1, i * 2, 255);
        out[i].next = i - 1;
        out[i].depth = i * 0.25;
    }
}

struct quarters {
    short a, b, c, d;
    long long sum;
};

__global__ void store_quarters(quarters *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i].sum = i;
        out[i].a = i;
        out[i].d = i + 1;
        out[i].b = i + 2;
        out[i].c = i + 3;
    }
}

struct ray {
    float x, y, z, length;
    float4 color;
};

__global__ void store_rays(ray *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i].color = make_float4(i, 1, 2, 3);
        out[i].x = i;
        out[i].y = i * 2;
        if (i % 3 == 0)
            out[i].z = i * 3;
        out[i].length = i * 4;
    }
}

/* --- loads of shared memory --------------------------------------------------------------------------------------- */
struct card {
    int suit, rank, back, owner;
};

__device__ static void deal(card *s, const int *in)
{
    int t = threadIdx.x;
    s[t].suit = in[t] & 3;
    s[t].rank = in[t] >> 2 & 7;
    s[t].back = in[t] >> 5 & 1;
    s[t].owner = in[t] >> 6 & 3;
    __syncthreads();
}

__global__ void compare_cards(const int *in, int *out)
{
    __shared__ card s[THREADS];
    deal(s, in);
    int t = threadIdx.x, better = 0;
    for (int k = 0; k < THREADS; k++) {
        const card *a = &s[t], *b = &s[k];
        if (a->suit < b->suit || (a->suit == b->suit && a->rank < b->rank))
            better++;
    }
    out[t] = better;
}

__global__ void owner_of_match(const int *in, int *out)
{
    __shared__ card s[THREADS];
    deal(s, in);
    int t = threadIdx.x, found = -1;
    for (int k = 1; k < THREADS; k++) {
        const card *b = &s[(t + k) % THREADS];
        if (b->suit == 1) {
            if (b->rank == t % 8)
                found = b->owner;
        } else if (b->back) {
            found += k;
        }
    }
    out[t] = found;
}

__global__ void take_cards(const int *in, int *out)
{
    __shared__ card s[THREADS];
    deal(s, in);
    int t = threadIdx.x;
    card *mine = &s[t];
    int r = mine->suit;
    if (r & 1)
        mine->back = 7;
    r += mine->rank;
    if (r > 4)
        r += mine->owner;
    out[t] = r;
}

__global__ void leave_early(const int *in, int *out)
{
    __shared__ card s[THREADS];
    deal(s, in);
    int t = threadIdx.x;
    const card *b = &s[t ^ 1];
    if (b->suit == 0) {
        out[t] = -1;
        return;
    }
    if (b->rank > 5) {
        out[t] = b->owner;
        return;
    }
    out[t] = b->back;
}

__global__ void arms_of_many(const float *in, float *out)
{
    __shared__ float s[THREADS * 4];
    int t = threadIdx.x;
    for (int k = 0; k < 4; k++)
        s[k * THREADS + t] = in[k * THREADS + t];
    __syncthreads();
    const float *q = &s[t * 4];
    float x = q[0];
    if (x > 0) {
        for (int k = 0; k < 6; k++)
            x = sqrtf(x) * 3 + k;
        x += q[1];
    } else {
        for (int k = 0; k < 5; k++)
            x = k - sqrtf(k - x);
        x -= q[2];
    }
    out[t] = x * q[3];
}

__global__ void find_pair(const int *in, int *out)
{
    __shared__ int2 s[THREADS];
    int t = threadIdx.x, found = 0;
    s[t] = make_int2(in[t] & 15, in[t] >> 8);
    __syncthreads();
    for (int k = 0; k < THREADS; k++) {
        if (s[k].x == (t & 15)) {
            found = s[k].y;
            if (found & 1)
                break;
        }
    }
    out[t] = found;
}

void run_merged(void)
{
    const int *in = (const int *)d_in;
    int *out = (int *)d_out;
    RUN(store_samples, WHOLE, store_samples<<<2, 128>>>((sample *)d_out, 250));
    RUN(copy_packets, WHOLE, copy_packets<<<2, 128>>>((const packet *)d_in, (packet *)d_out, 250));
    RUN(store_segments, WHOLE, store_segments<<<2, 128>>>((segment *)d_out, 250));
    RUN(store_colored, WHOLE, store_colored<<<2, 128>>>((colored *)d_out, 250));
    RUN(store_quarters, WHOLE, store_quarters<<<2, 128>>>((quarters *)d_out, 250));
    RUN(store_rays, WHOLE, store_rays<<<2, 128>>>((ray *)d_out, 250));
    RUN(compare_cards, WHOLE, compare_cards<<<1, THREADS>>>(in, out));
    RUN(owner_of_match, WHOLE, owner_of_match<<<1, THREADS>>>(in, out));
    RUN(take_cards, WHOLE, take_cards<<<1, THREADS>>>(in, out));
    RUN(leave_early, WHOLE, leave_early<<<1, THREADS>>>(in, out));
    RUN(arms_of_many, FLOATS, arms_of_many<<<1, THREADS>>>((const float *)d_in, (float *)d_out));
    RUN(find_pair, WHOLE, find_pair<<<1, THREADS>>>(in, out));
}
