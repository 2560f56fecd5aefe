/* hints.cu - instructions of sm_90 that change no result, and those whose results are simple: cache
 * policies and priorities, elect.sync, setmaxnreg, griddepcontrol, vector atomics. */
/* flags: -arch=sm_90a */
#include "check.h"

typedef unsigned long long u64;

/* --- hints ------------------------------------------------------------------------------------ */

__device__ static u64 policies(const int *a)
{
    u64 p, q, r;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(p));
    asm volatile("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0;" : "=l"(q));
    asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %0, [%1], 4096, 65536;"
                 : "=l"(r)
                 : "l"(a));
    asm volatile("createpolicy.cvt.L2.b64 %0, %1;" : "=l"(r) : "l"(p));
    return p != q ? p : r;
}

__global__ void __launch_bounds__(128, 1) hinted(const int *from, int *to, unsigned rest)
{
    __shared__ __align__(16) int tile[512];
    const unsigned t = threadIdx.x;
    const unsigned shared = (unsigned)__cvta_generic_to_shared(tile + 4 * t);
    u64 policy = policies(from);
    int a, b, c, d;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(from));
    asm volatile("prefetch.global.L1 [%0];" ::"l"(from));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(from));
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.L2::256B.v4.s32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(from + 4 * t), "l"(policy));
    asm volatile("st.global.L1::evict_last.L2::cache_hint.v2.s32 [%0], {%1, %2}, %3;" ::"l"(to + 4 * t),
                 "r"(d), "r"(c), "l"(policy)
                 : "memory");
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2, %3;" ::"r"(shared),
                 "l"(from + 4 * t), "r"(rest), "l"(policy)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    asm volatile("red.global.add.L2::cache_hint.s32 [%0], %1, %2;" ::"l"(to + 4 * t + 2), "r"(b), "l"(policy)
                 : "memory");
    asm volatile("{ .reg .s32 old; atom.global.add.L2::cache_hint.s32 old, [%0], %1, %2; st.global.s32 [%0], old; }" ::"l"(
                     to + 4 * t + 3),
                 "r"(a + tile[4 * t + 1] + tile[4 * t + 2]), "l"(policy)
                 : "memory");
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(to + 1024) : "memory");
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    asm volatile("griddepcontrol.launch_dependents;");
}

static void test_hints(void)
{
    int *from, *to;
    CHECK(cudaMallocManaged(&from, 1024 * sizeof *from) == cudaSuccess);
    CHECK(cudaMallocManaged(&to, 2048 * sizeof *to) == cudaSuccess);
    for (int i = 0; i < 512; i++) {
        from[i] = 7 * i;
        to[i] = i;
    }
    hinted<<<1, 128>>>(from, to, 8);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int t = 0; t < 128; t++) {
        CHECK(to[4 * t] == 7 * (4 * t + 3) && to[4 * t + 1] == 7 * (4 * t + 2));
        CHECK(to[4 * t + 2] == 4 * t + 2 + 7 * (4 * t + 1));
        CHECK(to[4 * t + 3] == 4 * t + 3);
    }
}

/* The bits of policies, as an H200 makes them. */
__global__ void policy_bits(u64 *out, float fraction, const char *begin, unsigned bytes, unsigned all)
{
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, %1;" : "=l"(out[0]) : "f"(fraction));
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, %1;" : "=l"(out[1]) : "f"(fraction));
    asm volatile("createpolicy.fractional.L2::evict_normal.L2::evict_first.b64 %0, %1;"
                 : "=l"(out[2])
                 : "f"(fraction));
    asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], %2, %3;"
                 : "=l"(out[3])
                 : "l"(begin), "r"(bytes), "r"(all));
    asm volatile("createpolicy.range.global.L2::evict_normal.L2::evict_unchanged.b64 %0, [%1], %2, %3;"
                 : "=l"(out[4])
                 : "l"(begin), "r"(bytes), "r"(all));
}

static void test_policy_bits(void)
{
    static const struct {
        float fraction;
        unsigned bytes, all;
        u64 want[5];
    } cases[] = {
        {1.0f, 4096, 65536, {0x14f0, 0x12f0, 0x17f0, 0x1d02302000000000, 0x1e02302000000000}},
        {0.7f, 1 << 20, 1 << 24, {0x14b0, 0x12b0, 0x17b0, 0x1d50912000000000, 0x1e50912000000000}},
        {0.3f, 70000, 200000, {0x1440, 0x1240, 0x1740, 0x1d02324000000000, 0x1e02324000000000}},
        {0.03f, 0, 4096, {0x1400, 0x1200, 0x1700, 0x1d02300000000000, 0x1e02300000000000}},
    };
    u64 *out = make_array<u64>(5);
    for (const auto &c : cases) {
        policy_bits<<<1, 1>>>(out, c.fraction, (const char *)0x7f0000123000, c.bytes, c.all);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        for (int i = 0; i < 5; i++) {
            CHECK_INT(out[i], i < 3 ? c.want[i] << 48 : c.want[i]);
        }
    }
}

/* --- elect ------------------------------------------------------------------------------------- */

__global__ void elected(unsigned *leaders, unsigned *alone)
{
    unsigned leader = 99, is_leader = 0;
    const unsigned half = threadIdx.x / 16;
    if (threadIdx.x % 16 >= 3) {
        const unsigned mask = 0xfff8u << 16 * half;
        asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }"
                     : "=r"(leader), "=r"(is_leader)
                     : "r"(mask));
    }
    leaders[threadIdx.x] = leader;
    alone[threadIdx.x] = is_leader;
}

static void test_elect(void)
{
    unsigned *leaders, *alone;
    CHECK(cudaMallocManaged(&leaders, 32 * sizeof *leaders) == cudaSuccess);
    CHECK(cudaMallocManaged(&alone, 32 * sizeof *alone) == cudaSuccess);
    elected<<<1, 32>>>(leaders, alone);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (unsigned i = 0; i < 32; i++) {
        const bool takes_part = i % 16 >= 3;
        CHECK(takes_part ? leaders[i] / 16 == i / 16 && leaders[i] % 16 >= 3 : leaders[i] == 99);
        CHECK(alone[i] == (takes_part && leaders[i] == i ? 1u : 0u));
    }
}

/* --- atomics of vectors and of packed halves --------------------------------------------------- */

__global__ void vectors(float *sums, float *olds, unsigned *halves)
{
    const float one = 1.0f + threadIdx.x % 2;
    asm volatile("red.global.v4.f32.add [%0], {%1, %2, %1, %2};" ::"l"(sums), "f"(one), "f"(2 * one)
                 : "memory");
    float x, y;
    asm volatile("atom.global.v2.f32.add {%0, %1}, [%2], {%3, %3};"
                 : "=f"(x), "=f"(y)
                 : "l"(sums + 4), "f"(0.5f)
                 : "memory");
    olds[threadIdx.x] = x + y;
    const unsigned pair = 0x3c004000; /* 1, 2 */
    asm volatile("red.global.v4.f16x2.add.noftz [%0], {%1, %1, %1, %1};" ::"l"(halves), "r"(pair)
                 : "memory");
    const unsigned small = 0xbc003c00u + (threadIdx.x << 4); /* -1, and from 1 upwards */
    asm volatile("red.global.v2.f16x2.max.noftz [%0], {%1, %1};" ::"l"(halves + 4), "r"(small)
                 : "memory");
    asm volatile("red.global.v2.bf16x2.min.noftz [%0], {%1, %1};" ::"l"(halves + 6), "r"(small)
                 : "memory");
    const unsigned short h = 0x3c00;
    asm volatile("{ .reg .b16 a, b, c, d; atom.global.v4.f16.add.noftz {a, b, c, d}, [%0], {%1, %1, %1, %1}; }" ::"l"(
                     halves + 8),
                 "h"(h)
                 : "memory");
}

static void test_vectors(void)
{
    float *sums, *olds;
    unsigned *halves;
    CHECK(cudaMallocManaged(&sums, 8 * sizeof *sums) == cudaSuccess);
    CHECK(cudaMallocManaged(&olds, 64 * sizeof *olds) == cudaSuccess);
    CHECK(cudaMallocManaged(&halves, 16 * sizeof *halves) == cudaSuccess);
    for (int i = 0; i < 8; i++) {
        sums[i] = 0;
    }
    for (int i = 0; i < 16; i++) {
        halves[i] = i >= 6 && i < 8 ? 0x7f7f7f7f : 0;
    }
    vectors<<<1, 64>>>(sums, olds, halves);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(sums[0] == 96 && sums[1] == 192 && sums[2] == 96 && sums[3] == 192);
    CHECK(sums[4] == 32 && sums[5] == 32);
    float all = 0;
    for (int i = 0; i < 64; i++) {
        all += olds[i];
    }
    CHECK(all == 63 * 32); /* 0 + 1 + ... + 63, in any order */
    for (int i = 0; i < 4; i++) {
        CHECK(halves[i] == 0x54005800); /* 64, 128 */
    }
    CHECK(halves[4] == 0x00003ff0 && halves[5] == 0x00003ff0);
    CHECK(halves[6] == 0xbc003c00 && halves[7] == 0xbc003c00);
    CHECK(halves[8] == 0x54005400 && halves[9] == 0x54005400);
}

int main()
{
    test_hints();
    test_policy_bits();
    test_elect();
    test_vectors();
    return check_done();
}
