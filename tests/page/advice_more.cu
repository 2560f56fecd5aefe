/* advice_more.cu - as advice.cu: kernels with one known defect each, and kernels without, written
 * without looking at the rules of the advice. */
#include <stdio.h>

enum { N = 4096, WIDTH = 128, ODD_WIDTH = 250 };
struct cell { float value[8]; };
struct point { float x, y, z; };
struct entry { int key, value; };
#define INDEX (int)(blockIdx.x * blockDim.x + threadIdx.x)
__constant__ float weights[16];

// says cells: 32 bytes apart
__global__ void eighth_of_cell(const cell *cells, float *out)
{
    out[INDEX] = cells[INDEX % 512].value[3];
}
// says points: 12 bytes apart
__global__ void height_of_point(const point *points, float *out)
{
    out[INDEX] = points[INDEX % 1024].z;
}
// says entries: 8 bytes apart
__global__ void value_of_entry(const int *keys, entry *entries)
{
    entries[INDEX].value = keys[INDEX];
}
// says image: a column
__global__ void swapped_indices(const float *image, float *out)
{
    int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 8 + threadIdx.y;
    out[column * WIDTH + row] = image[row * WIDTH + column];
}
// says volume: bytes apart
__global__ void swapped_in_a_volume(const float *volume, float *out)
{
    out[(blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x] = volume[(threadIdx.x * 8 + threadIdx.y) * 16 + blockIdx.x];
}
// says matrix: a column
__global__ void column_of_doubles(const double *matrix, double *sums)
{
    double sum = 0;
    for (int k = 0; k < 64; k++)
        sum += matrix[threadIdx.x * 64 + k];
    sums[threadIdx.x] = sum;
}
// says out: a column
__global__ void transpose_plain(const float *in, float *out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * WIDTH + y] = in[y * WIDTH + x];
}
// says in: multiple of 32 bytes
__global__ void rows_of_250(const float *in, float *out)
{
    if (threadIdx.x < ODD_WIDTH)
        out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x * ODD_WIDTH + threadIdx.x];
}
// says in: side by side
__global__ void left_neighbour(const float *in, float *out)
{
    int i = INDEX;
    out[i] = i > 0 ? in[i - 1] : 0.0f;
}
// says from: side by side
__global__ void pointer_off_by_one(const float *from, float *to)
{
    to[INDEX] = 2 * from[INDEX];
}
// says in: chunk for each thread
__global__ void four_in_a_row(const float *in, float *out)
{
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum = sum * 0.5f + in[INDEX % 1000 * 5 + k];
    out[INDEX] = sum;
}
// says values: scattered
__global__ void gather(const int *index, const float *values, float *out)
{
    out[INDEX] = values[index[INDEX] + INDEX * 2654435761u % 4091];
}
// says in: wider in x
__global__ void two_wide(const float *in, float *out)
{
    int x = blockIdx.x * 2 + threadIdx.x, y = threadIdx.y;
    out[(blockIdx.x * 16 + threadIdx.y) * 2 + threadIdx.x] = in[y * WIDTH + x];
}
// says stage: pad each row
__global__ void column_store_to_tile(const float *in, float *out)
{
    __shared__ float stage[32][32];
    for (int j = threadIdx.y; j < 32; j += 8)
        stage[threadIdx.x][j] = in[j * 32 + threadIdx.x];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8)
        out[j * 32 + threadIdx.x] = stage[j][threadIdx.x];
}
// says block: column
__global__ void column_of_shared_doubles(const double *in, double *out)
{
    __shared__ double block[32][32];
    for (int j = threadIdx.y; j < 32; j += 8)
        block[j][threadIdx.x] = in[j * 32 + threadIdx.x];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8)
        out[j * 32 + threadIdx.x] = block[threadIdx.x][j];
}
// says staged: share banks
__global__ void structs_in_shared_memory(const float *in, float *out)
{
    __shared__ entry staged[256];
    entry own = {(int)in[INDEX], (int)threadIdx.x};
    *(long long *)&staged[threadIdx.x] = *(long long *)&own;
    __syncthreads();
    out[INDEX] = (float)staged[255 - threadIdx.x].key;
}
// says kept: share banks
__global__ void sixteen_apart(const float *in, float *out)
{
    __shared__ float kept[512];
    for (int i = threadIdx.x; i < 512; i += 32)
        kept[i] = in[i];
    __syncwarp();
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += kept[threadIdx.x * 16 + k] * k;
    out[threadIdx.x] = sum;
}
// says square: pad
__global__ void column_of_64(const float *in, float *out)
{
    extern __shared__ float square[];
    for (int i = threadIdx.x; i < 64 * 64; i += 64)
        square[i] = in[i];
    __syncthreads();
    float least = 1e30f;
    for (int k = 0; k < 64; k++)
        least = fminf(least, square[threadIdx.x * 64 + k]);
    out[threadIdx.x] = least;
}
// says sum: update one word
__global__ void all_to_one_float(const float *in, float *sum)
{
    atomicAdd(sum, in[INDEX] * in[INDEX] + threadIdx.x);
}
// says sums: update one word
__global__ void odd_and_even(const float *in, float *sums)
{
    atomicAdd(&sums[threadIdx.x % 2], in[INDEX] + threadIdx.x);
}
// says bins: update one word
__global__ void one_bin_of_many(const unsigned char *in, unsigned *bins)
{
    const uchar4 four = ((const uchar4 *)in)[INDEX];
    atomicAdd(&bins[four.x + four.y + four.z + four.w], 1 + (threadIdx.x & 1));
}
// says counts: update one word
__global__ void shared_bins_of_one_value(const int *in, int *out)
{
    __shared__ int counts[64];
    if (threadIdx.x < 64)
        counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counts[in[INDEX] & 63], (int)threadIdx.x);
    __syncthreads();
    if (threadIdx.x < 64)
        out[blockIdx.x * 64 + threadIdx.x] = counts[threadIdx.x];
}
// says best: update one word
__global__ void compare_and_swap(const int *in, int *best)
{
    atomicCAS(best, in[INDEX], (int)threadIdx.x);
}
// says in|out: threadIdx.x % 4
__global__ void every_fourth(const float *in, float *out)
{
    if ((threadIdx.x & 3) == 0)
        out[INDEX / 4] = 1 / (1 + in[INDEX / 4]);
}
// says part: threadIdx.x %
__global__ void interleaved_tree(const float *in, float *out)
{
    __shared__ float part[256];
    part[threadIdx.x] = in[INDEX];
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * step) == 0)
            part[threadIdx.x] += part[threadIdx.x + step];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}
// says bytes: four neighbours
__global__ void byte_by_byte(const unsigned char *bytes, float *out)
{
    out[INDEX] = bytes[INDEX] * (1 / 255.0f);
}
// says text: four neighbours
__global__ void bytes_written(const float *in, unsigned char *text)
{
    text[INDEX] = (unsigned char)(in[INDEX] * 255);
}
// says *: local memory
__global__ void array_of_a_thread(const int *in, int *out)
{
    int seen[24];
    for (int k = 0; k < 24; k++)
        seen[k] = k * 7;
    for (int k = 0; k < 24; k++)
        seen[(in[INDEX] + k * 5) % 24] += k;
    out[INDEX] = seen[in[INDEX] % 24];
}
// says table: constant memory
__global__ void coefficients_in_global_memory(const float *in, const float *table, float *out)
{
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum = sum * in[INDEX] + table[k];
    out[INDEX] = sum;
}
// says items: different lengths
__global__ void lists_of_unequal_length(const int *items, int *out)
{
    int sum = 0;
    for (int k = 0; k < (int)(threadIdx.x * 37 % 61); k++)
        sum += items[k * WIDTH + threadIdx.x] + k;
    out[INDEX] = sum;
}
// says loop: different numbers of rounds
__global__ void rounds_by_thread(float *out)
{
    float x = 1.0f;
    for (int k = 0; k < (int)(threadIdx.x % 32); k++)
        x = x * 0.75f + __fsqrt_rn(x);
    out[INDEX] = x;
}
// says loop: different numbers of rounds
__global__ void orbits(float *out)
{
    float x = 0.0f, c = (INDEX % 61) * 0.02f - 0.5f;
    int k = 0;
    while (k < 100 && x < 2.0f) {
        x = x * x + c;
        k++;
    }
    out[INDEX] = (float)k;
}
// silent
__global__ void equal_rounds(float *out, int rounds)
{
    float x = INDEX;
    for (int k = 0; k < rounds; k++)
        x = x * 0.75f + __fsqrt_rn(x);
    out[INDEX] = x;
}
// silent
__global__ void ragged_end(const float *in, float *out, int n)
{
    float sum = 0.0f;
    for (int k = threadIdx.x; k < n; k += 32)
        sum += in[k];
    out[INDEX] = sum;
}
// silent
__global__ void rounds_by_warp(float *out)
{
    float x = 1.0f;
    for (int k = 0; k < (int)(threadIdx.x / 32 * 5); k++)
        x = x * 0.75f + __fsqrt_rn(x);
    out[INDEX] = x;
}

// silent
__global__ void copy_of_pairs(const float2 *in, float2 *out)
{
    out[INDEX % 2048] = in[INDEX % 2048];
}
// silent
__global__ void copy_of_doubles(const double *in, double *out)
{
    out[INDEX] = in[INDEX];
}
// silent
__global__ void matrix_sum(const float *in, float *out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 120 && y < 30)
        out[y * WIDTH + x] += in[y * WIDTH + x];
}
// silent
__global__ void reversed(const float *in, float *out)
{
    out[INDEX] = in[N - 1 - INDEX];
}
// silent
__global__ void four_by_four(const float4 *in, float4 *out)
{
    float4 v = in[INDEX % 1024];
    out[INDEX % 1024] = make_float4(v.w, v.z, v.y, v.x);
}
// silent
__global__ void swizzled_tile(const float *in, float *out)
{
    __shared__ float tile[32][32];
    for (int j = threadIdx.y; j < 32; j += 8)
        tile[j][threadIdx.x ^ j] = in[j * 32 + threadIdx.x];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8)
        out[j * 32 + threadIdx.x] = tile[threadIdx.x][j ^ threadIdx.x];
}
// silent
__global__ void halo(const float *in, float *out)
{
    __shared__ float row[258];
    int i = INDEX, t = threadIdx.x + 1;
    row[t] = in[i];
    if (threadIdx.x == 0)
        row[0] = i > 0 ? in[i - 1] : 0;
    if (threadIdx.x == blockDim.x - 1)
        row[257] = i + 1 < N ? in[i + 1] : 0;
    __syncthreads();
    out[i] = row[t - 1] + row[t] + row[t + 1];
}
// silent
__global__ void private_bins(const int *in, int *out)
{
    __shared__ int counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = INDEX; i < N; i += (int)(gridDim.x * blockDim.x))
        atomicAdd(&counts[(in[i] + i * 7) & 255], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
// silent
__global__ void polynomial_of_constants(const float *in, float *out)
{
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum = sum * in[INDEX] + weights[k];
    out[INDEX] = sum;
}
// silent
__global__ void warp_a_row(const float *matrix, const float *x, float *y)
{
    int row = INDEX / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int k = lane; k < WIDTH; k += 32)
        sum += matrix[row * WIDTH + k] * x[k];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}
// silent
__global__ void naive_product(const float *a, const float *b, float *c)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < WIDTH; k++)
        sum += a[y * WIDTH + k] * b[k * WIDTH + x];
    c[y * WIDTH + x] = sum;
}
// silent
__global__ void pitched_rows(const float *in, float *out)
{
    if (threadIdx.x < ODD_WIDTH)
        out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
}
// silent
__global__ void row_maximum(const float *in, float *out)
{
    __shared__ float most[8];
    float m = -1e30f;
    for (int k = threadIdx.x; k < 512; k += 256)
        m = fmaxf(m, in[blockIdx.x * 512 + k]);
    for (int d = 16; d > 0; d /= 2)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    if (threadIdx.x % 32 == 0)
        most[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x < 8) {
        m = most[threadIdx.x];
        for (int d = 4; d > 0; d /= 2)
            m = fmaxf(m, __shfl_xor_sync(0xff, m, d));
        if (threadIdx.x == 0)
            out[blockIdx.x] = m;
    }
}
// silent
__global__ void fields_of_their_own(const float *x, const float *y, const float *z, float *out)
{
    out[INDEX] = x[INDEX] * x[INDEX] + y[INDEX] * y[INDEX] + z[INDEX] * z[INDEX];
}
// silent
__global__ void bytes_by_four(const uchar4 *in, uchar4 *out)
{
    uchar4 v = in[INDEX % 1024];
    out[INDEX % 1024] = make_uchar4(v.w, v.y, v.z, v.x);
}
// silent
__global__ void by_warp(const float *in, float *out)
{
    if (threadIdx.x / 32 % 2 == 0)
        out[INDEX] = in[INDEX] * 2;
    else
        out[INDEX] = in[INDEX] + 2;
}

int main()
{
    const dim3 strip(32, 8), tiles(4, 16);
    float *in, *out;
    cudaMalloc(&in, 4 * N * sizeof(double));
    cudaMalloc(&out, 4 * N * sizeof(double));
    cudaMemset(in, 0, 4 * N * sizeof(double));
    cudaMemset(out, 0, 4 * N * sizeof(double));
    int *whole = (int *)in, *whole_out = (int *)out;
    eighth_of_cell<<<16, 256>>>((cell *)in, out);
    height_of_point<<<16, 256>>>((point *)in, out);
    value_of_entry<<<16, 256>>>(whole, (entry *)out);
    swapped_indices<<<tiles, strip>>>(in, out);
    swapped_in_a_volume<<<16, strip>>>(in, out);
    column_of_doubles<<<1, 64>>>((double *)in, (double *)out);
    transpose_plain<<<tiles, strip>>>(in, out);
    rows_of_250<<<16, 256>>>(in, out);
    left_neighbour<<<16, 256>>>(in, out);
    pointer_off_by_one<<<16, 256>>>(in + 1, out);
    four_in_a_row<<<16, 256>>>(in, out);
    gather<<<16, 256>>>(whole, in + N, out);
    two_wide<<<64, dim3(2, 16)>>>(in, out);
    column_store_to_tile<<<1, strip>>>(in, out);
    column_of_shared_doubles<<<1, strip>>>((double *)in, (double *)out);
    structs_in_shared_memory<<<16, 256>>>(in, out);
    sixteen_apart<<<1, 32>>>(in, out);
    column_of_64<<<1, 64, 64 * 64 * sizeof(float)>>>(in, out);
    all_to_one_float<<<16, 256>>>(in, out);
    odd_and_even<<<16, 256>>>(in, out);
    one_bin_of_many<<<16, 256>>>((unsigned char *)in, (unsigned *)out);
    shared_bins_of_one_value<<<16, 256>>>(whole, whole_out);
    compare_and_swap<<<16, 256>>>(whole, whole_out);
    every_fourth<<<16, 256>>>(in, out);
    interleaved_tree<<<16, 256>>>(in, out);
    byte_by_byte<<<16, 256>>>((unsigned char *)in, out);
    bytes_written<<<16, 256>>>(in, (unsigned char *)out);
    array_of_a_thread<<<16, 256>>>(whole, whole_out);
    coefficients_in_global_memory<<<64, 256>>>(in, out + 3 * N, out);
    lists_of_unequal_length<<<16, 128>>>(whole, whole_out);
    rounds_by_thread<<<16, 256>>>(out);
    orbits<<<16, 256>>>(out);
    equal_rounds<<<16, 256>>>(out, 40);
    ragged_end<<<16, 32>>>(in, out, 104);
    rounds_by_warp<<<16, 256>>>(out);
    copy_of_pairs<<<16, 256>>>((float2 *)in, (float2 *)out);
    copy_of_doubles<<<16, 256>>>((double *)in, (double *)out);
    matrix_sum<<<dim3(4, 4), strip>>>(in, out);
    reversed<<<16, 256>>>(in, out);
    four_by_four<<<16, 256>>>((float4 *)in, (float4 *)out);
    swizzled_tile<<<1, strip>>>(in, out);
    halo<<<16, 256>>>(in, out);
    private_bins<<<4, 256>>>(whole, whole_out);
    polynomial_of_constants<<<64, 256>>>(in, out);
    warp_a_row<<<16, 128>>>(in, in, out);
    naive_product<<<tiles, strip>>>(in, in, out);
    pitched_rows<<<16, 256>>>(in, out);
    row_maximum<<<8, 256>>>(in, out);
    fields_of_their_own<<<16, 256>>>(in, in + N, in + 2 * N, out);
    bytes_by_four<<<16, 256>>>((uchar4 *)in, (uchar4 *)out);
    by_warp<<<16, 256>>>(in, out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
