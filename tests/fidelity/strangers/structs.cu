/* structs.cu - arrays of structs, read and written field by field, and structs as values. */
#include "strangers.h"

/* --- structs ------------------------------------------------------------------------------------------------------ */
struct particle {
    float3 position, velocity;
    int alive;
};

__global__ void move_particles(particle *p, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !(p[i].alive & 1))
        return;
    p[i].position.x += p[i].velocity.x * dt;
    p[i].position.y += p[i].velocity.y * dt;
    p[i].position.z += p[i].velocity.z * dt;
    if (p[i].position.y < 0.0f) {
        p[i].velocity.y = -p[i].velocity.y;
        p[i].position.y = 0.0f;
    }
}

struct record {
    char tag;
    short length;
    int value;
};

__global__ void make_records(const int *in, record *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i].tag = in[i] & 0x7f;
        out[i].length = in[i] >> 8;
        out[i].value = in[i] * 3;
    }
}

struct rgb {
    unsigned char r, g, b;
};

__global__ void brighten(const rgb *in, rgb *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        rgb p = in[i];
        p.r = p.r > 225 ? 255 : p.r + 30;
        p.g = p.g > 225 ? 255 : p.g + 30;
        p.b = p.b > 225 ? 255 : p.b + 30;
        out[i] = p;
    }
}

struct pair {
    int key, value;
};

__global__ void sort_pairs(const pair *in, pair *out)
{
    __shared__ pair s[THREADS];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int size = 2; size <= THREADS; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            int other = t ^ step;
            if (other > t) {
                bool up = (t & size) == 0;
                if ((s[t].key > s[other].key) == up) {
                    pair swap = s[t];
                    s[t] = s[other];
                    s[other] = swap;
                }
            }
            __syncthreads();
        }
    }
    out[blockIdx.x * THREADS + t] = s[t];
}

struct matrix {
    const float *data;
    int rows, columns;
    __device__ float operator()(int r, int c) const
    {
        return r < 0 || r >= rows || c < 0 || c >= columns ? 0.0f : data[r * columns + c];
    }
};

__global__ void blur(matrix m, float *out)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= m.rows || c >= m.columns)
        return;
    float sum = 0;
    for (int dr = -1; dr <= 1; dr++) {
        for (int dc = -1; dc <= 1; dc++)
            sum += m(r + dr, c + dc);
    }
    out[r * m.columns + c] = sum / 9;
}

struct node {
    int next;
    float weight;
};

__global__ void walk_list(const node *nodes, const int *start, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    float sum = 0;
    for (int at = start[i] & 1023; at > 40 && steps < 20; at = nodes[at].next & 1023) {
        sum += nodes[at].weight;
        steps++;
    }
    out[i] = sum;
}

struct flags {
    unsigned kind : 4, size : 12, used : 1;
};

__global__ void set_flags(const unsigned *in, flags *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    flags f = out[i];
    f.kind = in[i];
    f.used = in[i] > 1000;
    if (f.used)
        f.size += 5;
    out[i] = f;
}

struct complex_number {
    float re, im;
};

__device__ complex_number operator*(complex_number a, complex_number b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

__device__ complex_number operator+(complex_number a, complex_number b) { return {a.re + b.re, a.im + b.im}; }

__global__ void mandelbrot(unsigned char *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    complex_number c = {x * 3.0f / width - 2.0f, y * 2.0f / gridDim.y - 1.0f}, z = {0, 0};
    int n = 0;
    while (n < 50) {
        z = z * z + c;
        if (z.re * z.re + z.im * z.im > 4.0f)
            break;
        n++;
    }
    out[y * width + x] = n;
}

void run_structs(void)
{
    const int *in = (const int *)d_in;
    RUN(move_particles, FLOATS, move_particles<<<2, 128>>>((particle *)d_in, 0.5f, 250));
    RUN(make_records, WHOLE, make_records<<<2, 128>>>(in, (record *)d_out, 250));
    RUN(brighten, WHOLE, brighten<<<2, 128>>>((const rgb *)d_in, (rgb *)d_out, 250));
    RUN(sort_pairs, WHOLE, sort_pairs<<<2, THREADS>>>((const pair *)d_in, (pair *)d_out));
    const matrix m = {(const float *)d_in, 30, 60};
    RUN(blur, FLOATS, blur<<<dim3(2, 4), dim3(32, 8)>>>(m, (float *)d_out));
    RUN(walk_list, WHOLE, walk_list<<<2, 128>>>((const node *)d_in, in + 8192, (float *)d_out));
    RUN(set_flags, WHOLE, set_flags<<<2, 128>>>(d_in, (flags *)d_out));
    RUN(mandelbrot, WHOLE, mandelbrot<<<dim3(1, 8), 128>>>((unsigned char *)d_out, 128));
}
