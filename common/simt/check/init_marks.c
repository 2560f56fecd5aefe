/* init_marks.c - how each decoded instruction passes on what is known of its sources' values; see
 * init.h. Its handler's row says so, or its opcode's in ptx_ops.def. */
#include "check/init.h"

#include "ir/ops.h"

/* A conversion between integers; one to or from floating-point numbers makes other bits. */
static bool keeps_bits(const struct ptx_insn *conversion)
{
    for (unsigned i = 0; i < conversion->modifier_count; i++) {
        if (conversion->modifiers[i].type > PTX_S64) {
            return false;
        }
    }
    return true;
}

static enum op_marks marks_of(const struct ptx_insn *origin, const struct handler *handler)
{
    if (handler->marks != MARKS_OPCODE) {
        return handler->marks;
    }
    if (origin == NULL) {
        return MARKS_NONE;
    }
    if (handler->event == EVENT_STORE) { /* wmma.store is one opcode with wmma.load */
        return MARKS_STORE;
    }
    const struct op_info *op = &op_table[origin->op];
    return op->class == CLASS_CONVERSION && !keeps_bits(origin) ? MARKS_COMPUTE : op->marks;
}

/* May it store to local memory? */
static bool stores_locally(const struct kernel *k, uint32_t pc)
{
    const enum handler_kind kind = k->handlers[pc]->kind;
    const enum handler_event event = k->handlers[pc]->event;
    const unsigned space = k->code[pc].space;
    return kind == KIND_CALL || kind == KIND_CALL_INDIRECT ||
           ((event == EVENT_STORE || event == EVENT_ATOMIC) &&
            (space == PTX_LOCAL || space == PTX_GENERIC));
}

void init_inspect(struct check *c, const struct kernel *k)
{
    c->only_padding = true;
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        c->only_padding &= !stores_locally(k, pc);
        c->infos[pc].marks = (uint8_t)marks_of(k->origin[pc], k->handlers[pc]);
        c->infos[pc].begins = false;
    }
    c->has_undefined = false;
    for (unsigned i = 0; i < k->func_count; i++) {
        const uint32_t first = k->funcs[i]->entry_pc + 1; /* behind its ENTER */
        if (k->funcs[i]->undefined_count > 0 && first < k->code_count) {
            c->infos[first].begins = c->has_undefined = true;
        }
    }
}
