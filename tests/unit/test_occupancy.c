/* test_occupancy.c - occupancy: the textbook's worked examples, refusals, and, where the CUDA
 * toolkit is installed, equality with NVIDIA's cuda_occupancy.h. */
#include <stdlib.h>
#include <string.h>

#include "common/gpu/occupancy.h"
#include "suite.h"

static struct occupancy compute(const char *gpu, unsigned threads, unsigned registers,
                                uint64_t shared)
{
    struct occupancy_request request = {threads, registers, 0, shared};
    struct occupancy o;
    ck_assert(occupancy_compute(gpu_limits_find(gpu), &request, &o) == (o.blocks_per_sm > 0));
    ck_assert((o.refusal[0] == '\0') == (o.blocks_per_sm > 0));
    return o;
}

/* 1536 threads, 8 blocks, 16,384 registers, 16 KB. */
static const struct {
    unsigned threads, registers, shared, blocks, resident;
    const char *limiters;
} textbook[] = {
    {512, 0, 0, 3, 1536, "threads"},
    {256, 0, 0, 6, 1536, "threads"},
    {128, 0, 0, 8, 1024, "block slots"},
    {192, 0, 0, 8, 1536, "threads + block slots"},
    {256, 10, 0, 6, 1536, "threads + registers"},
    {256, 11, 0, 5, 1280, "registers"},
    {256, 12, 0, 5, 1280, "registers"},
    {512, 10, 0, 3, 1536, "threads + registers"},
    {512, 11, 0, 2, 1024, "registers"},
    {64, 0, 2048, 8, 512, "block slots + shared memory"},
    {64, 0, 5120, 3, 192, "shared memory"},
    {256, 0, 2048, 6, 1536, "threads"},
    {100, 0, 0, 8, 800, "block slots"},
    {500, 0, 0, 3, 1500, "threads"},
};

START_TEST(textbook_examples)
{
    char text[64];
    struct occupancy o =
        compute("textbook", textbook[_i].threads, textbook[_i].registers, textbook[_i].shared);
    ck_assert_uint_eq(o.blocks_per_sm, textbook[_i].blocks);
    ck_assert_uint_eq(o.threads_per_sm, textbook[_i].resident);
    ck_assert_str_eq(occupancy_limiters(&o, text, sizeof text), textbook[_i].limiters);
}
END_TEST

START_TEST(textbook_arithmetic)
{
    ck_assert_uint_eq(compute("textbook", 256, 10, 0).registers_per_block, 2560);
    ck_assert_uint_eq(compute("textbook", 256, 12, 0).registers_per_block, 3072);
    ck_assert(compute("textbook", 256, 12, 0).occupancy == 1280.0 / 1536);
    ck_assert_uint_eq(compute("textbook", 256, 0, 0).blocks_by_registers, OCCUPANCY_NO_LIMIT);
    ck_assert_uint_eq(compute("textbook", 256, 0, 0).blocks_by_shared, OCCUPANCY_NO_LIMIT);
}
END_TEST

START_TEST(granularity_of_a_real_gpu)
{
    /* 33 registers take 5 units of 256 per warp, as 40 do; 1 byte of shared memory and the
     * system's 1024 take 9 units of 128. */
    struct occupancy o = compute("h200", 256, 33, 1);
    ck_assert_uint_eq(o.registers_per_block, 8 * 40 * 32);
    ck_assert_uint_eq(o.shared_bytes_per_block, 1152);
    ck_assert_uint_eq(o.blocks_per_sm, 6);
    ck_assert_uint_eq(compute("h200", 256, 32, 0).blocks_per_sm, 8);
    ck_assert(compute("h200", 256, 32, 0).occupancy == 1.0);
}
END_TEST

static const struct {
    const char *gpu;
    unsigned threads, registers;
    uint64_t shared;
    const char *words;
} refused[] = {
    {"h200", 0, 32, 0, "1 to 1024 threads, not 0"},
    {"h200", 1025, 32, 0, "1 to 1024 threads, not 1025"},
    {"h200", 4294967295u, 32, 0, "not 4294967295"},
    {"h200", 1024, 65, 0, "65536 registers"},
    {"h200", 32, 256, 0, "at most 255 registers"},
    {"h200", 32, 32, 232449, "232448 bytes of shared memory"},
    {"h200", 32, 32, UINT64_MAX, "232448 bytes of shared memory"},
    {"textbook", 512, 33, 0, "16384 registers"},
    {"fermi", 32, 64, 0, "at most 63 registers"},
};

START_TEST(refusals_say_why)
{
    struct occupancy o =
        compute(refused[_i].gpu, refused[_i].threads, refused[_i].registers, refused[_i].shared);
    ck_assert_uint_eq(o.blocks_per_sm, 0);
    ck_assert_msg(strstr(o.refusal, refused[_i].words) != NULL, "%s", o.refusal);
}
END_TEST

START_TEST(static_shared_memory_needs_no_opt_in)
{
    struct occupancy_request request = {32, 32, 48 * 1024, 0};
    struct occupancy o;
    ck_assert(occupancy_compute(gpu_limits_default(), &request, &o));
    request.static_shared_bytes++;
    ck_assert(!occupancy_compute(gpu_limits_default(), &request, &o));
    ck_assert(strstr(o.refusal, "49152 bytes of static") != NULL);
}
END_TEST

START_TEST(limiters_fit_any_buffer)
{
    struct occupancy o = {.limiters = 15};
    char text[64], small[6];
    ck_assert_str_eq(occupancy_limiters(&o, text, sizeof text),
                     "threads + block slots + registers + shared memory");
    ck_assert_str_eq(occupancy_limiters(&o, small, sizeof small), "threa");
}
END_TEST

#if __has_include(<cuda_occupancy.h>) /* the toolkit's; the Makefile names its directory */
#define HAVE_OCCUPANCY_HEADER
#include <cuda_occupancy.h>

static cudaOccDeviceProp nvidia_device(const struct gpu_limits *g)
{
    cudaOccDeviceProp p = {.computeMajor = g->major,
                           .computeMinor = g->minor,
                           .maxThreadsPerBlock = (int)g->max_threads_per_block,
                           .maxThreadsPerMultiprocessor = (int)g->max_threads_per_sm,
                           .regsPerBlock = (int)g->registers_per_block,
                           .regsPerMultiprocessor = (int)g->registers_per_sm,
                           .warpSize = (int)g->warp_size,
                           .sharedMemPerBlock = g->shared_bytes_per_block,
                           .sharedMemPerMultiprocessor = g->shared_bytes_per_sm,
                           .numSms = (int)g->sm_count,
                           .sharedMemPerBlockOptin = g->shared_bytes_per_block_opt_in,
                           .reservedSharedMemPerBlock = g->shared_bytes_reserved};
    return p;
}

static cudaOccResult nvidia_result(const struct gpu_limits *g, const struct occupancy_request *r)
{
    cudaOccDeviceProp device = nvidia_device(g);
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE,
                                .carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    cudaOccFuncAttributes kernel = {.maxThreadsPerBlock = 1024,
                                    .numRegs = (int)r->registers_per_thread,
                                    .sharedSizeBytes = r->static_shared_bytes,
                                    .partitionedGCConfig = PARTITIONED_GC_OFF,
                                    .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                    .maxDynamicSharedSizeBytes = r->dynamic_shared_bytes,
                                    .numBlockBarriers = 1};
    cudaOccResult result;
    ck_assert_int_eq(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state,
                                                             (int)r->threads_per_block,
                                                             r->dynamic_shared_bytes),
                     CUDA_OCC_SUCCESS);
    return result;
}

static void compare(const struct gpu_limits *g, const struct occupancy_request *r)
{
    cudaOccResult want = nvidia_result(g, r);
    struct occupancy got;
    occupancy_compute(g, r, &got);
    const char *what = "";
    if ((int)got.blocks_per_sm != want.activeBlocksPerMultiprocessor)
        what = "blocks";
    else if (got.blocks_per_sm > 0 &&
             got.registers_per_block != (unsigned)want.allocatedRegistersPerBlock)
        what = "registers of a block";
    else if (got.blocks_per_sm > 0 && got.shared_bytes_per_block != want.allocatedSharedMemPerBlock)
        what = "shared memory of a block";
    /* Theirs are in another order of bits: warps, registers, shared memory, blocks. */
    unsigned theirs = want.limitingFactors;
    unsigned limiters = ((theirs & OCC_LIMIT_WARPS) ? LIMITER_THREADS : 0u) |
                        ((theirs & OCC_LIMIT_BLOCKS) ? LIMITER_BLOCKS : 0u) |
                        ((theirs & OCC_LIMIT_REGISTERS) ? LIMITER_REGISTERS : 0u) |
                        ((theirs & OCC_LIMIT_SHARED_MEMORY) ? LIMITER_SHARED : 0u);
    if (got.blocks_per_sm > 0 && got.limiters != limiters)
        what = "limiters";
    ck_assert_msg(*what == '\0', "%s, %u threads, %u registers, %lu + %lu bytes: %s differ: %u, %d",
                  g->name, r->threads_per_block, r->registers_per_thread,
                  (unsigned long)r->static_shared_bytes, (unsigned long)r->dynamic_shared_bytes,
                  what, got.blocks_per_sm, want.activeBlocksPerMultiprocessor);
}

/* Every GPU that the header knows (Kepler and later), block sizes and registers in steps that hit
 * every rounding, shared memory around every edge: more than 50,000 configurations each. */
START_TEST(equals_nvidia)
{
    const struct gpu_limits *g = gpu_limits_at((size_t)_i);
    const uint64_t edges[] = {0,
                              1,
                              127,
                              128,
                              129,
                              255,
                              256,
                              257,
                              1024,
                              4096,
                              5000,
                              16384,
                              32768,
                              48 * 1024 - 1,
                              48 * 1024,
                              48 * 1024 + 1,
                              64 * 1024,
                              96 * 1024,
                              g->shared_bytes_per_block_opt_in - 1,
                              g->shared_bytes_per_block_opt_in,
                              g->shared_bytes_per_block_opt_in + 1};
    if (g->major < 3)
        return;
    const unsigned step = RUNNING_SLOWLY > 1 ? 35 : 7; /* sanitizers look at paths, not at values */
    for (unsigned threads = 1; threads <= 1056; threads += threads < 64 ? 31 : 32)
        for (unsigned registers = 0; registers <= g->max_registers_per_thread; registers += step)
            for (size_t e = 0; e < sizeof edges / sizeof edges[0]; e++) {
                struct occupancy_request whole = {threads, registers, 0, edges[e]};
                struct occupancy_request parts = {threads, registers, edges[e] / 3 % 49153,
                                                  edges[e] - edges[e] / 3 % 49153};
                compare(g, &whole);
                compare(g, &parts);
            }
}
END_TEST
#endif

int main(void)
{
    TCase *tc = tcase_create("occupancy");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, textbook_examples, 0, sizeof textbook / sizeof textbook[0]);
    tcase_add_test(tc, textbook_arithmetic);
    tcase_add_test(tc, granularity_of_a_real_gpu);
    tcase_add_loop_test(tc, refusals_say_why, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(tc, static_shared_memory_needs_no_opt_in);
    tcase_add_test(tc, limiters_fit_any_buffer);
#ifdef HAVE_OCCUPANCY_HEADER
    tcase_add_loop_test(tc, equals_nvidia, 0, (int)gpu_limits_count());
#endif
    return run_suite("occupancy", tc);
}
