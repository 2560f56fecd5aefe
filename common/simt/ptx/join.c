/* join.c - see join.h. A function is cut into segments, in which control comes in at the top and no
 * other thread's doing can be waited for; only accesses of one segment are joined. Loads go up to
 * the first of their group, stores down to the last of theirs, past nothing that may touch the same
 * bytes. */
#include "ptx/joiner.h"

#include <stdlib.h>
#include <string.h>

/* The code in a column: see cc/alignment.awk. */
enum { COLUMNS = 1024, SIZE_CODES = 8, COPY_CODE = 7 };

/* Accesses that one may pass on its way: what is farther apart nvcc leaves alone, too, and it keeps
 * the work of a long segment linear. */
enum { MOST_PASSED = 64, MOST_FIELDS = 4 };

void join_read_alignment(struct ptx_loc *loc)
{
    unsigned code = loc->column / COLUMNS, alignment = code / SIZE_CODES, size = code % SIZE_CODES;
    loc->column %= COLUMNS;
    loc->align = alignment > 0 && alignment <= 5 ? (uint8_t)(1u << (alignment - 1)) : 0;
    loc->is_copy = size == COPY_CODE;
    loc->bytes = loc->is_copy ? 8 : (uint8_t)(1u << size);
}

/* --- what an instruction is ------------------------------------------------------------------- */

static bool has_memory(const struct ptx_insn *in)
{
    for (unsigned i = 0; i < in->operand_count; i++) {
        if (in->operands[i].kind == PTX_OPERAND_MEMORY) {
            return true;
        }
    }
    return false;
}

static bool is_access(const struct ptx_insn *in)
{
    return in->op == PTX_OP_LD || in->op == PTX_OP_ST;
}

static bool is_plain(const struct ptx_insn *in)
{
    static const enum ptx_word ordering[] = {WORD_VOLATILE, WORD_RELAXED, WORD_ACQUIRE,
                                             WORD_RELEASE, WORD_MMIO};
    for (size_t i = 0; i < sizeof ordering / sizeof ordering[0]; i++) {
        if (ptx_has_modifier(in, ordering[i])) {
            return false;
        }
    }
    return in->operand_count == 2;
}

/* Jumps, calls, barriers, fences, atomics, asynchronous copies: by their form, as far as it shows.
 */
static bool ends_segment(const struct ptx_insn *in)
{
    if (is_access(in)) {
        return !is_plain(in);
    }
    if (in->operand_count == 0 || has_memory(in) || in->op == PTX_OP_CALL || in->op == PTX_OP_BRX) {
        return true;
    }
    enum ptx_operand_kind result = in->operands[0].kind;
    return in->op == PTX_OP_BAR || in->op == PTX_OP_BARRIER ||
           (result != PTX_OPERAND_REG && result != PTX_OPERAND_VECTOR &&
            result != PTX_OPERAND_PAIR);
}

static enum ptx_space space_of(const struct ptx_insn *in)
{
    enum ptx_space space = PTX_GENERIC;
    for (unsigned i = 0; i < in->modifier_count && space == PTX_GENERIC; i++) {
        space = ptx_word_space(in->modifiers[i].word);
    }
    return space;
}

static const struct ptx_operand *value_of(const struct ptx_insn *in)
{
    return &in->operands[in->op == PTX_OP_ST ? 1 : 0];
}

static const struct ptx_operand *address_of(const struct ptx_insn *in)
{
    return &in->operands[in->op == PTX_OP_ST ? 0 : 1];
}

/* --- groups ----------------------------------------------------------------------------------- */

struct group {
    struct access *pieces[MOST_FIELDS]; /* by field; NULL: not there, or part of the one before */
    struct access *target;              /* where the joined access will stand */
    struct access *first;               /* field 0 */
    unsigned fields;
};

static bool is_width(const struct ptx_modifier *m)
{
    return m->word == WORD_V2 || m->word == WORD_V4;
}

/* The same words behind the dots, but for v2 and v4. */
static bool same_modifiers(const struct ptx_insn *a, const struct ptx_insn *b)
{
    unsigned i = 0, k = 0;
    for (;; i++, k++) {
        i += i < a->modifier_count && is_width(&a->modifiers[i]);
        k += k < b->modifier_count && is_width(&b->modifiers[k]);
        if (i >= a->modifier_count || k >= b->modifier_count) {
            return i >= a->modifier_count && k >= b->modifier_count;
        }
        if (a->modifiers[i].text != b->modifiers[k].text) {
            return false;
        }
    }
}

static unsigned distance(const struct access *a, const struct access *b)
{
    return a->insn < b->insn ? b->insn - a->insn : a->insn - b->insn;
}

/* Of every field the access that is nearest to the first field's. */
static void gather(const struct segment *s, unsigned anchor, unsigned fields, struct group *g)
{
    struct access *first = nth(s, anchor);
    *g = (struct group){.first = first, .fields = fields};
    int64_t end = first->offset + fields * first->element;
    for (unsigned i = anchor; i < s->access_count && by_kind(first, nth(s, i)) == 0; i++) {
        struct access *a = nth(s, i);
        if (a->offset + a->words * a->element > end) {
            break;
        }
        struct access **slot = &g->pieces[(a->offset - first->offset) / first->element];
        bool fits = (a->offset - first->offset) % first->element == 0 && !a->gone &&
                    same_modifiers(&s->f->insns[a->insn], &s->f->insns[first->insn]);
        if (fits && (*slot == NULL || distance(a, first) < distance(*slot, first))) {
            *slot = a;
        }
    }
    for (unsigned i = 0, covered = 0; i < fields;
         i++) { /* a vector covers its neighbours' fields */
        if (g->pieces[i] != NULL && i < covered) {
            g->pieces[i] = NULL;
        }
        covered = g->pieces[i] != NULL ? i + g->pieces[i]->words : covered;
    }
}

/* nvcc fills a gap of a load behind the first field, never one before it; stores have no gaps. */
static bool is_worth_joining(const struct group *g)
{
    unsigned pieces = 0, present = 0;
    for (unsigned i = 0; i < g->fields; i++) {
        if (g->pieces[i] != NULL) {
            pieces++;
            present |= ((1u << g->pieces[i]->words) - 1) << i;
        }
    }
    unsigned all = (1u << g->fields) - 1;
    bool filled = !g->first->store && g->fields == 4 && (present & 1) && (present >> 2) != 0;
    return pieces >= 2 && (present == all || filled);
}

static void choose_target(struct group *g)
{
    g->target = g->first;
    for (unsigned i = 0; i < g->fields; i++) {
        struct access *a = g->pieces[i];
        bool farther =
            a != NULL && (g->first->store ? a->insn > g->target->insn : a->insn < g->target->insn);
        g->target = farther ? a : g->target;
    }
}

static bool may_pass(const struct segment *s, const struct access *a, const struct access *passed)
{
    return passed->gone || passed == a || (!a->store && !passed->store) || are_apart(s, a, passed);
}

static bool may_move(const struct segment *s, const struct access *a, const struct access *target)
{
    const struct access *from = a < target ? a : target, *to = a < target ? target : a;
    const struct ptx_operand *value = value_of(&s->f->insns[a->insn]);
    if (to - from > MOST_PASSED ||
        (a->store ? is_touched(s, value, a->insn + 1, target->insn, false)
                  : is_touched(s, value, target->insn, a->insn, true))) {
        return false;
    }
    for (const struct access *passed = from; passed <= to; passed++) {
        if (!may_pass(s, a, passed)) {
            return false;
        }
    }
    return true;
}

/* Leaves out of the group what cannot come to the others; false if there is nothing left to join.
 */
static bool settle(const struct segment *s, struct group *g)
{
    for (bool changed = true; changed && is_worth_joining(g);) {
        changed = false;
        choose_target(g);
        for (unsigned i = 0; i < g->fields && !changed; i++) {
            struct access *a = g->pieces[i];
            if (a == NULL || a == g->target || may_move(s, a, g->target)) {
                continue;
            }
            changed = true;
            for (unsigned k = 0; k < g->fields; k++) { /* the first field stays */
                bool out = a == g->first ? g->pieces[k] == g->target : g->pieces[k] == a;
                g->pieces[k] = out ? NULL : g->pieces[k];
            }
        }
    }
    return is_worth_joining(g);
}

/* --- the joined instruction ------------------------------------------------------------------- */

static void make_vector(struct ptx_insn *in, unsigned fields, struct arena *arena)
{
    struct ptx_modifier *made = arena_alloc(arena, (in->modifier_count + 1) * sizeof *made);
    const enum ptx_word width = fields == 4 ? WORD_V4 : WORD_V2;
    unsigned count = 0;
    for (unsigned i = 0; i < in->modifier_count; i++) {
        if (i == in->modifier_count - 1) { /* the type is the last */
            made[count++] = (struct ptx_modifier){width, PTX_NO_TYPE, ptx_word_text(width)};
        }
        if (!is_width(&in->modifiers[i])) {
            made[count++] = in->modifiers[i];
        }
    }
    in->modifiers = made;
    in->modifier_count = count;
}

static void join(struct segment *s, struct group *g, struct arena *arena)
{
    struct ptx_insn *in = &s->f->insns[g->target->insn];
    struct ptx_operand *operands = arena_alloc(arena, 2 * sizeof *operands);
    struct ptx_operand *items = arena_alloc(arena, g->fields * sizeof *items);
    for (unsigned i = 0; i < g->fields; i++) {
        items[i] = (struct ptx_operand){.kind = PTX_OPERAND_SINK, .reg = PTX_NO_REG, .name = "_"};
    }
    for (unsigned i = 0; i < g->fields; i++) {
        struct access *a = g->pieces[i];
        if (a != NULL) {
            const struct ptx_operand *value = value_of(&s->f->insns[a->insn]);
            memcpy(&items[i], value->kind == PTX_OPERAND_VECTOR ? value->items : value,
                   a->words * sizeof *items);
            s->removed[a->insn] = a->gone = a != g->target;
        }
    }
    bool store = g->first->store;
    operands[store] = (struct ptx_operand){
        .kind = PTX_OPERAND_VECTOR, .reg = PTX_NO_REG, .items = items, .item_count = g->fields};
    operands[!store] = *address_of(in); /* by the target's own register: another may come later */
    operands[!store].bits += (uint64_t)(g->first->offset - g->target->offset);
    in->operands = operands;
    make_vector(in, g->fields, arena);
    g->target->offset = g->first->offset;
    g->target->words = g->fields;
}

/* --- segments --------------------------------------------------------------------------------- */

static void note_access(struct segment *s, unsigned insn)
{
    const struct ptx_insn *in = &s->f->insns[insn];
    const struct ptx_operand *address = address_of(in), *value = value_of(in);
    unsigned words = value->kind == PTX_OPERAND_VECTOR ? value->item_count : 1;
    unsigned bytes =
        in->modifier_count > 0 ? ptx_type_bytes(in->modifiers[in->modifier_count - 1].type) : 0;
    struct access a = {.insn = insn,
                       .store = in->op == PTX_OP_ST,
                       .gone = in->guard != NULL || address->item_count > 0 ||
                               address->kind != PTX_OPERAND_MEMORY,
                       .space = space_of(in),
                       .read_only = ptx_has_modifier(in, WORD_NC) || space_of(in) == PTX_CONST ||
                                    space_of(in) == PTX_PARAM,
                       .base = address->name,
                       .offset = (int64_t)address->bits,
                       .element = bytes != 0 ? bytes : 1,
                       .words = words != 0 ? words : 1};
    /* The compiler makes narrower loads of some, at an offset that it does not tell. */
    a.align = !in->loc->is_copy && a.element * a.words >= in->loc->bytes ? in->loc->align : 0;
    s->accesses = arena_grow(&s->scratch, s->accesses, s->access_count, &s->access_capacity,
                             sizeof *s->accesses);
    s->accesses[s->access_count++] = a;
}

/* Instructions begin .. end - 1. */
static void read_segment(struct segment *s, unsigned begin, unsigned end)
{
    s->mention_count = s->access_count = 0;
    s->begin = begin;
    for (unsigned i = begin; i < end; i++) {
        const struct ptx_insn *in = &s->f->insns[i];
        for (unsigned k = 0; k < in->operand_count; k++) {
            mention(s, &in->operands[k], i,
                    k == 0 && !is_access(in) ? true : k == 0 && in->op == PTX_OP_LD);
        }
        if (is_access(in)) {
            note_access(s, i);
        }
    }
}

static bool tells_alignment(const struct segment *s, unsigned begin, unsigned end)
{
    unsigned told = 0;
    for (unsigned i = begin; i < end && told < 2; i++) {
        const struct ptx_insn *in = &s->f->insns[i];
        told += is_access(in) && in->loc->align > 0;
    }
    return told >= 2;
}

static void join_segment(struct segment *s, unsigned begin, unsigned end, bool stores,
                         struct arena *arena)
{
    if (!tells_alignment(s, begin, end)) {
        return;
    }
    read_segment(s, begin, end);
    find_addresses(s);
    for (unsigned i = 0; i < s->access_count; i++) {
        for (unsigned fields = MOST_FIELDS; fields >= 2; fields /= 2) {
            const struct access *a = nth(s, i);
            unsigned bytes = fields * a->element;
            struct group g;
            if (a->gone || a->store != stores || a->words >= fields || bytes > JOIN_LINE_BYTES ||
                a->align < bytes) {
                continue;
            }
            gather(s, i, fields, &g);
            if (settle(s, &g)) {
                join(s, &g, arena);
                break;
            }
        }
    }
}

/* Marks the instructions that a jump may go to. */
static int by_address(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;
    return (*a > *b) - (*a < *b);
}

static bool *find_targets(const struct ptx_func *f, struct arena *scratch)
{
    bool *is_target = arena_alloc(scratch, f->insn_count + 1u);
    const char **names = NULL;
    unsigned count = 0, capacity = 0;
    for (unsigned i = 0; i < f->insn_count; i++) {
        for (unsigned k = 0; k < f->insns[i].operand_count; k++) {
            if (f->insns[i].operands[k].kind == PTX_OPERAND_SYMBOL) {
                names = arena_grow(scratch, names, count, &capacity, sizeof *names);
                names[count++] = f->insns[i].operands[k].name;
            }
        }
    }
    for (unsigned i = 0; i < f->target_count; i++) {
        for (unsigned k = 0; k < f->targets[i].item_count; k++) {
            names = arena_grow(scratch, names, count, &capacity, sizeof *names);
            names[count++] = f->targets[i].items[k];
        }
    }
    if (count > 0) {
        qsort(names, count, sizeof *names, by_address);
    }
    for (unsigned i = 0; i < f->label_count && count > 0; i++) {
        const char *name = f->labels[i].name;
        is_target[f->labels[i].insn] |=
            bsearch(&name, names, count, sizeof *names, by_address) != NULL;
    }
    return is_target;
}

static void compact(struct ptx_func *f, const bool *removed, struct arena *scratch)
{
    unsigned *new_index = arena_alloc(scratch, (f->insn_count + 1u) * sizeof *new_index);
    unsigned count = 0;
    for (unsigned i = 0; i < f->insn_count; i++) {
        new_index[i] = count;
        f->insns[count] = f->insns[i];
        count += !removed[i];
    }
    new_index[f->insn_count] = count;
    for (unsigned i = 0; i < f->label_count; i++) {
        f->labels[i].insn = new_index[f->labels[i].insn];
    }
    f->insn_count = count;
}

static void join_kind(struct ptx_func *f, bool stores, struct arena *arena)
{
    struct segment s = {.f = f};
    const bool *is_target = find_targets(f, &s.scratch);
    find_definitions(&s);
    s.removed = arena_alloc(&s.scratch, f->insn_count + 1u);
    unsigned begin = 0;
    for (unsigned i = 0; i <= f->insn_count; i++) {
        bool ends = i == f->insn_count || ends_segment(&f->insns[i]);
        if (is_target[i] || ends) {
            join_segment(&s, begin, i, stores, arena);
            begin = ends ? i + 1 : i;
        }
    }
    compact(f, s.removed, &s.scratch);
    arena_free(&s.scratch);
}

void join_accesses(struct ptx_func *f, struct arena *arena)
{
    join_kind(f, false, arena);
    join_kind(f, true, arena);
}
