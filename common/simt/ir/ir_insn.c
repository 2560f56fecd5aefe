/* ir_insn.c - one instruction: small questions about it, and how it is rejected. */
#include "ir/ir.h"

#include "base/demangle.h"
#include "base/launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- rejections ------------------------------------------------------------------------------ */

static void instruction_text(const struct ptx_insn *in, char *text, size_t size)
{
    int used = snprintf(text, size, "%s", in->op_name);
    for (unsigned i = 0; i < in->modifier_count && used >= 0 && (size_t)used < size; i++) {
        used += snprintf(text + used, size - (size_t)used, ".%s", in->modifiers[i].text);
    }
}

static void source_line(const struct ptx_module *m, const struct ptx_insn *in, char *text,
                        size_t size)
{
    const struct ptx_loc *loc = ptx_user_line(m, in->loc);
    const char *file = loc->file < m->file_count ? m->files[loc->file] : NULL;
    if (loc->line != 0 && file != NULL) {
        const char *slash = strrchr(file, '/');
        snprintf(text, size, "%s:%u (PTX line %u)", slash != NULL ? slash + 1 : file, loc->line,
                 in->text_line);
    } else {
        snprintf(text, size, "PTX line %u", in->text_line);
    }
}

bool ir_reject(const struct ir_context *context, const struct ptx_insn *in, const char *why, ...)
{
    char reason[300], text[160], line[300], kernel[200];
    va_list args;
    va_start(args, why);
    vsnprintf(reason, sizeof reason, why, args);
    va_end(args);
    instruction_text(in, text, sizeof text);
    source_line(context->module, in, line, sizeof line);
    demangle_signature(context->kernel, kernel, sizeof kernel);
    return err_set_code(context->e, SIMT_NOT_SUPPORTED, "kernel %s at %s: %s is not supported: %s",
                        kernel, line, text, reason);
}

/* --- questions ------------------------------------------------------------------------------- */

bool ir_is_indirect_call(const struct ptx_insn *in)
{
    for (unsigned i = 0; in->op == PTX_OP_CALL && i < in->operand_count; i++) {
        if (in->operands[i].kind == PTX_OPERAND_REG) {
            return true;
        }
    }
    return false;
}

bool ir_is_skipped_over(const struct ptx_insn *in)
{
    return in->guard != NULL && op_is(in->op, OP_CONVERGENT);
}

enum ptx_type ir_type_of(const struct ptx_insn *in)
{
    for (unsigned i = in->modifier_count; i-- > 0;) {
        if (in->modifiers[i].type != PTX_NO_TYPE) {
            return in->modifiers[i].type;
        }
    }
    return PTX_NO_TYPE;
}

struct ir_access ir_access_of(const struct ptx_insn *in)
{
    const struct op_info *info = &op_table[in->op];
    struct ir_access a = {.type = ir_type_of(in), .elements = 1};
    for (unsigned i = 0; i < in->modifier_count; i++) {
        enum ptx_word word = in->modifiers[i].word;
        enum ptx_space space = ptx_word_space(word);
        a.space = a.space == PTX_GENERIC ? space : a.space;
        a.elements = word == WORD_V2 ? 2 : word == WORD_V4 ? 4 : a.elements;
        a.is_volatile |= word == WORD_VOLATILE;
    }
    unsigned at = info->memory == MEMORY_READS || info->writes == WRITES_FIRST ? 1 : 0;
    if (info->memory != MEMORY_NONE && at < in->operand_count &&
        in->operands[at].kind == PTX_OPERAND_MEMORY) {
        a.address = &in->operands[at];
    }
    return a;
}

bool ir_becomes_call(const struct ptx_insn *in)
{
    const enum ptx_type type = ir_type_of(in);
    const bool exact = !ptx_has_modifier(in, WORD_APPROX) && !ptx_has_modifier(in, WORD_FULL);
    if (ptx_is_float(type)) {
        return exact && op_is(in->op, OP_REPEATS_APPROX);
    }
    return op_table[in->op].class == CLASS_QUOTIENT && ptx_type_bytes(type) == 8;
}

/* A sum of floats in shared memory is a loop of compare-and-swap. */
static bool adds_in_loop(const struct ptx_insn *in)
{
    return (in->op == PTX_OP_ATOM || in->op == PTX_OP_RED) && ptx_is_float(ir_type_of(in)) &&
           ir_access_of(in).space == PTX_SHARED;
}

/* Lanes wait for others of their warp: a loop, if they have parted. */
static bool waits_for_lanes(const struct ptx_insn *in)
{
    return op_table[in->op].class == CLASS_WARP || ptx_has_modifier(in, WORD_WARP);
}

bool ir_may_part(const struct ptx_insn *in)
{
    const bool leads_away = op_table[in->op].class == CLASS_FLOW && in->guard != NULL;
    return leads_away || in->op == PTX_OP_BRX || adds_in_loop(in) || waits_for_lanes(in) ||
           ir_becomes_call(in);
}
