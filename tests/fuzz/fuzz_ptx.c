/* fuzz_ptx.c - libFuzzer target: any bytes at all, given to the PTX parser, give a module that
 * keeps the promises of module.h, or an error of one line.
 *
 * clang -fsanitize=fuzzer,address,undefined; run with corpus_ptx/ as its seeds. With
 * SIMT_FUZZ_DECODE defined, a module goes on to fuzz_decode(), which another file brings. */
#include "common/simt/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef SIMT_FUZZ_DECODE
void fuzz_decode(struct ptx_module *module);
#endif

static size_t touched_bytes; /* keeps the compiler from dropping the reads */

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* Reads all of the text, so that a wrong pointer is found by AddressSanitizer. */
static void touch(const char *text)
{
    require(text != NULL);
    touched_bytes += strlen(text);
}

static void check_operand(const struct ptx_operand *operand)
{
    require(operand->kind <= PTX_OPERAND_LIST);
    require(operand->item_count == 0 || operand->items != NULL);
    if (operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_SYMBOL ||
        operand->kind == PTX_OPERAND_SPECIAL || operand->kind == PTX_OPERAND_SINK) {
        touch(operand->name);
    } else if (operand->kind == PTX_OPERAND_MEMORY && operand->name != NULL) {
        touch(operand->name);
    } else {
        require(operand->name == NULL);
    }
    require(operand->kind != PTX_OPERAND_PAIR || operand->item_count == 2);
    for (unsigned i = 0; i < operand->item_count; i++) {
        check_operand(&operand->items[i]);
    }
}

static void check_var(const struct ptx_var *var)
{
    touch(var->name);
    require(var->type > PTX_NO_TYPE && var->type < PTX_TYPE_COUNT);
    require(var->align > 0 && (var->align & (var->align - 1)) == 0);
    for (uint64_t i = 0; var->initial != NULL && i < var->bytes; i++) {
        touched_bytes += var->initial[i];
    }
    for (unsigned i = 0; i < var->reloc_count; i++) {
        touch(var->relocs[i].symbol);
        require(var->initial != NULL && var->relocs[i].offset + var->relocs[i].bytes <= var->bytes);
    }
}

static void check_vars(const struct ptx_var *vars, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        check_var(&vars[i]);
    }
}

static void check_insn(const struct ptx_insn *insn)
{
    require(insn->op < PTX_OP_COUNT && insn->loc != NULL && insn->text_line > 0);
    touch(insn->op_name);
    for (const struct ptx_loc *loc = insn->loc; loc != NULL; loc = loc->inlined_at) {
        touched_bytes += loc->line;
    }
    if (insn->guard != NULL) {
        touch(insn->guard->name);
    }
    for (unsigned i = 0; i < insn->modifier_count; i++) {
        touch(insn->modifiers[i].text);
    }
    for (unsigned i = 0; i < insn->operand_count; i++) {
        check_operand(&insn->operands[i]);
    }
}

static void check_func(const struct ptx_func *func)
{
    touch(func->name);
    check_vars(func->params, func->param_count);
    check_vars(func->returns, func->return_count);
    check_vars(func->vars, func->var_count);
    for (unsigned i = 0; i < func->reg_count; i++) {
        touch(func->regs[i].name);
    }
    for (unsigned i = 0; i < func->insn_count; i++) {
        check_insn(&func->insns[i]);
    }
    for (unsigned i = 0; i < func->label_count; i++) {
        touch(func->labels[i].name);
        require(func->labels[i].insn <= func->insn_count);
    }
    for (unsigned i = 0; i < func->target_count; i++) {
        touch(func->targets[i].name);
        for (unsigned j = 0; j < func->targets[i].item_count; j++) {
            touch(func->targets[i].items[j]);
        }
    }
    for (unsigned i = 0; i < func->prototype_count; i++) {
        check_func(&func->prototypes[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    struct ptx_module *module = parse_module((const char *)data, size, "fuzz.ptx", &e);
    require((module == NULL) == e.set);
    if (module == NULL) {
        require(e.text[0] != '\0' && strchr(e.text, '\n') == NULL);
        return 0;
    }
    check_vars(module->vars, module->var_count);
    for (unsigned i = 0; i < module->func_count; i++) {
        check_func(&module->funcs[i]);
    }
    for (unsigned i = 0; i < module->file_count; i++) {
        if (module->files[i] != NULL) {
            touch(module->files[i]);
        }
    }
#ifdef SIMT_FUZZ_DECODE
    fuzz_decode(module);
#endif
    ptx_module_free(module);
    return 0;
}
