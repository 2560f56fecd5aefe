/* gpu_limits.c - the GPUs that the simulator and the explorer of step06 know.
 *
 * Where the figures come from:
 *   per SM and per block   NVIDIA, CUDA C++ Programming Guide, appendix "Compute Capabilities",
 *                          tables "Feature Support" and "Technical Specifications" (Fermi and
 *                          Kepler: editions up to 8.0 and 11.0); tuning guides for Kepler to
 *                          Blackwell (shared memory per block and SM, the system's 1 KB)
 *   granularity            NVIDIA, cuda_occupancy.h of the toolkit; for Fermi the sheet "GPU Data"
 *                          of NVIDIA's CUDA Occupancy Calculator
 *   the chip               named beside each profile
 *   async_engines          deviceQuery outputs that owners published; it differs between drivers.
 *                          2, enough to copy both ways at once, where none was found
 * Memory sizes are nominal unless a comment says "as reported": a driver keeps part of it. */
#include "gpu_limits.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#define KB 1024u
#define MB (1024u * KB)
#define GB ((uint64_t)1024 * MB)

/* ----------------------------------------------------------- architectures */

/* clang-format off */
#define UNITS(reg, sub_partitions, at_launch, shared)                                              \
    .register_unit = (reg), .warp_unit = (sub_partitions), .warp_unit_at_launch = (at_launch),     \
    .shared_unit = (shared)
#define UNITS_FERMI  UNITS(64, 2, 2, 128)
#define UNITS_KEPLER UNITS(256, 4, 4, 256)  /* to Turing */
#define UNITS_P100   UNITS(256, 2, 4, 256)  /* two sub-partitions, checked as if four */
#define UNITS_AMPERE UNITS(256, 4, 4, 128)  /* and later */

#define CC(number, fraction, lanes, registers)                                                     \
    .major = (number), .minor = (fraction), .fp32_lanes_per_sm = (lanes),                          \
    .max_registers_per_thread = (registers)
#define CC_2_0 CC(2, 0, 32, 63), UNITS_FERMI
#define CC_2_1 CC(2, 1, 48, 63), UNITS_FERMI
#define CC_3_0 CC(3, 0, 192, 63), UNITS_KEPLER
#define CC_3_5 CC(3, 5, 192, 255), UNITS_KEPLER
#define CC_5_0 CC(5, 0, 128, 255), UNITS_KEPLER
#define CC_5_2 CC(5, 2, 128, 255), UNITS_KEPLER
#define CC_6_0 CC(6, 0, 64, 255), UNITS_P100
#define CC_6_1 CC(6, 1, 128, 255), UNITS_KEPLER
#define CC_7_0 CC(7, 0, 64, 255), UNITS_KEPLER
#define CC_7_5 CC(7, 5, 64, 255), UNITS_KEPLER
#define CC_8_0 CC(8, 0, 64, 255), UNITS_AMPERE
#define CC_8_6 CC(8, 6, 128, 255), UNITS_AMPERE
#define CC_8_9 CC(8, 9, 128, 255), UNITS_AMPERE
#define CC_9_0 CC(9, 0, 128, 255), UNITS_AMPERE
#define CC_10_0 CC(10, 0, 128, 255), UNITS_AMPERE
#define CC_12_0 CC(12, 0, 128, 255), UNITS_AMPERE

static const struct gpu_limits architectures[] = { /* in order */
    {CC_2_0}, {CC_2_1}, {CC_3_0}, {CC_3_5}, {CC_5_0}, {CC_5_2}, {CC_6_0}, {CC_6_1},
    {CC_7_0}, {CC_7_5}, {CC_8_0}, {CC_8_6}, {CC_8_9}, {CC_9_0}, {CC_10_0}, {CC_12_0},
};

#define SM(threads, blocks, registers, shared)                                                     \
    .warp_size = 32, .max_threads_per_sm = (threads), .max_warps_per_sm = (threads) / 32,          \
    .max_blocks_per_sm = (blocks), .registers_per_sm = (registers), .shared_bytes_per_sm = (shared)
#define BLOCK(registers, shared, opt_in, reserved)                                                 \
    .max_threads_per_block = 1024, .registers_per_block = (registers),                             \
    .shared_bytes_per_block = (shared), .shared_bytes_per_block_opt_in = (opt_in),                 \
    .shared_bytes_reserved = (reserved), .const_bytes = 64 * KB, .max_block_dim = {1024, 1024, 64}
#define GRID_FERMI .max_grid_dim = {65535, 65535, 65535}
#define GRID       .max_grid_dim = {2147483647, 65535, 65535}
/* clang-format on */

/* ----------------------------------------------------------------- profiles */

struct profile {
    const char *short_name; /* what a message shows */
    const char *also;       /* further names, normalised, with blanks around each */
    struct gpu_limits limits;
};

static const struct profile profiles[] = {
    {"textbook",
     " textbooksm ",
     /* The hypothetical SM of the worked examples in Kirk and Hwu, Programming Massively Parallel
      * Processors: slots and registers are handed out one by one. It has no clocks; one SM and
      * 1 GB of memory let the simulator take it as a device. */
     {.name = "textbook SM",
      .sm_count = 1,
      .global_memory_bytes = 1 * GB,
      .async_engines = 1,
      .fp32_lanes_per_sm = 32,
      .max_registers_per_thread = 255,
      UNITS(1, 1, 1, 1),
      .counts_threads = true,
      SM(1536, 8, 16384, 16 * KB),
      BLOCK(16384, 16 * KB, 16 * KB, 0),
      GRID}},
    {"fermi",
     " m2090 teslam2090 ",
     /* NVIDIA, Tesla M2090 board specification BD-05766-001 */
     {.name = "Tesla M2090",
      CC_2_0,
      .sm_count = 16,
      .sm_clock_khz = 1301000,
      .global_memory_bytes = 6 * GB,
      .memory_bus_bits = 384,
      .memory_clock_khz = 1848000,
      .l2_bytes = 768 * KB,
      .async_engines = 2,
      .ecc = true,
      SM(1536, 8, 32768, 48 * KB),
      BLOCK(32768, 48 * KB, 48 * KB, 0),
      GRID_FERMI}},
    {"kepler",
     " k40 k40m teslak40 ",
     /* NVIDIA, Tesla K40 GPU active accelerator, board specification BD-06902-001; boost clock */
     {.name = "Tesla K40m",
      CC_3_5,
      .sm_count = 15,
      .sm_clock_khz = 875500,
      .global_memory_bytes = 12 * GB,
      .memory_bus_bits = 384,
      .memory_clock_khz = 3004000,
      .l2_bytes = 1536 * KB,
      .async_engines = 2,
      .ecc = true,
      SM(2048, 16, 65536, 48 * KB),
      BLOCK(65536, 48 * KB, 48 * KB, 0),
      GRID}},
    {"maxwell",
     " gtx980 980 ",
     /* NVIDIA, whitepaper GeForce GTX 980 */
     {.name = "NVIDIA GeForce GTX 980",
      CC_5_2,
      .sm_count = 16,
      .sm_clock_khz = 1216000,
      .global_memory_bytes = 4 * GB,
      .memory_bus_bits = 256,
      .memory_clock_khz = 3505000,
      .l2_bytes = 2 * MB,
      .async_engines = 2,
      SM(2048, 32, 65536, 96 * KB),
      BLOCK(65536, 48 * KB, 48 * KB, 0),
      GRID}},
    {"p100",
     " teslap100 pascal ",
     /* NVIDIA, whitepaper Tesla P100 WP-08019-001 */
     {.name = "Tesla P100-SXM2-16GB",
      CC_6_0,
      .sm_count = 56,
      .sm_clock_khz = 1480500,
      .global_memory_bytes = 16 * GB,
      .memory_bus_bits = 4096,
      .memory_clock_khz = 715000,
      .l2_bytes = 4 * MB,
      .async_engines = 2,
      .ecc = true,
      SM(2048, 32, 65536, 64 * KB),
      BLOCK(65536, 48 * KB, 48 * KB, 0),
      GRID}},
    {"gtx10",
     " gtx1080 1080 ",
     /* NVIDIA, whitepaper GeForce GTX 1080 */
     {.name = "NVIDIA GeForce GTX 1080",
      CC_6_1,
      .sm_count = 20,
      .sm_clock_khz = 1733500,
      .global_memory_bytes = 8 * GB,
      .memory_bus_bits = 256,
      .memory_clock_khz = 5005000,
      .l2_bytes = 2 * MB,
      .async_engines = 2,
      SM(2048, 32, 65536, 96 * KB),
      BLOCK(65536, 48 * KB, 48 * KB, 0),
      GRID}},
    {"v100",
     " teslav100 volta ",
     /* NVIDIA, whitepaper Tesla V100 WP-08608-001 */
     {.name = "Tesla V100-SXM2-16GB",
      CC_7_0,
      .sm_count = 80,
      .sm_clock_khz = 1530000,
      .global_memory_bytes = 16 * GB,
      .memory_bus_bits = 4096,
      .memory_clock_khz = 877000,
      .l2_bytes = 6 * MB,
      .async_engines = 5,
      .ecc = true,
      SM(2048, 32, 65536, 96 * KB),
      BLOCK(65536, 48 * KB, 96 * KB, 0),
      GRID}},
    {"t4",
     " teslat4 turing ",
     /* NVIDIA, Tesla T4 product brief PB-09256-001; memory as reported */
     {.name = "Tesla T4",
      CC_7_5,
      .sm_count = 40,
      .sm_clock_khz = 1590000,
      .global_memory_bytes = 15843721216,
      .memory_bus_bits = 256,
      .memory_clock_khz = 5001000,
      .l2_bytes = 4 * MB,
      .async_engines = 3,
      .ecc = true,
      SM(1024, 16, 65536, 64 * KB),
      BLOCK(65536, 48 * KB, 64 * KB, 0),
      GRID}},
    {"a100",
     " ampere a10040gb ",
     /* NVIDIA, whitepaper A100 Tensor Core GPU architecture; memory as reported */
     {.name = "NVIDIA A100-SXM4-40GB",
      CC_8_0,
      .sm_count = 108,
      .sm_clock_khz = 1410000,
      .global_memory_bytes = 42298834944,
      .memory_bus_bits = 5120,
      .memory_clock_khz = 1215000,
      .l2_bytes = 40 * MB,
      .async_engines = 3,
      .ecc = true,
      SM(2048, 32, 65536, 164 * KB),
      BLOCK(65536, 48 * KB, 163 * KB, 1 * KB),
      GRID}},
    {"rtx30",
     " rtx3090 3090 ",
     /* NVIDIA, whitepaper Ampere GA102 GPU architecture */
     {.name = "NVIDIA GeForce RTX 3090",
      CC_8_6,
      .sm_count = 82,
      .sm_clock_khz = 1695000,
      .global_memory_bytes = 24 * GB,
      .memory_bus_bits = 384,
      .memory_clock_khz = 9751000,
      .l2_bytes = 6 * MB,
      .async_engines = 2,
      SM(1536, 16, 65536, 100 * KB),
      BLOCK(65536, 48 * KB, 99 * KB, 1 * KB),
      GRID}},
    {"a500",
     " rtxa500 rtxa500laptop a500laptop ",
     /* NVIDIA, RTX in laptops, line card: 2048 lanes, 4 GB, 112 GB/s, 7.3 TFLOPS, from which the
      * boost clock follows (each laptop sets its own); L2 of its chip, GA107 */
     {.name = "NVIDIA RTX A500 Laptop GPU",
      CC_8_6,
      .sm_count = 16,
      .sm_clock_khz = 1782000,
      .global_memory_bytes = 4 * GB,
      .memory_bus_bits = 64,
      .memory_clock_khz = 7001000,
      .l2_bytes = 2 * MB,
      .async_engines = 2,
      SM(1536, 16, 65536, 100 * KB),
      BLOCK(65536, 48 * KB, 99 * KB, 1 * KB),
      GRID}},
    {"rtx40",
     " rtx4090 4090 ada ",
     /* NVIDIA, whitepaper Ada GPU architecture */
     {.name = "NVIDIA GeForce RTX 4090",
      CC_8_9,
      .sm_count = 128,
      .sm_clock_khz = 2520000,
      .global_memory_bytes = 24 * GB,
      .memory_bus_bits = 384,
      .memory_clock_khz = 10501000,
      .l2_bytes = 72 * MB,
      .async_engines = 2,
      SM(1536, 24, 65536, 100 * KB),
      BLOCK(65536, 48 * KB, 99 * KB, 1 * KB),
      GRID}},
    {"h100",
     " hopper h100sxm h100sxm5 ",
     /* NVIDIA, whitepaper H100 Tensor Core GPU architecture; data sheet: 3.35 TB/s, 67 TFLOPS */
     {.name = "NVIDIA H100 80GB HBM3",
      CC_9_0,
      .sm_count = 132,
      .sm_clock_khz = 1980000,
      .global_memory_bytes = 80 * GB,
      .memory_bus_bits = 5120,
      .memory_clock_khz = 2619000,
      .l2_bytes = 50 * MB,
      .async_engines = 3,
      .ecc = true,
      SM(2048, 32, 65536, 228 * KB),
      BLOCK(65536, 48 * KB, 227 * KB, 1 * KB),
      GRID}},
    {"h200",
     " h200sxm ",
     /* NVIDIA, H200 data sheet: 4.8 TB/s; the rest as reported by one (driver 580) */
     {.name = "NVIDIA H200",
      CC_9_0,
      .sm_count = 132,
      .sm_clock_khz = 1980000,
      .global_memory_bytes = 150109880320,
      .memory_bus_bits = 6016,
      .memory_clock_khz = 3201000,
      .data_sheet_gb_per_s = 4800,
      .l2_bytes = 60 * MB,
      .async_engines = 3,
      .ecc = true,
      /* by cudaOccupancyMaxActiveClusters for clusters of 1 to 16 blocks */
      .sm_groups = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2},
      SM(2048, 32, 65536, 228 * KB),
      BLOCK(65536, 48 * KB, 227 * KB, 1 * KB),
      GRID}},
    {"b200",
     " blackwell ",
     /* NVIDIA, Blackwell tuning guide; SMs, clocks, bus, L2 and memory (178.35 GB) as reported by
      * owners (pytorch/ao pull request 4002) */
     {.name = "NVIDIA B200",
      CC_10_0,
      .sm_count = 148,
      .sm_clock_khz = 1965000,
      .global_memory_bytes = 17835 * GB / 100,
      .memory_bus_bits = 7680,
      .memory_clock_khz = 3996000,
      .l2_bytes = 253 * MB / 2,
      .async_engines = 2,
      .ecc = true,
      SM(2048, 32, 65536, 228 * KB),
      BLOCK(65536, 48 * KB, 227 * KB, 1 * KB),
      GRID}},
};

enum { PROFILE_COUNT = sizeof profiles / sizeof profiles[0] };

/* -------------------------------------------------------------------- names */

/* Lower case letters and digits only, without the vendor's words: "NVIDIA GeForce RTX 4090" and
 * "rtx-4090" become "rtx4090". */
static void normalise(const char *name, char *text, size_t size)
{
    static const char *const noise[] = {"nvidia", "geforce", "gpu", "quadro"};
    size_t used = 0;
    for (; *name && used + 1 < size; name++) {
        if (isalnum((unsigned char)*name)) {
            text[used++] = (char)tolower((unsigned char)*name);
        }
    }
    text[used] = '\0';
    for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
        char *at = strstr(text, noise[i]);
        if (at != NULL) {
            memmove(at, at + strlen(noise[i]), strlen(at + strlen(noise[i])) + 1);
        }
    }
}

static bool is_called(const struct profile *p, const char *normalised)
{
    char own[GPU_LIMITS_NAME_MAX], word[GPU_LIMITS_NAME_MAX + 2];
    if (strcmp(p->short_name, normalised) == 0) {
        return true;
    }
    normalise(p->limits.name, own, sizeof own);
    if (strcmp(own, normalised) == 0) {
        return true;
    }
    snprintf(word, sizeof word, " %s ", normalised);
    return strstr(p->also, word) != NULL;
}

const struct gpu_limits *gpu_limits_find(const char *name)
{
    char normalised[GPU_LIMITS_NAME_MAX];
    normalise(name, normalised, sizeof normalised);
    for (size_t i = 0; i < PROFILE_COUNT && *normalised; i++) {
        if (is_called(&profiles[i], normalised)) {
            return &profiles[i].limits;
        }
    }
    return NULL;
}

const struct gpu_limits *gpu_limits_default(void) { return gpu_limits_find("h200"); }

size_t gpu_limits_count(void) { return PROFILE_COUNT; }

const struct gpu_limits *gpu_limits_at(size_t index)
{
    assert(index < PROFILE_COUNT);
    return &profiles[index].limits;
}

const char *gpu_limits_short_name(size_t index)
{
    assert(index < PROFILE_COUNT);
    return profiles[index].short_name;
}

const char *gpu_limits_list(char *text, size_t size)
{
    size_t used = 0;
    assert(size > 0);
    text[0] = '\0';
    for (size_t i = 0; i < PROFILE_COUNT && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 profiles[i].short_name);
    }
    return text;
}

/* ------------------------------------------------------------------ derived */

double gpu_limits_peak_gflops(const struct gpu_limits *g)
{
    return 2.0 * g->sm_count * g->fp32_lanes_per_sm * g->sm_clock_khz / 1e6;
}

double gpu_limits_peak_gb_per_s(const struct gpu_limits *g)
{
    if (g->data_sheet_gb_per_s > 0) {
        return g->data_sheet_gb_per_s;
    }
    return 2.0 * g->memory_clock_khz * (g->memory_bus_bits / 8.0) / 1e6;
}

bool gpu_limits_fill_architecture(struct gpu_limits *g)
{
    const struct gpu_limits *nearest = &architectures[0];
    for (size_t i = 0; i < sizeof architectures / sizeof architectures[0]; i++) {
        const struct gpu_limits *a = &architectures[i];
        if (a->major < g->major || (a->major == g->major && a->minor <= g->minor)) {
            nearest = a;
        }
    }
    g->fp32_lanes_per_sm = nearest->fp32_lanes_per_sm;
    g->max_registers_per_thread = nearest->max_registers_per_thread;
    g->register_unit = nearest->register_unit;
    g->warp_unit = nearest->warp_unit;
    g->warp_unit_at_launch = nearest->warp_unit_at_launch;
    g->shared_unit = nearest->shared_unit;
    g->counts_threads = false;
    return nearest->major == g->major;
}
