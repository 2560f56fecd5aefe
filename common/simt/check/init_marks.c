/* init_marks.c - how each decoded instruction passes on what is known of its sources' values; see
 * init.h. Its opcode's row in ptx_ops.def says so, but for what the decoder made of it. */
#include "check/init.h"

#include "exec/exec.h"
#include "ir/ops.h"

#include <string.h>

/* Handlers that do something else than their opcode does elsewhere, by how their names begin. */
static const struct {
    const char *begins;
    enum op_marks marks;
} shapes[] = {
    {"enter", MARKS_NONE},          /* a basic block; its origin is the instruction behind it */
    {"bra_if", MARKS_BRANCH},       /* with a guard, or around an instruction that has one */
    {"nop", MARKS_NONE},            /* cp.async.commit_group */
    {"copy_param", MARKS_NONE},     /* of a call, or a mov of a parameter's address */
    {"local_address", MARKS_CLEAR}, /* mov of a local array's address */
    {"clock", MARKS_CLEAR},         /* mov of %clock */
    {"and_pred", MARKS_AND},
    {"or_pred", MARKS_OR},
    {"pack_", MARKS_JOIN},      /* mov of a list */
    {"st_frame", MARKS_GIVE},   /* st.param */
    {"unpack_", MARKS_UNPACK},  /* mov to a list */
    {"mbarrier_", MARKS_CLEAR}, /* cp.async.mbarrier.arrive is no copy either */
    {"bar_red", MARKS_CLEAR},   /* the one barrier with a result */
};

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

static enum op_marks marks_of(const struct ptx_insn *origin, const char *handler)
{
    for (unsigned i = 0; i < ARRAY_LENGTH(shapes); i++) {
        if (strncmp(handler, shapes[i].begins, strlen(shapes[i].begins)) == 0) {
            return shapes[i].marks;
        }
    }
    if (origin == NULL) {
        return MARKS_NONE;
    }
    const struct op_info *op = &op_table[origin->op];
    return op->class == CLASS_CONVERSION && !keeps_bits(origin) ? MARKS_COMPUTE : op->marks;
}

void init_inspect(struct check *c, const struct kernel *k)
{
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        c->infos[pc].marks = (uint8_t)marks_of(k->origin[pc], exec_name(k->code[pc].handler));
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
