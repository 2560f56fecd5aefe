/* join_emit.c - the joined instruction in the place of its pieces, and the function rebuilt. */
#include "ptx/joiner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_REGISTERS "%join#" /* no PTX text can name it */

const struct ptx_operand *join_value_of(const struct ptx_insn *in)
{
    return &in->operands[in->op == PTX_OP_ST ? 1 : 0];
}

const struct ptx_operand *join_address_of(const struct ptx_insn *in)
{
    return &in->operands[in->op == PTX_OP_ST ? 0 : 1];
}

enum ptx_type join_type_of(const struct ptx_insn *in)
{
    return in->modifier_count > 0 ? in->modifiers[in->modifier_count - 1].type : PTX_NO_TYPE;
}

bool join_is_pair(const struct access *a, unsigned element)
{
    return a->element == 8 && a->words == 1 && element == 4;
}

/* Two new registers for the halves of an 8-byte value, and the instruction that moves between them
 * and it. */
static void split_pair(struct segment *s, const struct access *a, unsigned target,
                       struct ptx_operand *items, struct arena *arena)
{
    static const struct ptx_modifier modifiers[] = {{WORD_OTHER, PTX_B64, "b64"}};
    struct ptx_operand *operands = arena_alloc(arena, 2 * sizeof *operands);
    for (unsigned i = 0; i < 2; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "%s%u", JOIN_REGISTERS, s->halves++);
        items[i] = (struct ptx_operand){.kind = PTX_OPERAND_REG,
                                        .reg = s->f->reg_count + s->halves - 1,
                                        .name = arena_strndup(arena, name, (size_t)length)};
    }
    struct ptx_operand *copies = arena_alloc(arena, 2 * sizeof *copies);
    memcpy(copies, items, 2 * sizeof *copies);
    operands[a->store ? 0 : 1] = (struct ptx_operand){
        .kind = PTX_OPERAND_VECTOR, .reg = PTX_NO_REG, .items = copies, .item_count = 2};
    operands[a->store ? 1 : 0] = *join_value_of(&s->f->insns[a->insn]);
    s->inserted = arena_grow(&s->scratch, s->inserted, s->inserted_count, &s->inserted_capacity,
                             sizeof *s->inserted);
    s->inserted[s->inserted_count++] =
        (struct inserted){.at = target,
                          .behind = !a->store,
                          .insn = {.op = PTX_OP_MOV,
                                   .op_name = "mov",
                                   .modifiers = modifiers,
                                   .modifier_count = 1,
                                   .operands = operands,
                                   .operand_count = 2,
                                   .loc = s->f->insns[target].loc,
                                   .text_line = s->f->insns[target].text_line}};
}

/* The values of all fields, and their common type. */
static enum ptx_type collect_values(struct segment *s, const struct group *g,
                                    struct ptx_operand *items, struct arena *arena)
{
    const enum ptx_type mixed = g->element == 8 ? PTX_B64 : PTX_B32;
    enum ptx_type type = join_type_of(&s->f->insns[g->first->insn]);
    for (unsigned i = 0; i < g->fields; i++) {
        items[i] = (struct ptx_operand){.kind = PTX_OPERAND_SINK, .reg = PTX_NO_REG, .name = "_"};
    }
    for (unsigned i = 0; i < g->fields; i++) {
        struct access *a = g->pieces[i];
        if (a == NULL) {
            continue;
        }
        const struct ptx_operand *value = join_value_of(&s->f->insns[a->insn]);
        if (join_is_pair(a, g->element)) {
            split_pair(s, a, g->target->insn, &items[i], arena);
        } else {
            memcpy(&items[i], value->kind == PTX_OPERAND_VECTOR ? value->items : value,
                   a->words * sizeof *items);
        }
        type = type == join_type_of(&s->f->insns[a->insn]) ? type : mixed;
    }
    return type;
}

void join_group(struct segment *s, struct group *g, struct arena *arena)
{
    struct ptx_insn *in = &s->f->insns[g->target->insn];
    struct ptx_operand *operands = arena_alloc(arena, 2 * sizeof *operands);
    struct ptx_operand *items = arena_alloc(arena, g->fields * sizeof *items);
    bool store = g->first->store;
    enum ptx_type type = collect_values(s, g, items, arena);
    ptx_set_fields(in, &s->f->insns[g->first->insn], g->fields, type, arena);
    operands[store] = (struct ptx_operand){
        .kind = PTX_OPERAND_VECTOR, .reg = PTX_NO_REG, .items = items, .item_count = g->fields};
    operands[!store] =
        *join_address_of(in); /* by the target's own register: another may come later */
    operands[!store].bits += (uint64_t)(g->first->offset - g->target->offset);
    in->operands = operands;
    for (unsigned i = 0; i < g->fields; i++) {
        struct access *a = g->pieces[i];
        if (a != NULL) {
            s->removed[a->insn] = a->gone = a != g->target;
        }
    }
    g->target->offset = g->first->offset;
    g->target->words = g->fields;
    g->target->element = g->element;
}

static int by_position(const void *left, const void *right)
{
    const struct inserted *a = left, *b = right;
    return a->at != b->at ? (a->at > b->at) - (a->at < b->at) : a->behind - b->behind;
}

/* The function without what was removed and with what was inserted. */
void join_rebuild(struct segment *s, struct arena *arena)
{
    struct ptx_func *f = s->f;
    unsigned *new_index = arena_alloc(&s->scratch, (f->insn_count + 1u) * sizeof *new_index);
    struct ptx_insn *made =
        arena_alloc(arena, (f->insn_count + s->inserted_count + 1u) * sizeof *made);
    unsigned count = 0, next = 0;
    if (s->inserted_count > 0) {
        qsort(s->inserted, s->inserted_count, sizeof *s->inserted, by_position);
    }
    for (unsigned i = 0; i < f->insn_count; i++) {
        new_index[i] = count;
        while (next < s->inserted_count && s->inserted[next].at == i && !s->inserted[next].behind) {
            made[count++] = s->inserted[next++].insn;
        }
        made[count] = f->insns[i];
        count += !s->removed[i];
        while (next < s->inserted_count && s->inserted[next].at == i) {
            made[count++] = s->inserted[next++].insn;
        }
    }
    new_index[f->insn_count] = count;
    for (unsigned i = 0; i < f->label_count; i++) {
        f->labels[i].insn = new_index[f->labels[i].insn];
    }
    f->insns = made;
    f->insn_count = count;
}

void join_declare(struct ptx_func *f, unsigned count, struct arena *arena)
{
    struct ptx_reg *regs = arena_alloc(arena, (f->reg_count + count) * sizeof *regs);
    if (f->reg_count > 0) {
        memcpy(regs, f->regs, f->reg_count * sizeof *regs);
    }
    for (unsigned i = 0; i < count; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "%s%u", JOIN_REGISTERS, i);
        regs[f->reg_count++] =
            (struct ptx_reg){.name = arena_strndup(arena, name, (size_t)length), .type = PTX_B32};
    }
    f->regs = regs;
}
