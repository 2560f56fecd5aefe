/* trace.c - see trace.h. */
#include "watch/trace.h"

#include "ir/ir.h"

#include <stdio.h>
#include <string.h>

/* --- lists of 32 numbers, each kept once -------------------------------------------------------
 */

static uint64_t hash_of(const struct trace_vector *v)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        hash = (hash ^ v->lane[i]) * HASH_MULTIPLIER;
        hash ^= hash >> 29;
    }
    return hash;
}

static void grow_slots(struct trace *t)
{
    t->slot_count = t->slot_count == 0 ? 1024 : 2 * t->slot_count;
    t->vector_slots = arena_alloc(&t->arena, t->slot_count * sizeof *t->vector_slots);
    for (unsigned i = 0; i < t->vector_count; i++) {
        uint64_t slot = hash_of(&t->vectors[i]) % t->slot_count;
        while (t->vector_slots[slot] != 0) {
            slot = (slot + 1) % t->slot_count;
        }
        t->vector_slots[slot] = i + 1;
    }
}

static int keep_vector(struct trace *t, const struct trace_vector *v)
{
    if (2 * t->vector_count >= t->slot_count) {
        grow_slots(t);
    }
    uint64_t slot = hash_of(v) % t->slot_count;
    for (; t->vector_slots[slot] != 0; slot = (slot + 1) % t->slot_count) {
        unsigned known = t->vector_slots[slot] - 1;
        if (memcmp(&t->vectors[known], v, sizeof *v) == 0) {
            return (int)known;
        }
    }
    t->vectors = arena_grow(&t->arena, t->vectors, t->vector_count, &t->vector_capacity, sizeof *v);
    t->vectors[t->vector_count] = *v;
    t->vector_slots[slot] = ++t->vector_count;
    return (int)t->vector_count - 1;
}

/* --- what an instruction writes ----------------------------------------------------------------
 */

unsigned trace_registers(const struct kernel *k, uint32_t pc, struct trace_register out[4])
{
    const struct code_source from = k->source[pc];
    if (from.insn == NO_REF) {
        return 0;
    }
    const struct function_ir *ir = k->funcs[from.func]->ir;
    const struct ir_regs w = ir_written(ir, from.insn);
    const unsigned count = w.count < 4 ? w.count : 4;
    for (unsigned i = 0; i < count; i++) {
        const struct ir_reg *r = &ir->regs[w.reg[i]];
        out[i] = (struct trace_register){r->name, r->type};
    }
    return count;
}

/* The last code entry of the PTX instruction that begins at pc: the one that writes the result. */
static const struct insn *last_entry(const struct kernel *k, uint32_t pc)
{
    while (pc + 1 < k->code_count && k->origin[pc + 1] == k->origin[pc]) {
        pc++;
    }
    return &k->code[pc];
}

static uint64_t lane_value(const struct warp *w, uint32_t ref, enum ptx_type type, unsigned lane)
{
    const void *at = warp_ref(w, ref);
    if (type == PTX_PRED) {
        return *(const uint32_t *)at >> lane & 1u;
    }
    return ptx_type_bytes(type) == 8 ? ((const uint64_t *)at)[lane] : ((const uint32_t *)at)[lane];
}

/* The warp's last step has been executed: now its registers hold the result. */
static void finish_step(struct trace *t, const struct warp *w)
{
    if (t->pending[w->number] < 0) {
        return;
    }
    struct trace_step *s = &t->steps[t->pending[w->number]];
    struct trace_register registers[4];
    const struct insn *in = last_entry(t->kernel, s->pc);
    const uint32_t refs[4] = {in->d, in->b, in->c, in->e}; /* as ld has them: exec_memory.c */
    unsigned count = trace_registers(t->kernel, s->pc, registers);
    t->pending[w->number] = TRACE_NOTHING;
    for (unsigned i = 0; i < count; i++) {
        if (refs[i] == NO_REF || (refs[i] & 3u) != REF_FRAME || registers[i].type == PTX_NO_TYPE) {
            continue;
        }
        struct trace_vector v;
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            v.lane[lane] = lane_value(w, refs[i], registers[i].type, lane);
        }
        s->value[i] = keep_vector(t, &v);
    }
}

/* --- events ------------------------------------------------------------------------------------
 */

static bool records(const struct trace *t, const struct warp *w)
{
    return t->kernel != NULL && w->block->number == t->block_number && t->pending != NULL &&
           (t->only_warp < 0 || (unsigned)t->only_warp == w->number);
}

static void note_waiting(struct trace *t, const struct warp *w, struct trace_step *s)
{
    s->waiting = (int)t->waiting_count;
    for (unsigned i = 0; i < w->split_count; i++) {
        const struct split *other = &w->splits[i];
        if ((int)i == w->current || other->state == SPLIT_FREE || other->mask == 0) {
            continue;
        }
        t->waiting = arena_grow(&t->arena, t->waiting, t->waiting_count, &t->waiting_capacity,
                                sizeof *t->waiting);
        t->waiting[t->waiting_count++] =
            (struct trace_waiting){.lanes = other->mask,
                                   .pc = other->pc,
                                   .blocked = other->state == SPLIT_BLOCKED,
                                   .ready = other->state == SPLIT_READY};
        s->waiting_count++;
    }
}

static void on_step(void *state, struct warp *w, uint32_t pc, lane_mask lanes)
{
    struct trace *t = state;
    if (!records(t, w)) {
        return;
    }
    finish_step(t, w);
    t->steps_of_block++;
    if (t->step_count == t->limit) {
        return;
    }
    t->steps = arena_grow(&t->arena, t->steps, t->step_count, &t->step_capacity, sizeof *t->steps);
    struct trace_step *s = &t->steps[t->step_count];
    *s = (struct trace_step){.pc = pc,
                             .warp = w->number,
                             .lanes = lanes,
                             .active = w->active,
                             .value = {TRACE_NOTHING, TRACE_NOTHING, TRACE_NOTHING, TRACE_NOTHING},
                             .access = TRACE_NOTHING};
    note_waiting(t, w, s);
    t->pending[w->number] = (int)t->step_count++;
}

static struct trace_step *step_of(struct trace *t, const struct warp *w)
{
    if (!records(t, w) || t->pending[w->number] < 0) {
        return NULL;
    }
    return &t->steps[t->pending[w->number]];
}

static void note_written(struct trace *t, const struct warp *w, const struct access_event *e,
                         struct trace_access *a)
{
    unsigned words = (e->bytes + 3) / 4;
    for (unsigned k = 0; k < words && k < 4; k++) {
        struct trace_vector v = {{0}};
        for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
            unsigned lane = first_lane(left);
            uint64_t at = (e->address[lane] & ~(uint64_t)3) + 4u * k; /* whole words */
            uint32_t word;
            memcpy(&word, w->block->shared + at, sizeof word);
            v.lane[lane] = word;
        }
        a->written[k] = keep_vector(t, &v);
    }
}

static void on_access(void *state, struct warp *w, const struct access_event *e)
{
    struct trace *t = state;
    struct trace_step *s = step_of(t, w);
    if (s == NULL ||
        s->access >= 0) { /* a second space of a generic access: the first one is shown */
        return;
    }
    struct trace_vector address = {{0}};
    for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
        address.lane[first_lane(left)] = e->address[first_lane(left)];
    }
    t->accesses = arena_grow(&t->arena, t->accesses, t->access_count, &t->access_capacity,
                             sizeof *t->accesses);
    struct trace_access *a = &t->accesses[t->access_count];
    *a = (struct trace_access){
        .kind = e->kind,
        .space = e->space,
        .bytes = e->bytes,
        .lanes = e->lanes,
        .address = keep_vector(t, &address),
        .cost = e->cost,
        .written = {TRACE_NOTHING, TRACE_NOTHING, TRACE_NOTHING, TRACE_NOTHING}};
    if (e->space == PTX_SHARED && e->kind != ACCESS_LOAD) {
        note_written(t, w, e, a);
    }
    s->access = (int)t->access_count++;
}

static void on_branch(void *state, struct warp *w, uint32_t pc, lane_mask lanes, lane_mask taken)
{
    struct trace_step *s = step_of(state, w);
    (void)lanes;
    if (s != NULL && s->pc == pc) {
        s->taken = taken;
    }
}

static void on_block_begin(void *state, struct block *b)
{
    struct trace *t = state;
    if (t->kernel == NULL || b->number != t->block_number) {
        return;
    }
    t->block_index = b->index;
    t->warp_count = b->warp_count;
    t->shared_bytes = b->shared_bytes;
    t->pending = arena_alloc(&t->arena, b->warp_count * sizeof *t->pending);
    for (unsigned i = 0; i < b->warp_count; i++) {
        t->pending[i] = TRACE_NOTHING;
    }
}

static void on_block_end(void *state, struct block *b)
{
    struct trace *t = state;
    for (unsigned i = 0; i < b->warp_count; i++) {
        if (records(t, &b->warps[i])) {
            finish_step(t, &b->warps[i]);
        }
    }
}

static void on_launch_begin(void *state, const struct launch_event *launch)
{
    struct trace *t = state;
    const unsigned events = OBSERVE_STEPS | OBSERVE_ACCESSES | OBSERVE_BRANCHES;
    t->observer.wants = t->wanted ? events : 0;
    t->observer.step_block = t->block_number;
    if (t->wanted) {
        trace_forget(t);
        t->kernel = launch->kernel;
    }
}

static void on_launch_end(void *state, const struct launch_event *launch)
{
    struct trace *t = state;
    (void)launch;
    t->pending = NULL; /* nothing more is recorded */
    t->wanted = false;
}

void trace_init(struct trace *t)
{
    *t = (struct trace){.only_warp = -1};
    t->observer = (struct observer){.state = t,
                                    .launch_begin = on_launch_begin,
                                    .launch_end = on_launch_end,
                                    .block_begin = on_block_begin,
                                    .block_end = on_block_end,
                                    .access = on_access,
                                    .branch = on_branch,
                                    .step = on_step};
}

void trace_forget(struct trace *t)
{
    const struct trace keep = *t;
    arena_free(&t->arena);
    *t = (struct trace){.observer = keep.observer,
                        .wanted = keep.wanted,
                        .block_number = keep.block_number,
                        .only_warp = keep.only_warp,
                        .limit = keep.limit};
}

/* --- text --------------------------------------------------------------------------------------
 */

struct writer {
    char *text;
    size_t size, length;
};

static void put(struct writer *w, const char *text)
{
    size_t length = strlen(text), room = w->size - w->length - 1;
    length = length < room ? length : room;
    memcpy(w->text + w->length, text, length);
    w->length += length;
    w->text[w->length] = '\0';
}

static void put_operand(struct writer *w, const struct ptx_operand *o);

static void put_items(struct writer *w, const struct ptx_operand *o, const char *between)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        put(w, i > 0 ? between : "");
        put_operand(w, &o->items[i]);
    }
}

static void put_operand(struct writer *w, const struct ptx_operand *o)
{
    char number[40];
    put(w, o->negated ? "!" : "");
    switch (o->kind) {
    case PTX_OPERAND_REG:
    case PTX_OPERAND_SPECIAL:
    case PTX_OPERAND_SINK:
        put(w, o->name);
        break;
    case PTX_OPERAND_INT:
        snprintf(number, sizeof number, "%lld", (long long)o->bits);
        put(w, number);
        break;
    case PTX_OPERAND_FLOAT: {
        double d;
        float f;
        uint32_t low = (uint32_t)o->bits;
        memcpy(&d, &o->bits, sizeof d);
        memcpy(&f, &low, sizeof f);
        snprintf(number, sizeof number, "%.9g", o->is_double ? d : (double)f);
        put(w, number);
        break;
    }
    case PTX_OPERAND_SYMBOL:
    case PTX_OPERAND_MEMORY:
        put(w, o->kind == PTX_OPERAND_MEMORY ? "[" : "");
        put(w, o->name != NULL ? o->name : "");
        if (o->bits != 0) {
            snprintf(number, sizeof number, "%+lld", (long long)o->bits);
            put(w, number);
        }
        put(w, o->kind == PTX_OPERAND_MEMORY ? "]" : "");
        break;
    case PTX_OPERAND_VECTOR:
        put(w, "{");
        put_items(w, o, ", ");
        put(w, "}");
        break;
    case PTX_OPERAND_PAIR:
        put_items(w, o, "|");
        break;
    case PTX_OPERAND_LIST:
        put(w, "(");
        put_items(w, o, ", ");
        put(w, ")");
        break;
    }
}

void trace_text(const struct ptx_insn *in, char *text, size_t size)
{
    struct writer w = {text, size, 0};
    text[0] = '\0';
    if (in->guard != NULL) {
        put(&w, "@");
        put_operand(&w, in->guard);
        put(&w, " ");
    }
    put(&w, in->op_name);
    for (unsigned i = 0; i < in->modifier_count; i++) {
        put(&w, ".");
        put(&w, in->modifiers[i].text);
    }
    for (unsigned i = 0; i < in->operand_count; i++) {
        put(&w, i == 0 ? " " : ", ");
        put_operand(&w, &in->operands[i]);
    }
}
