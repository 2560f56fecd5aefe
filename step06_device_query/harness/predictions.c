/* predictions.c - the questions of ./run --predict, and how their answers are computed. */
#include "common/gpu/occupancy.h"
#include "common/predict.h"

/* Blocks on an SM of an H200, which allocates registers and shared memory in units. */
static double on_h200(unsigned threads, unsigned registers, uint64_t shared_bytes)
{
    const struct occupancy_request request = {
        .threads_per_block = threads,
        .registers_per_thread = registers,
        .static_shared_bytes = shared_bytes,
    };
    struct occupancy o;
    occupancy_compute(gpu_limits_default(), &request, &o);
    return o.blocks_per_sm;
}

static double least(double a, double b) { return a < b ? a : b; }

/* Blocks on the small SM of the examples: 1536 threads, 8 blocks, 16,384 registers, no units. */
static double on_small_sm(unsigned threads, unsigned registers)
{
    const double by_threads = 1536 / threads, by_registers = 16384 / (threads * registers);
    return least(8, least(by_threads, by_registers));
}

static double small_10(void) { return on_small_sm(256, 10); }

static double small_12(void) { return on_small_sm(256, 12); }

static double small_slots(void) { return 128 * on_small_sm(128, 4); }

static double h200_32(void) { return on_h200(256, 32, 0); }

static double h200_33(void) { return on_h200(256, 33, 0); }

static double h200_shared(void) { return on_h200(128, 32, 47 * 1024); }

static const struct prediction questions[] = {
    {"An SM with 1536 threads, 8 block slots, 16,384 registers. Blocks of 256 threads,\n"
     "10 registers each. How many blocks does it hold?",
     small_10, "2560 registers a block: 6 fit; and 6 * 256 = 1536 threads.", NULL},
    {"With 12 registers a thread?", small_12,
     "3072 a block: 5 fit, 1280 threads. Two registers cost a sixth of all threads.", NULL},
    {"Blocks of 128 threads, few registers. How many threads does it hold?", small_slots,
     "12 blocks would fit, but there are 8 slots.", NULL},
    {"An H200: 2048 threads, 65,536 registers an SM. Blocks of 256 threads, 32\n"
     "registers each. How many blocks?",
     h200_32, "8192 registers a block; 8 blocks fill registers and thread slots alike.", NULL},
    {"33 registers?", h200_33,
     "Registers come in units of 256 a warp, 8 a thread: 40, so 10,240 a block.", NULL},
    {"228 KB of shared memory an SM; blocks with 47 KB. How many?", h200_shared,
     "The system takes 1 KB of each block's: 48 KB, four times.", NULL},
};

int predict_lesson(void)
{
    return predict_run("step06_device_query", questions, sizeof questions / sizeof questions[0]);
}
