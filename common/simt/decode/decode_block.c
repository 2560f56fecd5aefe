/* decode_block.c - a function as basic blocks: where they begin, where lanes that part meet again,
 * and the code of each block behind its ENTER. */
#include "decode/decoder.h"

#include <stdlib.h>
#include <string.h>

/* --- basic blocks ---------------------------------------------------------------------------- */

static bool ends_function(const struct ptx_insn *in)
{
    return in->op == PTX_OP_RET || in->op == PTX_OP_EXIT || in->op == PTX_OP_TRAP;
}

bool is_indirect_call(const struct ptx_insn *in)
{
    for (unsigned i = 0; in->op == PTX_OP_CALL && i < in->operand_count; i++) {
        if (in->operands[i].kind == PTX_OPERAND_REG) {
            return true;
        }
    }
    return false;
}

static bool ends_block(const struct ptx_insn *in)
{
    return ends_function(in) || in->op == PTX_OP_BRA || in->op == PTX_OP_BRX ||
           is_indirect_call(in);
}

/* A guard in front of a barrier, a shuffle or a call becomes a branch around it: the instruction
 * gets a block of its own that begins with that branch, so that jumps to its label meet it too. */
static bool is_skipped_over(const struct ptx_insn *in)
{
    return in->guard != NULL && needs_own_block(in);
}

const struct ptx_label *find_label(const struct ptx_func *f, const char *name)
{
    for (unsigned i = 0; name != NULL && i < f->label_count; i++) {
        if (strcmp(f->labels[i].name, name) == 0) {
            return &f->labels[i];
        }
    }
    return NULL;
}

static void lead_at_label(const struct ptx_func *f, const char *name, bool *leader)
{
    const struct ptx_label *label = find_label(f, name);
    if (label != NULL) {
        leader[label->insn] = true;
    }
}

/* LLVM also labels the lines of inlined functions, which nobody jumps to: a block goes on there, as
 * it does for ptxas. */
void find_blocks(struct decoder *d, unsigned *count)
{
    const struct ptx_func *f = d->f;
    bool *leader = arena_alloc(&d->scratch, (f->insn_count + 1) * sizeof *leader);
    leader[0] = true;
    for (unsigned i = 0; i < f->target_count; i++) {
        for (unsigned k = 0; k < f->targets[i].item_count; k++) {
            lead_at_label(f, f->targets[i].items[k], leader);
        }
    }
    for (unsigned i = 0; i < f->insn_count; i++) {
        if (f->insns[i].op == PTX_OP_BRA && f->insns[i].operand_count > 0) {
            lead_at_label(f, f->insns[i].operands[0].name, leader);
        }
        leader[i + 1] |= ends_block(&f->insns[i]) || is_skipped_over(&f->insns[i]);
        leader[i] |= is_skipped_over(&f->insns[i]);
    }
    d->block_of = arena_alloc(&d->scratch, (f->insn_count + 1) * sizeof *d->block_of);
    unsigned block = 0;
    for (unsigned i = 0; i <= f->insn_count; i++) {
        block += i > 0 && leader[i];
        d->block_of[i] = block;
    }
    *count = block + 1; /* the last one is empty: the end of the function */
}

static bool label_block(struct decoder *d, const char *name, unsigned *block)
{
    if (name == NULL) {
        return refuse(d, "a target that is no label");
    }
    const struct ptx_label *label = find_label(d->f, name);
    if (label != NULL) {
        *block = d->block_of[label->insn];
        return true;
    }
    return refuse(d, "label %s does not exist", name);
}

static const struct ptx_targets *find_targets(const struct decoder *d, const char *name)
{
    for (unsigned i = 0; i < d->f->target_count; i++) {
        if (strcmp(d->f->targets[i].name, name) == 0) {
            return &d->f->targets[i];
        }
    }
    return NULL;
}

static void add_successor(struct arena *a, struct flow_block *b, unsigned successor,
                          unsigned *capacity)
{
    for (unsigned i = 0; i < b->successor_count; i++) {
        if (b->successors[i] == successor) {
            return;
        }
    }
    b->successors =
        arena_grow(a, b->successors, b->successor_count, capacity, sizeof *b->successors);
    b->successors[b->successor_count++] = successor;
}

static bool branch_successors(struct decoder *d, struct flow_block *b, unsigned *capacity)
{
    unsigned block = 0;
    if (d->in->op == PTX_OP_BRA) {
        if (!operands_are(d, 1, 1) || !label_block(d, d->in->operands[0].name, &block)) {
            return false;
        }
        add_successor(&d->scratch, b, block, capacity);
        return true;
    }
    const struct ptx_targets *t = d->in->operand_count == 2 && d->in->operands[1].name != NULL
                                      ? find_targets(d, d->in->operands[1].name)
                                      : NULL;
    if (t == NULL) {
        return refuse(d, "a branch table that is not declared by .branchtargets");
    }
    for (unsigned i = 0; i < t->item_count; i++) {
        if (!label_block(d, t->items[i], &block)) {
            return false;
        }
        add_successor(&d->scratch, b, block, capacity);
    }
    return true;
}

/* Successors of the block that ends with instruction `last`. */
static bool find_successors(struct decoder *d, struct flow_block *b, unsigned last, unsigned next)
{
    unsigned capacity = 0;
    const struct ptx_insn *in = d->in = &d->f->insns[last];
    if (in->op == PTX_OP_BRA || in->op == PTX_OP_BRX) {
        if (!branch_successors(d, b, &capacity)) {
            return false;
        }
    } else if (ends_function(in)) {
        add_successor(&d->scratch, b, FLOW_EXIT, &capacity);
    }
    if (!(ends_function(in) || in->op == PTX_OP_BRA || in->op == PTX_OP_BRX) || in->guard != NULL) {
        add_successor(&d->scratch, b, next, &capacity);
    }
    return true;
}

/* --- where branches meet --------------------------------------------------------------------- */

/* A block that only leaves the function, perhaps after another that does. */
static bool leaves_soon(const struct flow_block *blocks, unsigned b)
{
    for (unsigned steps = 0; steps < 2 && b != FLOW_EXIT && blocks[b].successor_count == 1;
         steps++) {
        b = blocks[b].successors[0];
    }
    return b == FLOW_EXIT;
}

/* Nobody waits in a block that holds nothing but an unguarded jump or `ret`: ways through it lead
 * on to where that leads. Where the jumps of such blocks go round in a circle, they stay. */
static void skip_bare_jumps(struct decoder *d, struct flow_block *blocks, unsigned count)
{
    bool *bare = arena_alloc(&d->scratch, count * sizeof *bare);
    for (unsigned i = 0; i < d->f->insn_count; i++) {
        const struct ptx_insn *in = &d->f->insns[i];
        unsigned b = d->block_of[i];
        bool alone = (i == 0 || d->block_of[i - 1] != b) && d->block_of[i + 1] != b;
        bare[b] = alone && in->guard == NULL && (ends_function(in) || in->op == PTX_OP_BRA);
    }
    bare[count - 1] = true; /* the function's end */
    for (unsigned b = 0; b < count; b++) {
        for (unsigned s = 0; s < blocks[b].successor_count; s++) {
            unsigned to = blocks[b].successors[s];
            for (unsigned steps = 0; steps < count && to != FLOW_EXIT && bare[to]; steps++) {
                to = blocks[to].successors[0];
            }
            blocks[b].successors[s] = to;
        }
    }
}

bool find_meeting_points(struct decoder *d, unsigned count, struct flow_meets *meets, bool *leaving)
{
    struct flow_block *blocks = arena_alloc(&d->scratch, count * sizeof *blocks);
    for (unsigned i = 0; i < d->f->insn_count; i++) {
        if (d->block_of[i] != d->block_of[i + 1] &&
            !find_successors(d, &blocks[d->block_of[i]], i, d->block_of[i + 1])) {
            return false;
        }
    }
    unsigned capacity = 0;
    add_successor(&d->scratch, &blocks[count - 1], FLOW_EXIT, &capacity);
    for (unsigned b = 0; b < count; b++) {
        leaving[b] = leaves_soon(blocks, b);
    }
    skip_bare_jumps(d, blocks, count);
    struct flow f = flow_of(&d->scratch, blocks, count);
    *meets = flow_find_meets(&d->scratch, &f);
    return true;
}

/* --- code ------------------------------------------------------------------------------------ */

static bool emit_enter(struct decoder *d, unsigned block, unsigned first)
{
    struct insn enter = blank();
    uint32_t count = 0;
    d->in = first < d->f->insn_count ? &d->f->insns[first] : NULL;
    while (first + count < d->f->insn_count && d->block_of[first + count] == block) {
        count++;
    }
    d->block_pc[block] = d->k->code_count;
    enter.offset = d->k->code_count;
    enter.c = count;
    enter.site = new_plain_site(d, SITE_BLOCK, count);
    enter.handler = enter.run = d->world->handler("enter");
    append_insn(d, enter);
    return true;
}

/* The branch around a guarded barrier, shuffle or call, taken where the guard does not hold. */
static bool emit_skip(struct decoder *d, unsigned block)
{
    struct insn skip = blank();
    bool negated;
    struct ptx_operand guard = {.kind = PTX_OPERAND_REG, .name = d->in->guard};
    if (!predicate_source(d, &guard, &skip.a, &negated)) {
        return false;
    }
    skip.flags = INSN_UNCOUNTED | (d->in->guard_negated ? 0 : INSN_A_NEGATED);
    skip.offset = block + 1; /* a block number, until link_branches */
    skip.handler = skip.run = d->world->handler("bra_if");
    append_insn(d, skip);
    return true;
}

bool decode_insns(struct decoder *d, unsigned block_count)
{
    const struct ptx_func *f = d->f;
    d->block_pc = arena_alloc(&d->scratch, block_count * sizeof *d->block_pc);
    for (unsigned i = 0; i < f->insn_count; i++) {
        if ((i == 0 || d->block_of[i - 1] != d->block_of[i]) && !emit_enter(d, d->block_of[i], i)) {
            return false;
        }
        d->in = &f->insns[i];
        d->taken = 0;
        if ((is_skipped_over(d->in) && !emit_skip(d, d->block_of[i])) || !decode_op(d)) {
            return false;
        }
    }
    /* the empty block at the end: control that falls off it returns */
    static const struct ptx_loc nowhere;
    static const struct ptx_insn end = {.op = PTX_OP_RET, .op_name = "ret", .loc = &nowhere};
    emit_enter(d, d->block_of[f->insn_count], f->insn_count);
    d->in = &end;
    d->taken = 0;
    return decode_op(d);
}

static bool is_branch(const struct decoder *d, const struct insn *in)
{
    return in->handler == d->world->handler("bra") || in->handler == d->world->handler("bra_if");
}

static void add_meet(struct decoder *d, uint32_t pc)
{
    struct kernel *k = d->k;
    k->meets = arena_grow(&k->arena, k->meets, k->meet_count, &d->meet_capacity, sizeof *k->meets);
    k->meets[k->meet_count++] = pc;
}

/* Adds a list of places to the kernel's; returns where it starts. All empty ones are the first. */
static uint32_t add_meets(struct decoder *d, const unsigned *blocks, unsigned count)
{
    if (d->k->meet_count == 0) {
        add_meet(d, NO_PC);
    }
    uint32_t first = count == 0 ? 0 : d->k->meet_count;
    for (unsigned i = 0; i < count; i++) {
        add_meet(d, d->block_pc[blocks[i]]);
        d->k->code[d->block_pc[blocks[i]]].flags |= INSN_JOIN;
    }
    if (count > 0) {
        add_meet(d, NO_PC);
    }
    return first;
}

/* Block numbers become code indices, and every branch learns where its lanes meet. */
void link_branches(struct decoder *d, unsigned first_pc, const struct flow_meets *meets,
                   const bool *leaving, unsigned block_count)
{
    struct kernel *k = d->k;
    unsigned block = 0;
    for (unsigned b = 0; b < block_count; b++) {
        k->code[d->block_pc[b]].d = meets->order[b];
    }
    for (unsigned pc = first_pc; pc < k->code_count; pc++) {
        struct insn *in = &k->code[pc];
        while (block + 1 < block_count && d->block_pc[block + 1] <= pc) {
            block++;
        }
        const unsigned behind = block + 1;
        bool table = in->handler == d->world->handler("brx");
        bool indirect = in->handler == d->world->handler("call_indirect");
        if (indirect || (is_branch(d, in) && in->flags & INSN_UNCOUNTED)) {
            in->e = add_meets(d, &behind, 1);
        } else if (is_branch(d, in) || table) {
            in->e = add_meets(d, meets->list + meets->first[block],
                              meets->first[block + 1] - meets->first[block]);
        }
        if (is_branch(d, in)) {
            in->flags |= leaving[in->offset] ? INSN_TAKEN_FIRST : 0;
            in->offset = d->block_pc[in->offset];
        } else if (table) {
            uint32_t *targets = k->tables[in->offset];
            for (uint32_t i = 1; i <= targets[0]; i++) {
                targets[i] = d->block_pc[targets[i]];
            }
        }
    }
}

bool decode_branch(struct decoder *d)
{
    struct insn in = blank();
    bool negated;
    unsigned block = 0;
    take(d, "uni");
    if (!all_taken(d) || !operands_are(d, 1, 1) ||
        !label_block(d, d->in->operands[0].name, &block)) {
        return false;
    }
    in.offset = block;
    in.site = new_plain_site(d, SITE_BRANCH, 0);
    if (d->in->guard != NULL) {
        struct ptx_operand guard = {.kind = PTX_OPERAND_REG, .name = d->in->guard};
        if (!predicate_source(d, &guard, &in.a, &negated)) {
            return false;
        }
        in.flags |= d->in->guard_negated ? INSN_A_NEGATED : 0;
    }
    in.handler = in.run = d->world->handler(d->in->guard != NULL ? "bra_if" : "bra");
    append_insn(d, in);
    return true;
}

bool decode_table_branch(struct decoder *d)
{
    struct insn in = blank();
    struct kernel *k = d->k;
    take(d, "idx");
    take(d, "uni");
    if (!all_taken(d) || !operands_are(d, 2, 2) || !source(d, operand(d, 0), PTX_U32, &in.a)) {
        return false;
    }
    const struct ptx_targets *t = find_targets(d, d->in->operands[1].name);
    uint32_t *table = arena_alloc(&k->arena, (t->item_count + 1) * sizeof *table);
    table[0] = t->item_count;
    for (unsigned i = 0; i < t->item_count; i++) {
        if (!label_block(d, t->items[i], &table[1 + i])) {
            return false;
        }
    }
    in.offset = k->table_count;
    k->tables =
        arena_grow(&d->scratch, k->tables, k->table_count, &d->table_capacity, sizeof *k->tables);
    k->tables[k->table_count++] = table;
    in.site = new_plain_site(d, SITE_BRANCH, 0);
    return emit(d, in, "brx") != NULL;
}
