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
enum { MOST_PASSED = 64 };

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

/* --- groups ----------------------------------------------------------------------------------- */

/* The same words behind the dots, but for v2, v4 and the type. */
static bool same_modifiers(const struct ptx_insn *a, const struct ptx_insn *b)
{
    unsigned i = 0, k = 0;
    for (;; i++, k++) {
        i += i < a->modifier_count && ptx_is_width(&a->modifiers[i]);
        k += k < b->modifier_count && ptx_is_width(&b->modifiers[k]);
        if (i + 1 >= a->modifier_count || k + 1 >= b->modifier_count) {
            return i + 1 >= a->modifier_count && k + 1 >= b->modifier_count;
        }
        if (a->modifiers[i].text != b->modifiers[k].text) {
            return false;
        }
    }
}

/* Bytes of the register that a narrow access fills or stores a part of; 0: it names none. */
static unsigned register_bytes(const struct segment *s, const struct ptx_insn *in)
{
    const struct ptx_operand *o = join_value_of(in);
    o = o->kind == PTX_OPERAND_VECTOR && o->item_count > 0 ? &o->items[0] : o;
    return o->kind == PTX_OPERAND_REG && o->reg < s->f->reg_count
               ? ptx_type_bytes(s->f->regs[o->reg].type)
               : 0;
}

/* `st.u8` stores a part of a register of 2, 4 or 8 bytes; a vector holds registers of one width. */
static bool same_registers(const struct segment *s, const struct ptx_insn *x,
                           const struct ptx_insn *y)
{
    unsigned one = register_bytes(s, x), other = register_bytes(s, y);
    return one == other || one == 0 || other == 0;
}

static bool both_whole_or_parts(const struct segment *s, const struct access *a,
                                const struct access *b)
{
    unsigned one = register_bytes(s, &s->f->insns[a->insn]);
    unsigned other = register_bytes(s, &s->f->insns[b->insn]);
    return one == 0 || other == 0 || (one > a->element) == (other > b->element);
}

/* clang stores 4 bytes of a register of 8, too, where a number is shortened: beside one of 4 bytes
 * that would be a vector of registers of two widths. */
static bool goes_with_stores(const struct segment *s, const struct access *a, const struct group *g)
{
    for (unsigned i = 0; a->store && i < g->fields; i++) {
        if (g->pieces[i] != NULL && !both_whole_or_parts(s, a, g->pieces[i])) {
            return false;
        }
    }
    return true;
}

/* Types of 4 or of 8 bytes may be mixed (see have_one_type); narrower ones are extended in
 * different ways. */
static bool fits(const struct segment *s, const struct access *a, const struct group *g)
{
    const struct access *first = g->first;
    const struct ptx_insn *x = &s->f->insns[a->insn], *y = &s->f->insns[first->insn];
    bool alike = a->element >= 4 ? goes_with_stores(s, a, g)
                                 : join_type_of(x) == join_type_of(y) && same_registers(s, x, y);
    bool same_type = a->element == g->element && alike;
    return !a->gone && (a->offset - first->offset) % g->element == 0 && same_modifiers(x, y) &&
           (same_type || join_is_pair(a, g->element));
}

static unsigned distance(const struct access *a, const struct access *b)
{
    return a->insn < b->insn ? b->insn - a->insn : a->insn - b->insn;
}

static unsigned fields_of(const struct access *a, const struct group *g)
{
    return a->words * a->element / g->element;
}

/* Of every field the access that is nearest to the first field's. */
static void gather(const struct segment *s, unsigned anchor, unsigned fields, unsigned element,
                   struct group *g)
{
    struct access *first = join_nth(s, anchor);
    *g = (struct group){.first = first, .fields = fields, .element = element};
    int64_t end = first->offset + fields * element;
    for (unsigned i = anchor; i < s->access_count && join_by_kind(first, join_nth(s, i)) == 0;
         i++) {
        struct access *a = join_nth(s, i);
        if (a->offset + a->words * a->element > end) {
            break;
        }
        struct access **slot = &g->pieces[(a->offset - first->offset) / element];
        if (fits(s, a, g) &&
            (*slot == NULL || (*slot != first && distance(a, first) < distance(*slot, first)))) {
            *slot = a;
        }
    }
    for (unsigned i = 0, covered = 0; i < fields;
         i++) { /* a vector covers its neighbours' fields */
        if (g->pieces[i] != NULL && i < covered) {
            g->pieces[i] = NULL;
        }
        covered = g->pieces[i] != NULL ? i + fields_of(g->pieces[i], g) : covered;
    }
}

/* nvcc fills a gap of a load behind the first field, never one before it; stores have no gaps. */
static bool is_worth_joining(const struct group *g)
{
    unsigned pieces = 0, present = 0;
    for (unsigned i = 0; i < g->fields; i++) {
        if (g->pieces[i] != NULL) {
            pieces++;
            present |= ((1u << fields_of(g->pieces[i], g)) - 1) << i;
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
    return passed->gone || passed == a || (!a->store && !passed->store) ||
           join_are_apart(s, a, passed);
}

static bool may_move(const struct segment *s, const struct access *a, const struct access *target)
{
    const struct access *from = a < target ? a : target, *to = a < target ? target : a;
    const struct ptx_operand *value = join_value_of(&s->f->insns[a->insn]);
    if (to - from > MOST_PASSED ||
        (a->store ? join_is_touched(s, value, a->insn + 1, target->insn, false)
                  : join_is_touched(s, value, target->insn, a->insn, true))) {
        return false;
    }
    for (const struct access *passed = from; passed <= to; passed++) {
        if (!may_pass(s, a, passed)) {
            return false;
        }
    }
    return true;
}

static bool has_width(const struct segment *s, const struct ptx_operand *o, unsigned bytes)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        if (!has_width(s, &o->items[i], bytes)) {
            return false;
        }
    }
    return o->item_count > 0 || o->kind == PTX_OPERAND_SINK ||
           (o->kind == PTX_OPERAND_REG && o->reg < s->f->reg_count &&
            ptx_type_bytes(s->f->regs[o->reg].type) == bytes);
}

/* Where types are mixed, all become .b32, or .b64: not possible for a value that is extended to 64
 * bits on its way. */
static bool have_one_type(const struct segment *s, const struct group *g)
{
    const struct ptx_insn *first = &s->f->insns[g->first->insn];
    bool fitting = true, mixed = false;
    for (unsigned i = 0; i < g->fields; i++) {
        const struct access *a = g->pieces[i];
        const struct ptx_insn *in = a != NULL ? &s->f->insns[a->insn] : first;
        mixed |= join_type_of(in) != join_type_of(first);
        fitting &=
            a == NULL || join_is_pair(a, g->element) || has_width(s, join_value_of(in), g->element);
    }
    return fitting || !mixed;
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
    return is_worth_joining(g) && have_one_type(s, g);
}

/* --- segments --------------------------------------------------------------------------------- */

static void note_access(struct segment *s, unsigned insn)
{
    const struct ptx_insn *in = &s->f->insns[insn];
    const struct ptx_operand *address = join_address_of(in), *value = join_value_of(in);
    unsigned words = value->kind == PTX_OPERAND_VECTOR ? value->item_count : 1;
    unsigned bytes = ptx_type_bytes(join_type_of(in));
    struct access a = {.insn = insn,
                       .store = in->op == PTX_OP_ST,
                       .gone = in->guard != NULL || address->item_count > 0 ||
                               address->kind != PTX_OPERAND_MEMORY || space_of(in) == PTX_PARAM,
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
            join_mention(s, &in->operands[k], i,
                         k == 0 && !is_access(in) ? true : k == 0 && in->op == PTX_OP_LD);
        }
        if (is_access(in)) {
            note_access(s, i);
        }
    }
}

static bool tells_alignment(const struct segment *s, unsigned begin, unsigned end)
{
    unsigned aligned = 0;
    for (unsigned i = begin; i < end && aligned < 2; i++) {
        const struct ptx_insn *in = &s->f->insns[i];
        aligned += is_access(in) && in->loc->align > 0;
    }
    return aligned >= 2;
}

static bool join_fields(struct segment *s, unsigned anchor, unsigned fields, unsigned element,
                        struct arena *arena)
{
    struct group g;
    if (join_nth(s, anchor)->align < fields * element) {
        return false;
    }
    gather(s, anchor, fields, element, &g);
    if (!settle(s, &g)) {
        return false;
    }
    join_group(s, &g, arena);
    return true;
}

/* What begins with the access; four fields of which the first two are a pair come last. */
static void join_from(struct segment *s, unsigned anchor, struct arena *arena)
{
    const struct access *a = join_nth(s, anchor);
    bool joined = false;
    for (unsigned fields = JOIN_MOST_FIELDS; fields >= 2 && !joined; fields /= 2) {
        joined = a->words < fields && fields * a->element <= JOIN_LINE_BYTES &&
                 join_fields(s, anchor, fields, a->element, arena);
    }
    if (!joined && join_is_pair(a, 4) && join_type_of(&s->f->insns[a->insn]) != PTX_F64) {
        join_fields(s, anchor, JOIN_MOST_FIELDS, 4, arena);
    }
}

static void join_segment(struct segment *s, unsigned begin, unsigned end, bool stores,
                         struct arena *arena)
{
    if (!tells_alignment(s, begin, end)) {
        return;
    }
    read_segment(s, begin, end);
    join_find_addresses(s);
    for (unsigned i = 0; i < s->access_count; i++) {
        const struct access *a = join_nth(s, i);
        if (!a->gone && a->store == stores) {
            join_from(s, i, arena);
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

static unsigned join_kind(struct ptx_func *f, bool stores, unsigned halves, struct arena *arena)
{
    struct segment s = {.f = f, .halves = halves};
    const bool *is_target = find_targets(f, &s.scratch);
    join_find_definitions(&s);
    s.removed = arena_alloc(&s.scratch, f->insn_count + 1u);
    unsigned begin = 0;
    for (unsigned i = 0; i <= f->insn_count; i++) {
        bool ends = i == f->insn_count || ends_segment(&f->insns[i]);
        if (is_target[i] || ends) {
            join_segment(&s, begin, i, stores, arena);
            begin = ends ? i + 1 : i;
        }
    }
    join_rebuild(&s, arena);
    arena_free(&s.scratch);
    return s.halves;
}

void join_accesses(struct ptx_func *f, struct arena *arena)
{
    unsigned halves = join_kind(f, false, 0, arena);
    halves = join_kind(f, true, halves, arena);
    if (halves > 0) {
        join_declare(f, halves, arena);
    }
}
