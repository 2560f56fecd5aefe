/* occupancy.c - blocks per SM from the limits of a GPU and the needs of a block (occupancy.h).
 *
 * The rules, each checked against NVIDIA's cuda_occupancy.h by tests/unit/test_occupancy.c:
 *   warps      a block fills whole warps; an SM has max_warps_per_sm slots for them
 *   registers  a warp gets registers_per_thread * 32, rounded up to register_unit, all from one of
 *              the SM's warp_unit sub-partitions: each holds whole warps only
 *   shared     static + dynamic + the system's part, rounded up to shared_unit
 *   slots      max_blocks_per_sm, whatever the blocks need */
#include "occupancy.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

static unsigned at_most(uint64_t value)
{
    return value < OCCUPANCY_NO_LIMIT ? (unsigned)value : (unsigned)OCCUPANCY_NO_LIMIT;
}

/* One sentence for the launch that cannot be; keeps the first. */
#define REFUSE(out, ...)                                                                           \
    do {                                                                                           \
        if ((out)->refusal[0] == '\0') {                                                           \
            snprintf((out)->refusal, sizeof(out)->refusal, __VA_ARGS__);                           \
        }                                                                                          \
    } while (0)

static void limit_threads(const struct gpu_limits *g, const struct occupancy_request *r,
                          struct occupancy *out)
{
    if (r->threads_per_block == 0 || r->threads_per_block > g->max_threads_per_block) {
        REFUSE(out, "a block has 1 to %u threads, not %u", g->max_threads_per_block,
               r->threads_per_block);
        return;
    }
    if (g->counts_threads) {
        out->blocks_by_threads = g->max_threads_per_sm / r->threads_per_block;
    } else {
        out->blocks_by_threads = g->max_warps_per_sm / out->warps_per_block;
    }
    if (out->blocks_by_threads == 0) {
        REFUSE(out, "a block of %u threads is more than the %u of one SM", r->threads_per_block,
               g->max_threads_per_sm);
    }
}

static void limit_registers(const struct gpu_limits *g, const struct occupancy_request *r,
                            struct occupancy *out)
{
    if (r->registers_per_thread > g->max_registers_per_thread) {
        REFUSE(out, "a thread has at most %u registers, not %u", g->max_registers_per_thread,
               r->registers_per_thread);
        return;
    }
    if (r->registers_per_thread == 0) {
        out->blocks_by_registers = OCCUPANCY_NO_LIMIT;
        return;
    }
    uint64_t per_warp =
        round_up((uint64_t)r->registers_per_thread * g->warp_size, g->register_unit);
    uint64_t needed = per_warp * out->warps_per_block;
    /* The launch is checked as if all sub-partitions got the same number of the block's warps. */
    uint64_t checked = per_warp * round_up(out->warps_per_block, g->warp_unit_at_launch);
    if (g->counts_threads) {
        needed = checked = (uint64_t)r->registers_per_thread * r->threads_per_block;
    }
    out->registers_per_block = at_most(needed);
    if (checked > g->registers_per_block) {
        REFUSE(out, "a block may have %u registers, %u threads with %u each need %" PRIu64,
               g->registers_per_block, r->threads_per_block, r->registers_per_thread, checked);
        return;
    }
    if (g->counts_threads) {
        out->blocks_by_registers = at_most(g->registers_per_sm / needed);
        return;
    }
    uint64_t warps_per_partition = g->registers_per_sm / g->warp_unit / per_warp;
    out->blocks_by_registers = at_most(warps_per_partition * g->warp_unit / out->warps_per_block);
}

/* The sizes of the CUDA C++ Programming Guide ("Compute Capabilities"), up to what the GPU has; an
 * H200's answers agree for eleven preferences and six sizes of blocks. */
unsigned occupancy_carveout(const struct gpu_limits *g, int percent, uint64_t block_bytes)
{
    static const unsigned kilobytes[] = {8, 16, 32, 64, 100, 132, 164, 196};
    const bool is_turing = g->major == 7 && g->minor == 5; /* which has 32 and 64 KB */
    const uint64_t preferred = (uint64_t)(percent > 0 ? percent : 0) * g->shared_bytes_per_sm / 100,
                   own = round_up(block_bytes + g->shared_bytes_reserved, g->shared_unit),
                   least = preferred > own ? preferred : own;
    for (unsigned i = is_turing ? 2 : 0; i < sizeof kilobytes / sizeof *kilobytes; i++) {
        const unsigned size = kilobytes[i] << 10;
        if (percent >= 0 && g->major >= 7 && size >= least && size < g->shared_bytes_per_sm) {
            return size;
        }
    }
    return g->shared_bytes_per_sm;
}

static void limit_shared(const struct gpu_limits *g, const struct occupancy_request *r,
                         struct occupancy *out)
{
    if (r->static_shared_bytes > g->shared_bytes_per_block) {
        REFUSE(out, "a block may have %u bytes of static shared memory, not %" PRIu64,
               g->shared_bytes_per_block, r->static_shared_bytes);
        return;
    }
    if (r->dynamic_shared_bytes > g->shared_bytes_per_block_opt_in - r->static_shared_bytes) {
        REFUSE(out, "a block may have %u bytes of shared memory, %" PRIu64 " + %" PRIu64 " is more",
               g->shared_bytes_per_block_opt_in, r->static_shared_bytes, r->dynamic_shared_bytes);
        return;
    }
    uint64_t bytes = r->static_shared_bytes + r->dynamic_shared_bytes + g->shared_bytes_reserved;
    out->shared_bytes_per_block = round_up(bytes, g->shared_unit);
    if (out->shared_bytes_per_block == 0) {
        out->blocks_by_shared = OCCUPANCY_NO_LIMIT;
    } else {
        out->blocks_by_shared = at_most(g->shared_bytes_per_sm / out->shared_bytes_per_block);
    }
}

static unsigned fewest(const struct occupancy *o)
{
    unsigned blocks = o->blocks_by_threads;
    if (o->blocks_by_slots < blocks) {
        blocks = o->blocks_by_slots;
    }
    if (o->blocks_by_registers < blocks) {
        blocks = o->blocks_by_registers;
    }
    if (o->blocks_by_shared < blocks) {
        blocks = o->blocks_by_shared;
    }
    return blocks;
}

/* What allows no more blocks than there are. */
static unsigned limiters_of(const struct occupancy *o)
{
    const struct {
        unsigned blocks, bit;
    } limits[] = {{o->blocks_by_threads, LIMITER_THREADS},
                  {o->blocks_by_slots, LIMITER_BLOCKS},
                  {o->blocks_by_registers, LIMITER_REGISTERS},
                  {o->blocks_by_shared, LIMITER_SHARED}};
    unsigned limiters = 0;
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        limiters |= limits[i].blocks == o->blocks_per_sm ? limits[i].bit : 0;
    }
    return limiters;
}

bool occupancy_compute(const struct gpu_limits *g, const struct occupancy_request *request,
                       struct occupancy *out)
{
    memset(out, 0, sizeof *out);
    out->warps_per_block =
        at_most(((uint64_t)request->threads_per_block + g->warp_size - 1) / g->warp_size);
    out->blocks_by_slots = g->max_blocks_per_sm;
    limit_threads(g, request, out);
    if (out->blocks_by_threads > 0) { /* without warps there is nothing to give registers to */
        limit_registers(g, request, out);
    }
    limit_shared(g, request, out);

    unsigned blocks = fewest(out);
    assert((blocks == 0) == (out->refusal[0] != '\0'));
    out->blocks_per_sm = blocks;
    out->warps_per_sm = blocks * out->warps_per_block;
    out->threads_per_sm = blocks * request->threads_per_block;
    /* The textbook SM counts threads, so there a block of 100 fills 100 slots, not 4 warps. */
    out->occupancy = g->counts_threads ? (double)out->threads_per_sm / g->max_threads_per_sm
                                       : (double)out->warps_per_sm / g->max_warps_per_sm;
    out->limiters = limiters_of(out);
    return blocks > 0;
}

const char *occupancy_limiters(const struct occupancy *o, char *text, size_t size)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {{LIMITER_THREADS, "threads"},
                 {LIMITER_BLOCKS, "block slots"},
                 {LIMITER_REGISTERS, "registers"},
                 {LIMITER_SHARED, "shared memory"}};
    size_t used = 0;
    assert(size > 0);
    text[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!(o->limiters & names[i].bit) || used >= size) {
            continue;
        }
        int n = snprintf(text + used, size - used, "%s%s", used > 0 ? " + " : "", names[i].name);
        used += (size_t)n;
    }
    return text;
}
