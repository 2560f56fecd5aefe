// rows.cl - the kernels of rows.cu and of bench.cu as OpenCL C, for PoCL: native code that counts nothing.
// opencl.c launches them. The sizes are those of rows.h, which opencl.c puts before this text.

kernel void spmv(global const float *a, global const float *b, global float *c,
                 global const int *columns, global const int *starts)
{
    int row = get_global_id(0);
    float sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; k++) {
        sum += a[k] * b[columns[k]];
    }
    c[row] = sum;
}

kernel void histogram(global const uchar *bytes, global uint *counts)
{
    local uint mine[HISTOGRAM_BINS];
    mine[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < HISTOGRAM_VALUES; i += get_global_size(0)) {
        atomic_inc(&mine[bytes[i]]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counts[get_local_id(0)], mine[get_local_id(0)]);
}

kernel void median(global const float *a, global float *c)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= IMAGE_SIDE - 1 || y >= IMAGE_SIDE - 1) {
        return;
    }
    float v[9];
    for (int k = 0; k < 9; k++) {
        v[k] = a[(y + k / 3 - 1) * IMAGE_SIDE + x + k % 3 - 1];
    }
    for (int i = 1; i < 9; i++) {
        float value = v[i];
        int j = i;
        for (; j > 0 && v[j - 1] > value; j--) {
            v[j] = v[j - 1];
        }
        v[j] = value;
    }
    c[y * IMAGE_SIDE + x] = v[4];
}

kernel void search_level(global int *levels, global const int *edges, global int *changed, int level)
{
    int node = get_global_id(0);
    if (levels[node] == level) {
        for (int k = 0; k < GRAPH_DEGREE; k++) {
            int next = edges[node * GRAPH_DEGREE + k];
            if (levels[next] < 0) {
                levels[next] = level + 1;
                *changed = 1;
            }
        }
    }
}

kernel void bodies(global const float4 *all, global float *c)
{
    local float4 tile[128];
    int i = get_global_id(0);
    float4 p = all[i];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < BODIES; first += 128) {
        tile[get_local_id(0)] = all[first + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 128; j++) {
            float4 q = tile[j];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float r = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
            float pull = q.w * r * r * r;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[4 * i] = ax;
    c[4 * i + 1] = ay;
    c[4 * i + 2] = az;
}

float normal_below(float x) { return 0.5f * erfc(-x * 0.70710678f); }

kernel void options(global const float *a, global const float *b, global float *c)
{
    int i = get_global_id(0);
    float price = 5 + a[i], strike = 1 + b[i], years = 1 + 0.1f * a[i];
    float root = sqrt(years);
    float d1 = (log(price / strike) + 0.065f * years) / (0.3f * root);
    float d2 = d1 - 0.3f * root;
    c[i] = price * normal_below(d1) - strike * exp(-0.02f * years) * normal_below(d2);
}

uint next_number(uint x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

kernel void random_numbers(global float *c)
{
    uint i = get_global_id(0), x = 1 + i;
    int inside = 0;
    for (int k = 0; k < NUMBERS_OF_EACH; k++) {
        x = next_number(x);
        float u = (float)(x >> 8) * 0x1p-24f;
        x = next_number(x);
        float v = (float)(x >> 8) * 0x1p-24f;
        inside += u * u + v * v < 1;
    }
    c[i] = (float)inside;
}

kernel void sort_step(global float *c, int length, int distance)
{
    int i = get_global_id(0), other = i ^ distance;
    if (other > i) {
        float low = c[i], high = c[other];
        if ((low > high) == ((i & length) == 0)) {
            c[i] = high;
            c[other] = low;
        }
    }
}

kernel void scale(global const float *in, global float *out, float summand)
{
    int i = get_global_id(0);
    out[i] = in[i] * 2 + summand;
}

kernel void gray(global const uchar4 *bytes, global half *halves)
{
    int i = get_global_id(0);
    uchar4 p = bytes[i];
    int sum = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
    vstore_half(fma((float)sum, 0.5f, 1.0f), i, halves);
}

kernel void matmul_naive(global const float *a, global const float *b, global float *c, int n)
{
    int row = get_global_id(1), col = get_global_id(0);
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + col];
        }
        c[row * n + col] = sum;
    }
}

#define TILE 16
kernel void matmul_tiled(global const float *a, global const float *b, global float *c, int n)
{
    local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1), row = get_global_id(1), col = get_global_id(0);
    float sum = 0;
    for (int phase = 0; phase < n / TILE; phase++) {
        tile_a[y][x] = a[row * n + phase * TILE + x];
        tile_b[y][x] = b[(phase * TILE + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

kernel void reduce_block(global const float *in, global float *out, local float *partial, int n)
{
    int t = get_local_id(0), i = get_global_id(0);
    partial[t] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = get_local_size(0) / 2; distance > 0; distance /= 2) {
        if (t < distance) {
            partial[t] += partial[t + distance];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) {
        out[get_group_id(0)] = partial[0];
    }
}
