/* live.c - liveness by backward data flow over basic blocks (see live.h).
 *
 * Each instruction becomes a few mentions (a register, read or written), each block a set of
 * registers that are live where it begins; blocks are walked backwards until no set grows. */
#include "passes/live.h"

#include <stdlib.h>
#include <string.h>

#include "ir/names.h"

struct mention {
    unsigned reg;
    bool written;
    bool kills; /* written whatever the guard says: what was there before is dead above */
};

struct block {
    unsigned first, end; /* instructions */
    uint64_t *live;      /* where it begins */
};

struct liveness {
    struct arena *scratch;
    const struct ptx_func *f;
    struct names declared, seen; /* declaration's name -> f->regs[]; register -> number */
    struct names labels;         /* label -> instruction */
    uint8_t *widths;             /* per register, in 32-bit registers */
    unsigned reg_count, width_capacity;
    struct mention *mentions;
    unsigned mention_count, mention_capacity;
    unsigned *first_mention; /* per instruction, and one more */
    struct block *blocks;
    unsigned block_count, words; /* words of 64 registers in a set */
    unsigned *block_of;          /* per instruction */
};

/* ------------------------------------------------------------------------------------ mentions */

/* "%r12" is element 12 of a declaration "%r" with a count; NULL: no register of this function. */
static const struct ptx_reg *declaration(const struct liveness *l, const char *name)
{
    unsigned index;
    size_t length = strlen(name), stem = length;
    char text[128];
    if (names_find(&l->declared, name, &index) && l->f->regs[index].count == 0)
        return &l->f->regs[index];
    while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
        stem--;
    for (; stem < length && stem < sizeof text; stem++) {
        memcpy(text, name, stem);
        text[stem] = '\0';
        if (names_find(&l->declared, text, &index) &&
            strtoul(name + stem, NULL, 10) < l->f->regs[index].count)
            return &l->f->regs[index];
    }
    return NULL;
}

static void mention(struct liveness *l, const char *name, bool written, bool kills)
{
    unsigned reg;
    if (!names_find(&l->seen, name, &reg)) {
        const struct ptx_reg *r = declaration(l, name);
        if (r == NULL) /* %tid.x, a label, a parameter */
            return;
        reg = l->reg_count;
        l->widths = arena_grow(l->scratch, l->widths, reg, &l->width_capacity, 1);
        l->widths[reg] = (uint8_t)((ptx_type_bytes(r->type) + 3) / 4);
        names_add(&l->seen, name, reg);
        l->reg_count++;
    }
    l->mentions = arena_grow(l->scratch, l->mentions, l->mention_count, &l->mention_capacity,
                             sizeof *l->mentions);
    l->mentions[l->mention_count++] = (struct mention){reg, written, kills};
}

static void mention_operand(struct liveness *l, const struct ptx_operand *o, bool written,
                            bool kills)
{
    bool address = o->kind == PTX_OPERAND_MEMORY; /* its register is read, also by a store */
    if (o->name != NULL && (o->kind == PTX_OPERAND_REG || address))
        mention(l, o->name, written && !address, kills);
    for (unsigned i = 0; i < o->item_count; i++)
        mention_operand(l, &o->items[i], written && !address, kills);
}

/* Is the first operand the result? */
static bool has_result(const struct ptx_insn *in)
{
    switch (in->op) {
    case PTX_OP_ST:
    case PTX_OP_RED:
    case PTX_OP_BRA:
    case PTX_OP_BRX:
    case PTX_OP_RET:
    case PTX_OP_EXIT:
    case PTX_OP_TRAP:
    case PTX_OP_BRKPT:
    case PTX_OP_CP:
    case PTX_OP_DISCARD:
    case PTX_OP_FENCE:
    case PTX_OP_MEMBAR:
    case PTX_OP_NANOSLEEP:
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
        return false;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return ptx_has_modifier(in, "red");
    case PTX_OP_CALL: /* `call (result), f, ...` against `call f, ...` */
        return in->operand_count > 0 && in->operands[0].kind == PTX_OPERAND_LIST;
    default:
        return true;
    }
}

static void collect_mentions(struct liveness *l)
{
    const struct ptx_func *f = l->f;
    l->mention_capacity = 8;
    l->mentions = arena_alloc(l->scratch, l->mention_capacity * sizeof *l->mentions);
    l->first_mention = arena_alloc(l->scratch, (f->insn_count + 1) * sizeof *l->first_mention);
    for (unsigned i = 0; i < f->insn_count; i++) {
        const struct ptx_insn *in = &f->insns[i];
        l->first_mention[i] = l->mention_count;
        if (in->guard != NULL)
            mention(l, in->guard, false, false);
        for (unsigned k = 0; k < in->operand_count; k++)
            mention_operand(l, &in->operands[k], k == 0 && has_result(in), in->guard == NULL);
    }
    l->first_mention[f->insn_count] = l->mention_count;
}

/* -------------------------------------------------------------------------------------- blocks */

static bool ends_block(const struct ptx_insn *in)
{
    return in->op == PTX_OP_BRA || in->op == PTX_OP_BRX || in->op == PTX_OP_RET ||
           in->op == PTX_OP_EXIT || in->op == PTX_OP_TRAP;
}

static void find_blocks(struct liveness *l)
{
    const struct ptx_func *f = l->f;
    bool *starts = arena_alloc(l->scratch, (f->insn_count + 1) * sizeof *starts);
    l->block_of = arena_alloc(l->scratch, (f->insn_count + 1) * sizeof *l->block_of);
    l->blocks = arena_alloc(l->scratch, (f->insn_count + 1) * sizeof *l->blocks);
    for (unsigned i = 0; i < f->label_count; i++) {
        starts[f->labels[i].insn] = true;
        names_add(&l->labels, f->labels[i].name, f->labels[i].insn);
    }
    for (unsigned i = 0; i < f->insn_count; i++)
        if (ends_block(&f->insns[i]))
            starts[i + 1] = true;
    for (unsigned i = 0; i < f->insn_count; i++) {
        if (i == 0 || starts[i])
            l->blocks[l->block_count++].first = i;
        l->block_of[i] = l->block_count - 1;
        l->blocks[l->block_count - 1].end = i + 1;
    }
    l->words = (l->reg_count + 63) / 64;
    for (unsigned b = 0; b < l->block_count; b++)
        l->blocks[b].live = arena_alloc(l->scratch, (l->words + 1) * sizeof *l->blocks[b].live);
}

/* --------------------------------------------------------------------------------------- flow */

static void join(const struct liveness *l, uint64_t *live, unsigned insn)
{
    if (insn >= l->f->insn_count)
        return;
    const uint64_t *from = l->blocks[l->block_of[insn]].live;
    for (unsigned w = 0; w < l->words; w++)
        live[w] |= from[w];
}

static void join_label(const struct liveness *l, uint64_t *live, const char *name)
{
    unsigned insn;
    if (names_find(&l->labels, name, &insn))
        join(l, live, insn);
}

/* What is live behind the block's last instruction. */
static void live_behind(const struct liveness *l, const struct block *b, uint64_t *live)
{
    const struct ptx_insn *last = &l->f->insns[b->end - 1];
    memset(live, 0, l->words * sizeof *live);
    if (!ends_block(last) || last->guard != NULL)
        join(l, live, b->end);
    if (last->op != PTX_OP_BRA && last->op != PTX_OP_BRX)
        return;
    for (unsigned k = 0; k < last->operand_count; k++) {
        const char *name = last->operands[k].name;
        if (name == NULL)
            continue;
        join_label(l, live, name);
        for (unsigned t = 0; t < l->f->target_count; t++)
            for (unsigned i = 0;
                 strcmp(l->f->targets[t].name, name) == 0 && i < l->f->targets[t].item_count; i++)
                join_label(l, live, l->f->targets[t].items[i]);
    }
}

/* Sets or clears one bit; returns by how many registers the set grew. */
static int put(const struct liveness *l, uint64_t *live, unsigned reg, bool on)
{
    uint64_t bit = (uint64_t)1 << reg % 64;
    bool was = (live[reg / 64] & bit) != 0;
    if (was == on)
        return 0;
    live[reg / 64] ^= bit;
    return on ? l->widths[reg] : -l->widths[reg];
}

/* Walks the block backwards; `live` holds what is live behind it, then what is live before it.
 * Returns the most registers that were live at one place. */
static int walk(const struct liveness *l, const struct block *b, uint64_t *live)
{
    int now = 0;
    for (unsigned reg = 0; reg < l->reg_count; reg++)
        now += live[reg / 64] >> reg % 64 & 1 ? l->widths[reg] : 0;
    int most = now;
    for (unsigned i = b->end; i-- > b->first;) {
        const struct mention *from = l->mentions + l->first_mention[i];
        const struct mention *to = l->mentions + l->first_mention[i + 1];
        for (const struct mention *m = from; m < to; m++) /* a result that nobody reads, too */
            now += m->written ? put(l, live, m->reg, true) : 0;
        most = now > most ? now : most;
        for (const struct mention *m = from; m < to; m++)
            now += m->kills && m->written ? put(l, live, m->reg, false) : 0;
        for (const struct mention *m = from; m < to; m++)
            now += m->written ? 0 : put(l, live, m->reg, true);
        most = now > most ? now : most;
    }
    return most;
}

unsigned live_registers(struct arena *scratch, const struct ptx_func *f)
{
    struct liveness l = {.scratch = scratch,
                         .f = f,
                         .declared = {.arena = scratch},
                         .seen = {.arena = scratch},
                         .labels = {.arena = scratch}};
    for (unsigned i = 0; i < f->reg_count; i++)
        names_add(&l.declared, f->regs[i].name, i);
    collect_mentions(&l);
    find_blocks(&l);
    uint64_t *live = arena_alloc(scratch, (l.words + 1) * sizeof *live);
    int most = 0;
    for (bool grew = true; grew;) {
        grew = false;
        for (unsigned b = l.block_count; b-- > 0;) {
            live_behind(&l, &l.blocks[b], live);
            int here = walk(&l, &l.blocks[b], live);
            most = here > most ? here : most;
            if (memcmp(live, l.blocks[b].live, l.words * sizeof *live) == 0)
                continue;
            memcpy(l.blocks[b].live, live, l.words * sizeof *live);
            grew = true;
        }
    }
    return (unsigned)most;
}
