/* report_explain.c - SIMT_REPORT=explain: of each kernel's longest launch, in words, what limits
 * it, what comes next, and what it is made of. Printed when the program ends.
 *
 * A kernel is compared with the next one of its family: kernels whose names begin with the same
 * word (matmul_naive, matmul_tiled). SIMT_REPORT=explain:a,b names the kernels that are shown and
 * compared, in this order. */
#include "report/report_explain.h"

#include <inttypes.h>
#include "base/room.h"
#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 64 };

static struct explained {
    const char *kernel;
    struct simt_dim grid, block;
    double warps;
    struct estimate estimate;
} kernels[MOST_KERNELS];
static unsigned count;
static char *wanted; /* "a,b": these kernels, in this order; NULL: all */

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
    const uint64_t threads = (uint64_t)row->block.x * row->block.y * row->block.z;
    const double blocks = (double)row->grid.x * row->grid.y * row->grid.z;
    const double warps = blocks * (double)((threads + 31) / 32);
    kernels[i] = (struct explained){row->kernel, row->grid, row->block, warps, *e};
}

struct time_text {
    char s[24];
};

/* "35.2 us", "25 ms": three digits, and no more. */
static struct time_text time_text(double us)
{
    struct time_text t;
    snprintf(t.s, sizeof t.s, us < 999.5 ? "%.3g us" : "%.3g ms", us < 999.5 ? us : us / 1e3);
    return t;
}

/* --- the model's parts, largest first --------------------------------------------------------- */

struct part {
    unsigned number;
    double us;
};

static int by_time(const void *left, const void *right)
{
    const double a = ((const struct part *)left)->us, b = ((const struct part *)right)->us;
    return a < b ? 1 : a > b ? -1 : 0;
}

static void print_parts(FILE *out, const struct model *m)
{
    struct part parts[MODEL_PARTS];
    unsigned parts_count = 0;
    for (unsigned p = FLOOR_BLOCKS; p < MODEL_PARTS; p++) {
        parts[parts_count++] = (struct part){p, m->part_us[p]};
    }
    qsort(parts, parts_count, sizeof *parts, by_time);
    fprintf(out, "  limited by %s: %s of %s", model_part_name(m->limiter),
            time_text(m->part_us[m->limiter]).s, time_text(m->us).s);
    const char *before = ";\n    next: ";
    for (unsigned i = 0, written = 0; written < 3; i++) {
        if (parts[i].number != m->limiter) {
            fprintf(out, "%s%s, %s", before, model_part_name(parts[i].number),
                    time_text(parts[i].us).s);
            before = "; ";
            written++;
        }
    }
    fprintf(out, "\n");
    if (parts[0].number != m->limiter && m->share_of_sms < 0.75) {
        fprintf(out,
                "  (of the SMs that have blocks; on average an SM does %.0f %% of what they do)\n",
                100 * m->share_of_sms);
    }
}

/* What a warp does, by phase where it has barriers: lesson 02's arithmetic by hand. */
static void print_warp(FILE *out, const struct model *m, double warps)
{
    const double phases = m->phases >= 1 ? m->phases : 1;
    fprintf(out, "  a warp%s: %.4g instructions of the machine", m->phases >= 1 ? " and phase" : "",
            m->instructions / warps / phases);
    if (m->shared_load_wavefronts > 0) {
        fprintf(out, ",\n    %.4g + %.4g wavefronts of shared memory (loads + stores)",
                m->shared_load_wavefronts / phases, m->shared_store_wavefronts / phases);
    }
    fprintf(out, ", %.4g of global memory", m->global_wavefronts / phases);
    if (m->phases >= 1) {
        fprintf(out, "; %.4g phase%s", m->phases, m->phases >= 1.5 ? "s" : "");
    }
    fprintf(out, "\n");
}

/* --- from one kernel to the next -------------------------------------------------------------- */

struct figure {
    const char *what;
    double before, after;
};

/* What the next kernel of the program changes in these numbers, where it does by a tenth. */
static void print_next(FILE *out, const struct explained *k, const struct explained *next)
{
    const struct model *a = &k->estimate.model, *b = &next->estimate.model;
    const double wa = a->l1_wavefronts, wb = b->l1_wavefronts;
    const struct figure figures[] = {
        {"instructions", a->instructions, b->instructions},
        {"wavefronts of L1 and shared memory", wa, wb},
        {"bytes from L2", 32 * a->l2_sectors, 32 * b->l2_sectors},
        {"bytes from and to memory", a->dram_read_bytes + a->dram_write_bytes,
         b->dram_read_bytes + b->dram_write_bytes},
        {"registers of a thread", k->estimate.registers, next->estimate.registers},
        {"warps on an SM", a->warps_per_sm, b->warps_per_sm},
        {"cycles of a warp alone", a->warp_cycles, b->warp_cycles},
    };
    fprintf(out, "  what %s changes: modelled %s -> %s", next->kernel, time_text(a->us).s,
            time_text(b->us).s);
    for (unsigned i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const struct figure *f = &figures[i];
        if (f->before != f->after && fabs(f->after - f->before) >= 0.1 * f->before) {
            fprintf(out, ";\n    %s %.4g -> %.4g", f->what, f->before, f->after);
            if (f->before > 0 && f->after > 0) {
                fprintf(out, " (%.2f x)", f->after / f->before);
            }
        }
    }
    fprintf(out, ";\n    then limited by %s\n", model_part_name(b->limiter));
}

static void print_model(FILE *out, const struct explained *k)
{
    const struct model *m = &k->estimate.model;
    const double blocks = (double)k->grid.x * k->grid.y * k->grid.z;
    fprintf(out, "  modelled %s%s\n", time_text(m->us).s,
            k->estimate.calibrated ? "" : " (not calibrated for this GPU)");
    print_parts(out, m);
    print_warp(out, m, k->warps);
    fprintf(out,
            "  %u blocks and %u warps fit on an SM (%.0f %% of its warps) with %u registers a "
            "thread%s;\n    %.3g of them are there\n",
            m->blocks_per_sm, m->warps_per_sm, 100 * m->occupancy, k->estimate.registers,
            k->estimate.exact_registers ? "" : ", estimated",
            fmin(m->blocks_per_sm, blocks / m->sm_count));
    fprintf(out,
            "  a warp alone would take %.0f cycles; the machine's code has about %.3g warp "
            "instructions\n",
            m->warp_cycles, m->instructions);
    if (!isnan(m->l1_hit)) {
        fprintf(out, "  L1 has %.0f %% of the sectors that are loaded; ", 100 * m->l1_hit);
    } else {
        fprintf(out, "  ");
    }
    fprintf(out, "L2 moves %.3g MB, memory %.3g MB in and %.3g MB out\n", m->l2_sectors * 32 / 1e6,
            m->dram_read_bytes / 1e6, m->dram_write_bytes / 1e6);
}

/* --- which kernels ---------------------------------------------------------------------------- */

/* "ns::reduce_block<float, 256>" is "reduce_block": where it begins, and how long it is. */
static const char *plain_name(const char *kernel, size_t *length)
{
    const char *end = kernel + strcspn(kernel, "<("), *begin = word_begin(kernel, end);
    *length = (size_t)(end - begin);
    return begin;
}

/* The names' first words are the same: up to the first underscore that stands behind a letter. */
static bool same_family(const char *left, const char *right)
{
    size_t a, b, i = 0;
    left = plain_name(left, &a);
    right = plain_name(right, &b);
    while (i < a && i < b && left[i] == right[i] && (i == 0 || left[i] != '_')) {
        i++;
    }
    const bool left_ends = i == a || left[i] == '_', right_ends = i == b || right[i] == '_';
    return left_ends && right_ends;
}

static bool is_called(const char *kernel, const char *name, size_t length)
{
    size_t plain_length;
    const char *plain = plain_name(kernel, &plain_length);
    return (plain_length == length && strncmp(plain, name, length) == 0) ||
           (strlen(kernel) == length && strncmp(kernel, name, length) == 0);
}

/* How long the first name of a list is: a comma within < > or ( ) is part of a name. */
static size_t first_length(const char *list)
{
    size_t length = 0;
    for (int depth = 0; list[length] != '\0' && (depth > 0 || list[length] != ','); length++) {
        depth += list[length] == '<' || list[length] == '(';
        depth -= list[length] == '>' || list[length] == ')';
    }
    return length;
}

/* Numbers of the kernels to be shown, in their order. A name that no kernel has is reported. */
static unsigned chosen_kernels(unsigned chosen[MOST_KERNELS])
{
    unsigned shown = 0;
    for (unsigned i = 0; wanted == NULL && i < count; i++) {
        chosen[shown++] = i;
    }
    for (const char *at = wanted; at != NULL && *at != '\0';) {
        const size_t length = first_length(at);
        const unsigned before = shown;
        for (unsigned i = 0; i < count && shown < MOST_KERNELS; i++) {
            if (is_called(kernels[i].kernel, at, length)) {
                chosen[shown++] = i;
            }
        }
        if (shown == before && length > 0) {
            fprintf(stderr,
                    "simt: SIMT_REPORT=explain: no kernel that was launched is called %.*s\n",
                    (int)length, at);
        }
        at += length + (at[length] == ',');
    }
    return shown;
}

/* The kernel to compare with number `at` of those chosen: the next one that was named, else the
 * next one of the same family. NULL: none. */
static const struct explained *next_of(const unsigned *chosen, unsigned shown, unsigned at)
{
    for (unsigned i = at + 1; i < shown; i++) {
        const struct explained *next = &kernels[chosen[i]];
        if (wanted != NULL || same_family(kernels[chosen[at]].kernel, next->kernel)) {
            return next;
        }
    }
    return NULL;
}

static void print_kernel(FILE *out, const struct explained *k, const struct explained *next)
{
    const struct floors *f = &k->estimate.floors;
    fprintf(out,
            "%s, %" PRIu32 " x %" PRIu32 " x %" PRIu32 " blocks of %" PRIu32 " x %" PRIu32
            " x %" PRIu32 " threads on %s\n",
            k->kernel, k->grid.x, k->grid.y, k->grid.z, k->block.x, k->block.y, k->block.z,
            k->estimate.gpu);
    fprintf(out, "  at least %s: %s\n", time_text(f->floor_us).s, floor_name(f->limiter));
    if (k->estimate.modelled) {
        print_model(out, k);
    }
    if (next != NULL && k->estimate.modelled && next->estimate.modelled) {
        print_next(out, k, next);
    }
}

void report_explain_only(const char *names) { wanted = room_text(names); }

void report_explain_print(void)
{
    unsigned chosen[MOST_KERNELS];
    const unsigned shown = chosen_kernels(chosen);
    for (unsigned i = 0; i < shown; i++) {
        printf("\n");
        print_kernel(stdout, &kernels[chosen[i]], next_of(chosen, shown, i));
    }
}

void report_explain_visit(void (*visit)(void *state, const char *kernel, const char *text),
                          void *state)
{
    unsigned chosen[MOST_KERNELS];
    const unsigned shown = chosen_kernels(chosen);
    for (unsigned i = 0; i < shown; i++) {
        char *text = NULL;
        size_t length = 0;
        FILE *out = room_stream(&text, &length);
        print_kernel(out, &kernels[chosen[i]], next_of(chosen, shown, i));
        room_stream_end(out);
        visit(state, kernels[chosen[i]].kernel, text);
        free(text);
    }
}
