/* decode_block.c - basic blocks become code, each behind its ENTER; branches between them. */
#include "decode/decoder.h"
#include "ir/leader.h"

/* --- code ------------------------------------------------------------------------------------ */

static void emit_enter(struct decoder *d, uint32_t block)
{
    const struct ir_block *b = &d->ir->blocks[block];
    const uint8_t *yields = d->ir->reconvergence.yields;
    struct insn enter = decode_blank();
    d->at = b->first < d->ir->insn_count ? b->first : IR_NONE;
    d->in = d->at != IR_NONE ? d->ir->insns[d->at].text : NULL;
    d->block_pc[block] = d->k->code_count;
    enter.number = d->k->code_count;
    enter.c = b->end - b->first;
    enter.d = d->ir->reconvergence.rank[block];
    enter.flags = yields != NULL && yields[block] & YIELDS_HEAD ? INSN_YIELDS : 0;
    enter.site = decode_new_plain_site(d, SITE_BLOCK, enter.c);
    decode_append(d, enter, d->world->handler("enter"));
}

/* The branch around a guarded convergent instruction, taken where the guard does not hold. */
static bool emit_skip(struct decoder *d, uint32_t block)
{
    struct insn skip = decode_blank();
    bool negated;
    if (!decode_predicate_source(d, d->in->guard, &skip.a, &negated)) {
        return false;
    }
    skip.flags = INSN_UNCOUNTED | (negated ? 0 : INSN_A_NEGATED);
    skip.target = block + 1; /* a block number, until link_branches */
    decode_append(d, skip, d->world->handler("bra_if"));
    return true;
}

static bool decode_insns(struct decoder *d)
{
    const struct function_ir *ir = d->ir;
    for (uint32_t b = 0; b + 1 < ir->block_count; b++) {
        emit_enter(d, b);
        for (uint32_t i = ir->blocks[b].first; i < ir->blocks[b].end; i++) {
            d->at = i;
            d->in = ir->insns[i].text;
            d->taken = 0;
            if ((ir_is_skipped_over(d->in) && !emit_skip(d, b)) || !decode_op(d)) {
                return false;
            }
        }
    }
    /* the empty block at the end: control that falls off it returns */
    static const struct ptx_loc nowhere;
    static const struct ptx_insn end = {.op = PTX_OP_RET, .op_name = "ret", .loc = &nowhere};
    emit_enter(d, ir->block_count - 1);
    d->at = IR_NONE;
    d->in = &end;
    d->taken = 0;
    return decode_op(d);
}

/* --- where branches lead --------------------------------------------------------------------- */

static void add_point(struct decoder *d, uint32_t pc)
{
    struct kernel *k = d->k;
    k->points =
        arena_grow(&k->arena, k->points, k->point_count, &d->point_capacity, sizeof *k->points);
    k->points[k->point_count++] = pc;
}

/* Adds a list of reconvergence points to the kernel's; returns where it starts. All empty ones are
 * the first. */
static uint32_t add_points(struct decoder *d, const unsigned *blocks, unsigned count)
{
    if (d->k->point_count == 0) {
        add_point(d, NO_PC);
    }
    uint32_t first = count == 0 ? 0 : d->k->point_count;
    for (unsigned i = 0; i < count; i++) {
        add_point(d, d->block_pc[blocks[i]]);
        d->k->code[d->block_pc[blocks[i]]].flags |= INSN_JOIN;
    }
    if (count > 0) {
        add_point(d, NO_PC);
    }
    return first;
}

/* Behind a call through a register, lanes that call different functions wait for each other: ptxas
 * puts BSSY and BSYNC around it. It does not in a kernel without any other place where lanes may
 * part; there each group goes on alone, to a barrier or the end. */
static void link_insn(struct decoder *d, uint32_t pc, uint32_t block)
{
    struct insn *in = &d->k->code[pc];
    const struct ir_reconvergence *r = &d->ir->reconvergence;
    const unsigned behind = block + 1;
    const enum handler_kind kind = d->k->handlers[pc]->kind;
    const bool branch = kind == KIND_BRANCH;
    if (kind == KIND_CALL_INDIRECT || (branch && in->flags & INSN_UNCOUNTED)) {
        const bool waits = d->may_part || kind != KIND_CALL_INDIRECT;
        in->points = add_points(d, &behind, waits ? 1 : 0);
    } else if (branch || kind == KIND_TABLE_BRANCH) {
        in->points =
            add_points(d, r->points + r->first[block], r->first[block + 1] - r->first[block]);
    }
    if (branch) {
        const bool counted = (in->flags & INSN_UNCOUNTED) == 0;
        const unsigned yields = r->yields != NULL && counted ? r->yields[block] : 0;
        const bool target_first = r->leaving[in->target] || yields & YIELDS_TO_TARGET;
        in->flags |= yields & YIELDS_EXIT ? INSN_YIELDS : 0;
        in->flags |= target_first ? INSN_TAKEN_FIRST : 0;
        in->target = d->block_pc[in->target];
    } else if (kind == KIND_TABLE_BRANCH) {
        uint32_t *targets = d->k->tables[in->number];
        for (uint32_t i = 1; i <= targets[0]; i++) {
            targets[i] = d->block_pc[targets[i]];
        }
    }
}

/* Block numbers become code indices, and every branch learns where its lanes wait for each other.
 */
static void link_branches(struct decoder *d)
{
    struct kernel *k = d->k;
    for (uint32_t b = 0; b < d->ir->block_count; b++) {
        const uint32_t end = b + 1 < d->ir->block_count ? d->block_pc[b + 1] : k->code_count;
        for (uint32_t pc = d->block_pc[b]; pc < end; pc++) {
            link_insn(d, pc, b);
        }
    }
}

bool decode_blocks(struct decoder *d)
{
    d->block_pc = arena_alloc(&d->scratch, d->ir->block_count * sizeof *d->block_pc);
    d->site_of = arena_alloc(&d->scratch, (d->ir->insn_count + 1) * sizeof *d->site_of);
    d->leaders = leader_find(d->ir);
    if (!decode_insns(d)) {
        return false;
    }
    link_branches(d);
    return true;
}
