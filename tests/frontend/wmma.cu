/* nvcuda::wmma: every shape and type, all elements of a fragment, clamped sums. The expected text
 * is what nvcc's header gives. */
#include <mma.h>
#include <cstdio>
#include <cstring>
using namespace nvcuda;
using namespace nvcuda::wmma;
template <typename A, typename S, typename D, int m, int n, int k, typename T, typename LA,
          typename LB>
__global__ void k1(const A *a, const A *b, const S *c, D *d, unsigned *xs)
{
    wmma::fragment<wmma::matrix_a, m, n, k, T, LA> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LB> fb;
    wmma::fragment<wmma::accumulator, m, n, k, S> fc;
    wmma::fragment<wmma::accumulator, m, n, k, D> fd;
    wmma::load_matrix_sync(fa, a, 48);
    wmma::load_matrix_sync(fb, b, 48);
    wmma::load_matrix_sync(fc, c, 48, wmma::mem_row_major);
    wmma::mma_sync(fd, fa, fb, fc);
    for (int i = 0; i < fd.num_elements; i++) {
        fd.x[i] = fd.x[i] + fd.x[i];
    }
    wmma::store_matrix_sync(d, fd, 48, wmma::mem_col_major);
    unsigned h = 0;
    for (int i = 0; i < fa.num_elements; i++) {
        unsigned v = 0;
        memcpy(&v, &fa.x[i], sizeof(fa.x[i]) < 4 ? sizeof(fa.x[i]) : 4);
        h = h * 31 + v;
    }
    xs[threadIdx.x] = h;
}
static unsigned char *m0;
template <typename A, typename S, typename D, int m, int n, int k, typename T, typename LA,
          typename LB>
void run(const char *name)
{
    unsigned *x = (unsigned *)(m0 + 4 * 48 * 48 * 8);
    memset(m0 + 3 * 48 * 48 * 8, 0, 48 * 48 * 8);
    A *a = (A *)m0, *b = (A *)(m0 + 48 * 48 * 8);
    S *c = (S *)(m0 + 2 * 48 * 48 * 8);
    for (int i = 0; i < 48 * 48; i++) {
        a[i] = A((i * 7) % 23 - 11);
        b[i] = A((i * 5) % 19 - 9);
        c[i] = S(float((i % 13) - 6));
    }
    k1<A, S, D, m, n, k, T, LA, LB><<<1, 32>>>(a, b, c, (D *)(m0 + 3 * 48 * 48 * 8), x);
    cudaError_t e = cudaDeviceSynchronize();
    unsigned h = 0;
    for (int i = 0; i < 48 * 48 * 8; i++)
        h = h * 31 + m0[3 * 48 * 48 * 8 + i];
    unsigned g = 0;
    for (int i = 0; i < 32; i++)
        g = g * 31 + x[i];
    printf("%s %d %08x %08x\n", name, (int)e, h, g);
}
typedef wmma::row_major R;
typedef wmma::col_major C;
__global__ void k4(const unsigned *a, const unsigned *b, int *d)
{
    fragment<matrix_a, 8, 8, 32, experimental::precision::s4, row_major> fa;
    fragment<matrix_b, 8, 8, 32, experimental::precision::s4, col_major> fb;
    fragment<accumulator, 8, 8, 32, int> fc;
    fill_fragment(fc, 3);
    load_matrix_sync(fa, a, 32);
    load_matrix_sync(fb, b, 32);
    mma_sync(fc, fa, fb, fc, true);
    store_matrix_sync(d, fc, 8, mem_row_major);
    fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> ga;
    fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> gb;
    fragment<accumulator, 8, 8, 128, int> gc;
    fill_fragment(gc, 1);
    load_matrix_sync(ga, a, 128);
    load_matrix_sync(gb, b, 128);
    bmma_sync(gc, ga, gb, gc);
    bmma_sync(gc, ga, gb, gc, experimental::bmmaBitOpAND);
    store_matrix_sync(d + 64, gc, 8, mem_row_major);
    fragment<matrix_a, 16, 16, 16, signed char, row_major> ha;
    fragment<matrix_b, 16, 16, 16, signed char, col_major> hb;
    fragment<accumulator, 16, 16, 16, int> hc;
    fill_fragment(hc, 0x7fffff00);
    fill_fragment(ha, (signed char)100);
    fill_fragment(hb, (signed char)50);
    mma_sync(hc, ha, hb, hc, true);
    store_matrix_sync(d + 128, hc, 16, mem_row_major);
    d[400] = fa.num_elements + ga.num_elements * 100 + hc.num_storage_elements * 10000;
}
static void packed(void)
{
    unsigned *a, *b;
    int *d;
    cudaMallocManaged(&a, 1024);
    cudaMallocManaged(&b, 1024);
    cudaMallocManaged(&d, 2048);
    for (int i = 0; i < 256; i++) {
        a[i] = i * 2654435761u;
        b[i] = i * 40503u * 77777u;
    }
    k4<<<1, 32>>>(a, b, d);
    int e = cudaDeviceSynchronize();
    unsigned h = 0;
    for (int i = 0; i < 384; i++)
        h = h * 31 + d[i];
    printf("%d %08x %d %d %d %d\n", e, h, d[5], d[70], d[130], d[400]);
}
int main()
{
    cudaMallocManaged(&m0, 6 * 48 * 48 * 8);
#define H(M, N)                                                                                    \
    run<half, float, float, M, N, 16, half, R, C>("hff");                                          \
    run<half, half, half, M, N, 16, half, C, R>("hhh");                                            \
    run<half, half, float, M, N, 16, half, R, R>("hhf");                                           \
    run<half, float, half, M, N, 16, half, C, C>("hfh");                                           \
    run<__nv_bfloat16, float, float, M, N, 16, __nv_bfloat16, R, C>("bff");                        \
    run<signed char, int, int, M, N, 16, signed char, R, C>("s8");                                 \
    run<unsigned char, int, int, M, N, 16, unsigned char, C, R>("u8");
    H(16, 16)
    H(32, 8) H(8, 32) run<float, float, float, 16, 16, 8, wmma::precision::tf32, R, C>("tf32");
    run<double, double, double, 8, 8, 4, double, C, R>("f64");
    packed();
    return 0;
}
