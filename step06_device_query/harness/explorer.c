/* explorer.c - the explanation of one occupancy (see explorer.h). */
#include "step06_device_query/harness/explorer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/table.h"

/* ------------------------------------------------- what a block takes, what the SM has */

static const struct column columns[] = {
    {"resource", NULL, NULL, COLUMN_TEXT, 0},
    {"block", "a block takes", NULL, COLUMN_INTEGER, 0},
    {"sm", "an SM has", NULL, COLUMN_INTEGER, 0},
    {"fit", "blocks that fit", NULL, COLUMN_INTEGER, 0},
    {"left", "left over", NULL, COLUMN_INTEGER, 0},
};

enum { BOX_WIDTH = 64 };

struct resource {
    const char *name;
    uint64_t taken, available;
    unsigned blocks; /* how many this resource alone allows */
    char how[96];
};

static void add_resource(struct table *t, const struct resource *r, unsigned resident)
{
    table_row(t);
    table_text(t, "resource", r->name);
    table_integer(t, "block", (int64_t)r->taken);
    table_integer(t, "sm", (int64_t)r->available);
    if (r->blocks != OCCUPANCY_NO_LIMIT) /* `-`: any number */
        table_integer(t, "fit", r->blocks);
    table_integer(t, "left", (int64_t)(r->available - resident * r->taken));
}

static struct resource thread_slots(const struct gpu_limits *g, const struct occupancy_request *r,
                                    const struct occupancy *o)
{
    struct resource s = {"thread slots", r->threads_per_block, g->max_threads_per_sm,
                         o->blocks_by_threads, ""};
    if (g->counts_threads)
        return s;
    s.name = "warp slots";
    s.taken = o->warps_per_block;
    s.available = g->max_warps_per_sm;
    snprintf(s.how, sizeof s.how, "%u threads in warps of %u", r->threads_per_block, g->warp_size);
    return s;
}

static struct resource registers(const struct gpu_limits *g, const struct occupancy_request *r,
                                 const struct occupancy *o)
{
    struct resource s = {"registers", o->registers_per_block, g->registers_per_sm,
                         o->blocks_by_registers, ""};
    unsigned per_warp = r->registers_per_thread * g->warp_size;
    unsigned given = (per_warp + g->register_unit - 1) / g->register_unit * g->register_unit;
    if (g->counts_threads)
        snprintf(s.how, sizeof s.how, "%u threads x %u", r->threads_per_block,
                 r->registers_per_thread);
    else if (given == per_warp)
        snprintf(s.how, sizeof s.how, "%u lanes x %u = %u a warp, x %u warps", g->warp_size,
                 r->registers_per_thread, per_warp, o->warps_per_block);
    else
        snprintf(s.how, sizeof s.how, "%u lanes x %u = %u, rounded up to %u a warp, x %u warps",
                 g->warp_size, r->registers_per_thread, per_warp, given, o->warps_per_block);
    return s;
}

static struct resource shared_memory(const struct gpu_limits *g, const struct occupancy_request *r,
                                     const struct occupancy *o)
{
    struct resource s = {"shared memory, B", o->shared_bytes_per_block, g->shared_bytes_per_sm,
                         o->blocks_by_shared, ""};
    uint64_t asked = r->static_shared_bytes + r->dynamic_shared_bytes;
    uint64_t needed = asked + g->shared_bytes_reserved;
    int used = 0;
    if (g->shared_bytes_reserved > 0)
        used = snprintf(s.how, sizeof s.how, "%" PRIu64 " + %u that the system keeps", asked,
                        g->shared_bytes_reserved);
    if (needed != o->shared_bytes_per_block)
        snprintf(s.how + used, sizeof s.how - (size_t)used, "%srounded up to a multiple of %u",
                 used > 0 ? ", " : "", g->shared_unit);
    return s;
}

/* A resource as a box of at most BOX_WIDTH cells: a letter for the block that has a cell, * where
 * several blocks share it. */
static void print_box(const struct resource *r, unsigned resident)
{
    static const char names[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const bool few = r->available <= BOX_WIDTH; /* then each has the same number of cells */
    const uint64_t width = few ? BOX_WIDTH / r->available * r->available : BOX_WIDTH;
    printf(" %-13.13s[", r->name);
    for (uint64_t cell = 0; cell < width; cell++) {
        const uint64_t middle = (2 * cell + 1) * r->available / (2 * width);
        const uint64_t block = r->taken ? middle / r->taken : resident;
        const bool small = r->taken * width < r->available;
        putchar(block >= resident ? '.' : small ? '*' : names[block % (sizeof names - 1)]);
    }
    printf("]\n");
}

static void print_resources(const struct gpu_limits *g, const struct occupancy_request *r,
                            const struct occupancy *o)
{
    struct table *t = table_open(columns, sizeof columns / sizeof columns[0]);
    struct resource block_slots = {"block slots", 1, g->max_blocks_per_sm, o->blocks_by_slots, ""};
    struct resource all[] = {thread_slots(g, r, o), block_slots, registers(g, r, o),
                             shared_memory(g, r, o)};
    enum { RESOURCES = sizeof all / sizeof all[0] };
    for (size_t i = 0; i < RESOURCES; i++)
        add_resource(t, &all[i], o->blocks_per_sm);
    table_print(t, stdout);
    table_close(t);
    printf("\n");
    for (size_t i = 0; i < RESOURCES; i++)
        if (all[i].how[0])
            printf("  %-16s  %s\n", all[i].name, all[i].how);
    printf("\nThe SM, filled: A is the first block, B the second ...; . free, * several\n\n");
    for (size_t i = 0; i < RESOURCES; i++)
        print_box(&all[i], o->blocks_per_sm);
}

/* ------------------------------------------------------------- what a change would cost */

static unsigned blocks_with(const struct gpu_limits *g, const struct occupancy_request *r,
                            unsigned registers_per_thread, struct occupancy *o)
{
    struct occupancy_request changed = *r;
    changed.registers_per_thread = registers_per_thread;
    occupancy_compute(g, &changed, o);
    return o->blocks_per_sm;
}

static void print_one_more_register(const struct gpu_limits *g, const struct occupancy_request *r,
                                    const struct occupancy *now)
{
    struct occupancy next;
    unsigned count = r->registers_per_thread + 1;
    unsigned blocks = blocks_with(g, r, count, &next);
    if (blocks == now->blocks_per_sm) {
        while (blocks_with(g, r, count + 1, &next) == now->blocks_per_sm)
            count++;
        printf("One more register per thread costs nothing: up to %u, %u %s.\n", count, blocks,
               blocks == 1 ? "block fits" : "blocks fit");
        count++;
    }
    if (next.blocks_per_sm == 0)
        printf("With %u registers the launch fails: %s.\n", count, next.refusal);
    else
        printf(
            "With %u registers, %u of %u blocks: %u threads, occupancy %.1f %%,\na loss of %.1f %% "
            "(the cliff).\n",
            count, next.blocks_per_sm, now->blocks_per_sm, next.threads_per_sm,
            100 * next.occupancy, 100 * (1 - next.occupancy / now->occupancy));
}

static void print_gain(const struct gpu_limits *g, const struct occupancy_request *r,
                       const struct occupancy *now)
{
    struct occupancy other;
    for (unsigned count = r->registers_per_thread; count-- > 1;) {
        if (blocks_with(g, r, count, &other) <= now->blocks_per_sm)
            continue;
        printf("With %u registers per thread there would be %u blocks, occupancy %.1f %%.\n", count,
               other.blocks_per_sm, 100 * other.occupancy);
        return;
    }
}

static const struct column box_columns[] = {
    {"resource", NULL, NULL, COLUMN_TEXT, 0},
    {"block_takes", "a block takes", NULL, COLUMN_INTEGER, 0},
    {"sm_has", "an SM has", NULL, COLUMN_INTEGER, 0},
    {"blocks", "blocks", "resident", COLUMN_INTEGER, 0},
    {"block", "block", "threads", COLUMN_INTEGER, 0},
    {"regs_per_thread", "registers", "per thread", COLUMN_INTEGER, 0},
    {"gpu", "GPU", NULL, COLUMN_TEXT, 0},
};

bool explorer_boxes(const struct gpu_limits *g, const struct occupancy_request *r,
                    struct table **boxes)
{
    struct occupancy o;
    if (!occupancy_compute(g, r, &o))
        return false;
    const struct resource block_slots = {"block slots", 1, g->max_blocks_per_sm, o.blocks_by_slots,
                                         ""};
    const struct resource all[] = {thread_slots(g, r, &o), block_slots, registers(g, r, &o),
                                   shared_memory(g, r, &o)};
    *boxes = table_open(box_columns, sizeof box_columns / sizeof box_columns[0]);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        table_row(*boxes);
        table_text(*boxes, "resource", i == 3 ? "shared memory" : all[i].name);
        table_integer(*boxes, "block_takes", (int64_t)all[i].taken);
        table_integer(*boxes, "sm_has", (int64_t)all[i].available);
        table_integer(*boxes, "blocks", o.blocks_per_sm);
        table_integer(*boxes, "block", r->threads_per_block);
        table_integer(*boxes, "regs_per_thread", r->registers_per_thread);
        table_text(*boxes, "gpu", g->name);
    }
    return true;
}

void explorer_explain(const struct gpu_limits *g, const struct occupancy_request *r)
{
    struct occupancy o;
    char limiters[64];
    bool fits = occupancy_compute(g, r, &o);
    printf("A block of %u threads, %u registers per thread, %" PRIu64
           " B of shared memory,\non %s:\n\n",
           r->threads_per_block, r->registers_per_thread,
           r->static_shared_bytes + r->dynamic_shared_bytes, g->name);
    if (!fits) {
        printf("The launch fails:\n%s.\n", o.refusal);
        return;
    }
    print_resources(g, r, &o);
    occupancy_limiters(&o, limiters, sizeof limiters);
    const char *gap = strlen(limiters) > 20 ? "\n" : " "; /* a terminal has 80 columns */
    printf("\nSo %u %s: %u of %u threads, occupancy %.1f %%.%sLimited by %s.\n", o.blocks_per_sm,
           o.blocks_per_sm == 1 ? "block fits" : "blocks fit", o.threads_per_sm,
           g->max_threads_per_sm, 100 * o.occupancy, gap, limiters);
    print_one_more_register(g, r, &o);
    if (o.limiters == LIMITER_REGISTERS)
        print_gain(g, r, &o);
}
