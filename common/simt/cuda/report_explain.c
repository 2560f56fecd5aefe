/* report_explain.c - SIMT_REPORT=explain: of each kernel's longest launch, in words, what limits
 * it, what comes next, and what it is made of. Printed when the program ends. */
#include "cuda/report_explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 64 };

static struct explained {
    const char *kernel;
    struct simt_dim grid, block;
    struct estimate estimate;
} kernels[MOST_KERNELS];
static unsigned count;

static double length_of(const struct estimate *e)
{
    return e->modelled ? e->model_us : e->floors.floor_us;
}

void report_explain_add(const struct report_row *row)
{
    const struct estimate *e = row->estimate;
    unsigned i = 0;
    if (e == NULL || isnan(e->floors.floor_us)) {
        return;
    }
    while (i < count && strcmp(kernels[i].kernel, row->kernel) != 0) {
        i++;
    }
    if (i == MOST_KERNELS || (i < count && length_of(&kernels[i].estimate) > length_of(e))) {
        return;
    }
    count = i == count ? count + 1 : count;
    kernels[i] = (struct explained){row->kernel, row->grid, row->block, *e};
}

/* --- the model's parts, largest first ----------------------------------------------------------
 */

struct part {
    unsigned number;
    double us;
};

static int by_time(const void *left, const void *right)
{
    const double a = ((const struct part *)left)->us, b = ((const struct part *)right)->us;
    return a < b ? 1 : a > b ? -1 : 0;
}

static void print_parts(const struct model *m)
{
    struct part parts[MODEL_PARTS];
    unsigned parts_count = 0;
    for (unsigned p = FLOOR_BLOCKS; p < MODEL_PARTS; p++) {
        parts[parts_count++] = (struct part){p, m->part_us[p]};
    }
    qsort(parts, parts_count, sizeof *parts, by_time);
    printf("  limited by %s; alone they would take: ", model_part_name(m->limiter));
    for (unsigned i = 0; i < 4; i++) {
        printf("%s%s %.3g us", i > 0 ? ", " : "", model_part_name(parts[i].number), parts[i].us);
    }
    printf("\n");
}

static void print_model(const struct explained *k)
{
    const struct model *m = &k->estimate.model;
    const double blocks = (double)k->grid.x * k->grid.y * k->grid.z;
    printf("  modelled %.3g us%s\n", m->us,
           k->estimate.calibrated ? "" : " (not calibrated for this GPU)");
    print_parts(m);
    printf(
        "  %u blocks and %u warps fit on an SM (%.0f %% of its warps) with %u registers a thread, "
        "estimated; %.3g of them are there\n",
        m->blocks_per_sm, m->warps_per_sm, 100 * m->occupancy, k->estimate.registers,
        fmin(m->blocks_per_sm, blocks / m->sm_count));
    printf("  a warp alone would take %.0f cycles; the machine's code has about %.3g warp "
           "instructions\n",
           m->warp_cycles, m->instructions);
    if (!isnan(m->l1_hit)) {
        printf("  L1 has %.0f %% of the sectors that are loaded; ", 100 * m->l1_hit);
    } else {
        printf("  ");
    }
    printf("L2 moves %.3g MB, memory %.3g MB in and %.3g MB out\n", m->l2_sectors * 32 / 1e6,
           m->dram_read_bytes / 1e6, m->dram_write_bytes / 1e6);
}

void report_explain_print(void)
{
    for (unsigned i = 0; i < count; i++) {
        const struct explained *k = &kernels[i];
        const struct floors *f = &k->estimate.floors;
        printf("\n%s, %" PRIu32 " x %" PRIu32 " x %" PRIu32 " blocks of %" PRIu32 " x %" PRIu32
               " x %" PRIu32 " threads on %s\n",
               k->kernel, k->grid.x, k->grid.y, k->grid.z, k->block.x, k->block.y, k->block.z,
               k->estimate.gpu);
        printf("  at least %.3g us: %s\n", f->floor_us, floor_name(f->limiter));
        if (k->estimate.modelled) {
            print_model(k);
        }
    }
}
