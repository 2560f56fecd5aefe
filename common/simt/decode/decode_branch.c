/* decode_branch.c - bra and brx.idx. They name blocks until decode_block.c has placed all of them.
 */
#include "decode/decoder.h"

bool decode_branch(struct decoder *d)
{
    struct insn in = decode_blank();
    bool negated = false;
    decode_take(d, WORD_UNI);
    if (!decode_all_taken(d) || !decode_operands_are(d, 1, 1) ||
        (d->in->guard != NULL && !decode_predicate_source(d, d->in->guard, &in.a, &negated))) {
        return false;
    }
    in.target = d->ir->insns[d->at].target; /* a block number, until link_branches */
    in.flags |= negated ? INSN_A_NEGATED : 0;
    in.site = decode_new_plain_site(d, SITE_BRANCH, 0);
    decode_append(d, in, d->world->handler(d->in->guard != NULL ? "bra_if" : "bra"));
    return true;
}

bool decode_table_branch(struct decoder *d)
{
    struct insn in = decode_blank();
    struct kernel *k = d->k;
    decode_take(d, WORD_IDX);
    decode_take(d, WORD_UNI);
    if (!decode_all_taken(d) || !decode_operands_are(d, 2, 2) ||
        !decode_source(d, operand(d, 0), PTX_U32, &in.a)) {
        return false;
    }
    const struct ptx_targets *t = ir_targets(d->ir, d->in);
    uint32_t *table = arena_alloc(&k->arena, (t->item_count + 1) * sizeof *table);
    table[0] = t->item_count;
    for (unsigned i = 0; i < t->item_count; i++) {
        table[1 + i] = ir_label_block(d->ir, t->items[i]);
    }
    in.number = k->table_count;
    k->tables =
        arena_grow(&d->scratch, k->tables, k->table_count, &d->table_capacity, sizeof *k->tables);
    k->tables[k->table_count++] = table;
    in.site = decode_new_plain_site(d, SITE_BRANCH, 0);
    return decode_emit(d, in, "brx") != NULL;
}
