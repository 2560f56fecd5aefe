/* test_gpu_limits.c - the GPU profiles: found by forgiving names, consistent in themselves, and
 * equal to the figures that their vendor publishes. */
#include <math.h>
#include <string.h>

#include "common/gpu/gpu_limits.h"
#include "suite.h"

static const struct {
    const char *name, *full;
} names[] = {
    {"h200", "NVIDIA H200"},
    {"H200", "NVIDIA H200"},
    {"NVIDIA H200", "NVIDIA H200"},
    {"nvidia-h200", "NVIDIA H200"},
    {"textbook", "textbook SM"},
    {"Textbook SM", "textbook SM"},
    {"Tesla T4", "Tesla T4"},
    {"t4", "Tesla T4"},
    {"NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090"},
    {"rtx 4090", "NVIDIA GeForce RTX 4090"},
    {"RTX40", "NVIDIA GeForce RTX 4090"},
    {"NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB"},
    {"RTX A500", "NVIDIA RTX A500 Laptop GPU"},
    {"rtx a500 laptop", "NVIDIA RTX A500 Laptop GPU"},
    {"NVIDIA RTX A500 Laptop GPU", "NVIDIA RTX A500 Laptop GPU"},
    {"hopper", "NVIDIA H100 80GB HBM3"},
    {"GTX 1080", "NVIDIA GeForce GTX 1080"},
};

START_TEST(found_by_name)
{
    const struct gpu_limits *g = gpu_limits_find(names[_i].name);
    ck_assert_msg(g != NULL, "%s", names[_i].name);
    ck_assert_str_eq(g->name, names[_i].full);
}
END_TEST

START_TEST(not_found)
{
    const char *const wrong[] = {
        "",    " ",     "nvidia",
        "h20", "h2000", "radeon",
        "a",   "---",   "a very long name that no GPU in the world has, for good reason, yes"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert_msg(gpu_limits_find(wrong[i]) == NULL, "%s", wrong[i]);
}
END_TEST

START_TEST(listed)
{
    char list[1000], wanted[1000] = "", cut[8];
    ck_assert_str_eq(gpu_limits_default()->name, "NVIDIA H200");
    gpu_limits_list(list, sizeof list);
    for (size_t i = 0; i < gpu_limits_count(); i++) {
        strcat(strcat(wanted, i > 0 ? ", " : ""), gpu_limits_short_name(i));
        ck_assert_ptr_eq(gpu_limits_find(gpu_limits_short_name(i)), gpu_limits_at(i));
        ck_assert_ptr_eq(gpu_limits_find(gpu_limits_at(i)->name), gpu_limits_at(i));
    }
    ck_assert_str_eq(list, wanted);
    ck_assert(strncmp(list, "textbook, fermi, ", 17) == 0);
    ck_assert_str_eq(gpu_limits_list(cut, sizeof cut), "textboo");
}
END_TEST

START_TEST(consistent)
{
    const struct gpu_limits *g = gpu_limits_at((size_t)_i);
    ck_assert_uint_eq(g->warp_size, 32);
    ck_assert_uint_eq(g->max_warps_per_sm * g->warp_size, g->max_threads_per_sm);
    ck_assert_uint_le(g->max_threads_per_block, g->max_threads_per_sm);
    ck_assert_uint_le(g->registers_per_block, g->registers_per_sm);
    ck_assert_uint_eq(g->registers_per_sm % g->warp_unit, 0);
    ck_assert_uint_le(g->shared_bytes_per_block, g->shared_bytes_per_block_opt_in);
    ck_assert_uint_le(g->shared_bytes_per_block_opt_in + g->shared_bytes_reserved,
                      g->shared_bytes_per_sm);
    ck_assert_uint_eq(g->shared_bytes_per_sm % g->shared_unit, 0);
    ck_assert_uint_eq(g->shared_bytes_reserved, g->major >= 8 ? 1024 : 0);
    ck_assert(g->sm_count > 0 && g->max_blocks_per_sm > 0 && g->global_memory_bytes > 0);
    ck_assert(g->max_block_dim[0] >= g->max_threads_per_block && g->max_grid_dim[0] > 0);
}
END_TEST

/* Peaks that the data sheets state, FP32 and memory, rounded as there. */
static const struct {
    const char *name;
    double tflops, gb_per_s, tolerance;
} peaks[] = {
    {"fermi", 1.331, 177, 0.01}, {"kepler", 5.04, 288, 0.01}, {"maxwell", 4.98, 224, 0.01},
    {"p100", 10.6, 732, 0.01},   {"gtx10", 8.87, 320, 0.01},  {"v100", 15.7, 900, 0.01},
    {"t4", 8.1, 320, 0.01},      {"a100", 19.5, 1555, 0.01},  {"rtx30", 35.6, 936, 0.01},
    {"a500", 7.3, 112, 0.01},    {"rtx40", 82.6, 1008, 0.01}, {"h100", 67, 3350, 0.01},
    {"h200", 67, 4800, 0.01},    {"b200", 75, 7700, 0.02},
};

START_TEST(peaks_equal_the_data_sheets)
{
    const struct gpu_limits *g = gpu_limits_find(peaks[_i].name);
    double tflops = gpu_limits_peak_gflops(g) / 1000, gb_per_s = gpu_limits_peak_gb_per_s(g);
    ck_assert_msg(fabs(tflops / peaks[_i].tflops - 1) <= peaks[_i].tolerance, "%s %f", g->name,
                  tflops);
    ck_assert_msg(fabs(gb_per_s / peaks[_i].gb_per_s - 1) <= peaks[_i].tolerance, "%s %f", g->name,
                  gb_per_s);
}
END_TEST

START_TEST(textbook_has_no_clocks)
{
    const struct gpu_limits *g = gpu_limits_find("textbook");
    ck_assert(gpu_limits_peak_gflops(g) == 0 && gpu_limits_peak_gb_per_s(g) == 0);
    ck_assert_uint_eq(g->max_threads_per_sm, 1536);
    ck_assert_uint_eq(g->max_blocks_per_sm, 8);
    ck_assert_uint_eq(g->registers_per_sm, 16384);
    ck_assert_uint_eq(g->shared_bytes_per_sm, 16384);
}
END_TEST

START_TEST(architecture_fills_what_profiles_say)
{
    const struct gpu_limits *g = gpu_limits_at((size_t)_i);
    struct gpu_limits filled = {.major = g->major, .minor = g->minor};
    if (g->major == 0)
        return; /* the textbook SM has no architecture */
    ck_assert(gpu_limits_fill_architecture(&filled));
    ck_assert_uint_eq(filled.fp32_lanes_per_sm, g->fp32_lanes_per_sm);
    ck_assert_uint_eq(filled.max_registers_per_thread, g->max_registers_per_thread);
    ck_assert_uint_eq(filled.register_unit, g->register_unit);
    ck_assert_uint_eq(filled.warp_unit, g->warp_unit);
    ck_assert_uint_eq(filled.warp_unit_at_launch, g->warp_unit_at_launch);
    ck_assert_uint_eq(filled.shared_unit, g->shared_unit);
}
END_TEST

START_TEST(unknown_architectures_take_the_nearest)
{
    struct gpu_limits later = {.major = 99, .minor = 0}, jetson = {.major = 8, .minor = 7};
    ck_assert(!gpu_limits_fill_architecture(&later));
    ck_assert_uint_eq(later.shared_unit, 128);
    ck_assert(gpu_limits_fill_architecture(&jetson));
    ck_assert_uint_eq(jetson.fp32_lanes_per_sm, 128);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("gpu_limits");
    int count = (int)gpu_limits_count();
    tcase_add_loop_test(tc, found_by_name, 0, sizeof names / sizeof names[0]);
    tcase_add_test(tc, not_found);
    tcase_add_test(tc, listed);
    tcase_add_loop_test(tc, consistent, 0, count);
    tcase_add_loop_test(tc, peaks_equal_the_data_sheets, 0, sizeof peaks / sizeof peaks[0]);
    tcase_add_test(tc, textbook_has_no_clocks);
    tcase_add_loop_test(tc, architecture_fills_what_profiles_say, 0, count);
    tcase_add_test(tc, unknown_architectures_take_the_nearest);
    return run_suite("gpu_limits", tc);
}
