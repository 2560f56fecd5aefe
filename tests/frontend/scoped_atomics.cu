/* cuda::atomic and cuda::atomic_ref: types of 1 to 8 bytes, orders, scopes, on device and host. */
#include <cuda/atomic>
#include <cuda/std/atomic>
#include <cstdio>
struct pair2 {
    float v;
    int i;
};
__global__ void k(char *c, float *f, pair2 *p, unsigned *h, int *flag, int *data, double *dd)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<char, cuda::thread_scope_device> rc(c[i % 8]);
    rc.fetch_add(1, cuda::memory_order_relaxed);
    cuda::atomic_ref<float, cuda::thread_scope_device> rf(*f);
    rf.fetch_add(0.5f);
    cuda::atomic_ref<float, cuda::thread_scope_device> rm(f[1]);
    rm.fetch_max((float)i);
    cuda::atomic_ref<pair2, cuda::thread_scope_device> rp(*p);
    pair2 e = rp.load(), n;
    do {
        n = e;
        n.i++;
        n.v += 1;
    } while (!rp.compare_exchange_strong(e, n, cuda::memory_order_acq_rel));
    cuda::atomic_ref<unsigned> rh(h[i % 4]);
    ++rh;
    rh |= 0x100u;
    rh.fetch_xor(0x200);
    cuda::atomic_ref<double, cuda::thread_scope_block> rd(*dd);
    if (blockIdx.x == 0)
        rd += 0.25;
    cuda::std::atomic_ref<short> rs(((short *)c)[6]);
    rs.fetch_sub(3);
    if (i == 0) {
        *data = 42;
        cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).store(1,
                                                                      cuda::memory_order_release);
    }
    if (i == 255) {
        cuda::atomic_ref<int, cuda::thread_scope_device> r(*flag);
        while (r.load(cuda::std::memory_order_acquire) == 0)
            ;
        data[1] = *data;
        cuda::atomic_ref<int, cuda::thread_scope_device>(flag[1]).wait(1);
    }
}
int main()
{
    char *m;
    cudaMallocManaged(&m, 256);
    cudaMemset(m, 0, 256);
    k<<<4, 64>>>(m, (float *)(m + 16), (pair2 *)(m + 32), (unsigned *)(m + 48), (int *)(m + 64),
                 (int *)(m + 80), (double *)(m + 96));
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    unsigned *w = (unsigned *)m;
    for (int i = 0; i < 28; i++)
        printf("%x ", w[i]);
    puts("");
    cuda::atomic<int> a{5};
    a.fetch_add(2);
    a -= 1;
    int e = 6;
    bool ok = a.compare_exchange_strong(e, 9);
    cuda::atomic<float> g(1.5f);
    g.fetch_add(1.f);
    g.fetch_min(2.f);
    cuda::std::atomic<long long> q{1};
    q++;
    cuda::std::atomic_flag fl{};
    bool t0 = fl.test_and_set();
    printf("%d %d %g %lld %d %d\n", a.load(), ok, g.load(), q.load(), t0, fl.test());
}
