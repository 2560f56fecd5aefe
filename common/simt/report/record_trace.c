/* record_trace.c - a block step by step, as the member "trace" of a record's entry; see
 * record_rows.h. */
#include "report/record_rows.h"
#include "base/room.h"

#include "base/demangle.h"
#include "ir/ir.h"
#include "report/variables.h"

#include <stdlib.h>
#include <string.h>

/* ---- the trace ------------------------------------------------------------------------------- */

/* {"%r17": "i"}: the registers of an instruction that the source has names for. */
static void write_names(struct json *j, const struct variables *names, const struct kernel *k,
                        uint32_t pc)
{
    const struct code_source from = k->source[pc];
    const struct function_ir *ir = k->funcs[from.func]->ir;
    const struct ir_insn *in = &ir->insns[from.insn];
    bool any = false;
    for (uint32_t i = 0; i < (uint32_t)in->written + in->read; i++) {
        const uint32_t reg = ir->refs[in->refs + i];
        const char *name = variables_name(names, from.func, from.insn, reg);
        bool known = name == NULL;
        for (uint32_t b = 0; b < i && !known; b++) {
            known = ir->refs[in->refs + b] == reg;
        }
        if (!known) {
            if (!any) {
                json_open(j, NULL, '{');
            }
            any = true;
            json_text(j, ir->regs[reg].name, name);
        }
    }
    if (any) {
        json_close(j, '}');
    }
}

static void write_insn(struct json *j, struct record_rows *r, const struct kernel *k,
                       const struct variables *names, uint32_t pc)
{
    char text[160];
    const char *file;
    struct trace_register registers[TRACE_REGISTERS];
    const struct code_source from = k->source[pc];
    unsigned line = observer_line(k, pc, &file);
    unsigned count = trace_registers(k, pc, registers);
    trace_text(k->origin[pc], text, sizeof text);
    json_open(j, NULL, '[');
    json_integer(j, NULL, record_file_number(r, file));
    json_number(j, NULL, line);
    json_text(j, NULL, text);
    json_open(j, NULL, '[');
    for (unsigned i = 0; i < count; i++) {
        json_text(j, NULL, registers[i].name);
        const uint32_t reg = ir_written(k->funcs[from.func]->ir, from.insn).reg[i];
        json_text(j, NULL, ptx_type_name(variables_type(names, from.func, reg)));
    }
    json_close(j, ']');
    if (from.insn != NO_REF) {
        write_names(j, names, k, pc);
    }
    json_close(j, ']');
}

static void write_numbers(struct json *j, const int *list, unsigned count)
{
    while (count > 0 && list[count - 1] == TRACE_NOTHING) {
        count--;
    }
    json_open(j, NULL, '[');
    for (unsigned i = 0; i < count; i++) {
        json_integer(j, NULL, list[i]);
    }
    json_close(j, ']');
}

static void write_trace_access(struct json *j, struct record_rows *r, const struct trace *t,
                               const struct trace_access *a)
{
    json_open(j, NULL, '[');
    json_text(j, NULL, record_kind_names[a->kind]);
    json_text(j, NULL, record_space_names[a->space]);
    json_number(j, NULL, a->bytes);
    json_number(j, NULL, a->lanes);
    json_integer(j, NULL, a->address);
    json_number(j, NULL, a->cost.b);
    json_number(j, NULL, a->cost.c);
    json_integer(j, NULL,
                 record_picture_number(r, a->space, a->kind, a->bytes, a->lanes,
                                       t->vectors[a->address].lane));
    write_numbers(j, a->written, 4);
    json_close(j, ']');
}

static void write_step(struct json *j, const struct trace *t, const struct trace_step *s,
                       const int *insn_of)
{
    const char *file;
    json_open(j, NULL, '[');
    json_number(j, NULL, s->warp);
    json_integer(j, NULL, insn_of[s->pc]);
    json_number(j, NULL, s->lanes);
    json_number(j, NULL, s->active);
    json_number(j, NULL, s->taken);
    json_integer(j, NULL, s->access);
    write_numbers(j, s->value, TRACE_REGISTERS);
    json_open(j, NULL, '[');
    for (unsigned i = 0; i < s->waiting_count; i++) {
        const struct trace_waiting *w = &t->waiting[s->waiting + (int)i];
        json_number(j, NULL, w->lanes);
        json_number(j, NULL, observer_line(t->kernel, w->pc, &file));
        json_number(j, NULL, w->blocked ? 1 : w->ready ? 2 : 0);
    }
    json_close(j, ']');
    json_close(j, ']');
}

static void write_shared_variables(struct json *j, const struct trace *t)
{
    json_open(j, "shared", '[');
    for (unsigned i = 0; i < t->kernel->shared_variable_count; i++) {
        const struct shared_variable *v = &t->kernel->shared_variables[i];
        char name[256];
        demangle_last_name(v->name, name, sizeof name);
        json_open(j, NULL, '[');
        json_text(j, NULL, name);
        json_number(j, NULL, v->offset);
        json_number(j, NULL, v->bytes != 0 ? v->bytes : t->shared_bytes - v->offset);
        json_close(j, ']');
    }
    json_close(j, ']');
}

/* The first step whose number is at least that; step_count: none. */
static unsigned step_from(const struct trace *t, uint64_t number)
{
    unsigned low = 0, high = t->step_count;
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        if (t->steps[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Before which step rounds of a loop are left out, and what they have left in shared memory. */
static void write_gap(struct json *j, struct record_rows *r, const struct trace *t,
                      const struct trace_gap *g)
{
    const char *file;
    const unsigned line = observer_line(t->kernel, g->head, &file);
    const unsigned step = step_from(t, g->before);
    if (step == t->step_count) {
        return; /* the record ends before it */
    }
    json_open(j, NULL, '[');
    json_number(j, NULL, step);
    json_number(j, NULL, g->warp);
    json_number(j, NULL, g->left_out);
    json_number(j, NULL, g->first_round);
    json_number(j, NULL, g->last_round);
    json_integer(j, NULL, record_file_number(r, file));
    json_number(j, NULL, line);
    json_number(j, NULL, step_from(t, g->first_left_out));
    json_open(j, NULL, '[');
    for (unsigned i = 0; i < g->word_count; i++) {
        json_number(j, NULL, g->words[i].word);
        json_number(j, NULL, g->words[i].value);
        json_number(j, NULL, step_from(t, g->words[i].number));
    }
    json_close(j, ']');
    json_number(j, NULL, g->more_words);
    json_close(j, ']');
}

/* Of the kernel whose trace was written last: it is written in several lengths, and traced again.
 */
static const struct variables *variables_of(const struct kernel *k)
{
    static struct variables *known;
    static uint64_t serial;
    if (known == NULL || serial != k->serial) {
        if (known != NULL) {
            variables_free(known);
        }
        known = variables_find(k);
        serial = k->serial;
    }
    return known;
}

void record_write_trace(struct json *j, struct record_rows *r, const struct trace *t)
{
    char text[WARP_LANES * 18];
    int *insn_of = room_raw(t->kernel->code_count + 1, sizeof *insn_of);
    const struct variables *names = variables_of(t->kernel);
    int insns = 0;
    memset(insn_of, -1, (t->kernel->code_count + 1) * sizeof *insn_of);
    json_open(j, "trace", '{');
    record_write_dim(j, "block", &t->block_index);
    json_number(j, "warps", t->warp_count);
    json_number(j, "played", t->played);
    json_integer(j, "only_warp", t->only_warp);
    json_number(j, "steps_of_block", t->steps_of_block);
    json_number(j, "shared_bytes", t->shared_bytes);
    write_shared_variables(j, t);
    json_open(j, "instructions", '[');
    for (unsigned i = 0; i < t->step_count; i++) {
        if (insn_of[t->steps[i].pc] < 0) {
            insn_of[t->steps[i].pc] = insns++;
            write_insn(j, r, t->kernel, names, t->steps[i].pc);
        }
    }
    json_close(j, ']');
    json_open(j, "steps", '[');
    for (unsigned i = 0; i < t->step_count; i++) {
        write_step(j, t, &t->steps[i], insn_of);
    }
    json_close(j, ']');
    json_open(j, "gaps", '[');
    for (unsigned i = 0; i < t->gap_count; i++) {
        write_gap(j, r, t, &t->gaps[i]);
    }
    json_close(j, ']');
    json_number(j, "cut", t->cut);
    json_open(j, "accesses", '[');
    for (unsigned i = 0; i < t->access_count; i++) {
        write_trace_access(j, r, t, &t->accesses[i]);
    }
    json_close(j, ']');
    json_open(j, "vectors", '[');
    for (unsigned i = 0; i < t->vector_count; i++) {
        record_vector_text(t->vectors[i].lane, FULL_MASK, text, sizeof text);
        json_text(j, NULL, text);
    }
    json_close(j, ']');
    json_close(j, '}');
    free(insn_of);
}
