/* record_timeline.c - see record_timeline.h. */
#include "report/record_timeline.h"

#include "base/room.h"
#include "common/gpu/gpu_rates.h"
#include "runtime/cudart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const what_if_words[WHAT_IFS] = {
    [IF_ONE_BLOCK_FEWER] = "one block fewer on an SM",
    [IF_TWICE_THE_WARPS] = "twice the warps on an SM",
    [IF_NO_LATENCY] = "no latency of memory",
    [IF_COALESCED] = "perfect coalescing"};

/* Instructions are numbered in the order in which they are needed. */
struct numbers {
    const struct kernel *k;
    int *of; /* per code index; -1: none yet */
    uint32_t *pcs;
    int count;
};

static int number_of(struct numbers *n, uint32_t pc)
{
    if (pc >= n->k->code_count || n->k->origin[pc] == NULL) {
        return -1;
    }
    if (n->of[pc] < 0) {
        n->pcs[n->count] = pc;
        n->of[pc] = n->count++;
    }
    return n->of[pc];
}

/* [place, from, cycles, state, instruction, the one that it waits for, block, ...], whole cycles.
 */
static void write_states(struct json *j, const struct sm_view *v, struct numbers *n)
{
    json_open(j, "states", '[');
    for (unsigned i = 0; i < v->state_count; i++) {
        const struct sm_view_state *s = &v->states[i];
        const int64_t from = llround(s->from), to = llround(s->to);
        if (to > from) {
            json_number(j, NULL, s->slot);
            json_integer(j, NULL, from);
            json_integer(j, NULL, to - from);
            json_number(j, NULL, s->stall);
            json_integer(j, NULL, number_of(n, s->pc));
            json_integer(j, NULL, number_of(n, s->cause));
            json_number(j, NULL, s->block);
        }
    }
    json_close(j, ']');
}

static void write_instructions(struct json *j, struct record_rows *r, const struct numbers *n)
{
    json_open(j, "instructions", '[');
    for (int i = 0; i < n->count; i++) {
        char text[160];
        const char *file;
        const unsigned line = observer_line(n->k, n->pcs[i], &file);
        trace_text(n->k->origin[n->pcs[i]], text, sizeof text);
        json_open(j, NULL, '[');
        json_integer(j, NULL, record_file_number(r, file));
        json_number(j, NULL, line);
        json_text(j, NULL, text);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void write_sums(struct json *j, const char *key, const double sums[STALLS])
{
    json_open(j, key, '[');
    for (unsigned i = 0; i < STALLS; i++) {
        json_integer(j, NULL, llround(sums[i]));
    }
    json_close(j, ']');
}

static void write_shares(struct json *j, const struct sm_view *v)
{
    json_open(j, "reasons", '[');
    for (unsigned i = 0; i < STALLS; i++) {
        json_text(j, NULL, sm_view_stall_name((enum stall)i));
    }
    json_close(j, ']');
    write_sums(j, "sums", v->sums);
    json_real(j, "bucket_cycles", v->bucket_cycles);
    json_open(j, "buckets", '[');
    for (unsigned i = 0; i < SM_VIEW_BUCKETS && i * v->bucket_cycles < v->cycles; i++) {
        write_sums(j, NULL, v->buckets[i]);
    }
    json_close(j, ']');
}

static void write_what_ifs(struct json *j, const struct estimate *e)
{
    json_open(j, "what_if", '[');
    for (unsigned i = 0; i < WHAT_IFS; i++) {
        json_open(j, NULL, '{');
        json_text(j, "what", what_if_words[i]);
        json_real(j, "us", e->if_so[i].us);
        json_text(j, "limiter", model_part_name(e->if_so[i].limiter));
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* The simulated cycles stand for all blocks of the SM; what the model says of its time is divided
 * by them, so that the pieces add up to the model's time. */
static void write_scale(struct json *j, const struct report_row *row, const struct sm_view *v)
{
    const struct estimate *e = row->estimate;
    const struct model *m = &e->model;
    const double blocks = (double)row->grid.x * row->grid.y * row->grid.z;
    const double of_sm = ceil(blocks / m->sm_count);
    const double all = v->cycles * fmax(1, of_sm / fmax(1, v->blocks));
    const double busy = m->us - m->part_us[FLOOR_LAUNCH];
    json_real(j, "us", m->us);
    json_real(j, "launch_us", m->part_us[FLOOR_LAUNCH]);
    json_real(j, "us_per_cycle", busy / fmax(1, all));
    json_real(j, "schedule_us",
              all / (gpu_rates(runtime_limits()).clock_ghz * 1e3) + m->part_us[FLOOR_LAUNCH]);
    json_real(j, "cycles", v->cycles);
    json_real(j, "drawn_cycles", v->drawn);
    json_real(j, "issued", v->issued);
    json_number(j, "slots", v->slots);
    json_number(j, "blocks", v->blocks);
    json_real(j, "blocks_of_sm", of_sm);
    json_number(j, "blocks_per_sm", m->blocks_per_sm);
    json_number(j, "sms", m->sm_count);
    json_real(j, "blocks_of_grid", blocks);
}

void record_write_timeline(struct json *j, struct record_rows *r, const struct report_row *row,
                           const struct kernel *kernel)
{
    const struct sm_view *v = row->estimate != NULL ? row->estimate->timeline : NULL;
    if (v == NULL || v->state_count == 0) {
        return;
    }
    struct numbers n = {.k = kernel,
                        .of = room_raw(kernel->code_count + 1, sizeof(int)),
                        .pcs = room_raw(kernel->code_count + 1, sizeof(uint32_t))};
    memset(n.of, -1, (kernel->code_count + 1) * sizeof(int));
    json_open(j, "timeline", '{');
    write_scale(j, row, v);
    write_shares(j, v);
    write_what_ifs(j, row->estimate);
    write_states(j, v, &n);
    write_instructions(j, r, &n);
    json_close(j, '}');
    free(n.of);
    free(n.pcs);
}
