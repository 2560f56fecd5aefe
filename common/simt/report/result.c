/* result.c - see result.h. */
#include "report/result.h"

#include <string.h>

uint32_t result_count(const struct function_ir *ir)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        const uint32_t end = ir->insns[i].refs + ir->insns[i].written;
        count = end > count ? end : count;
    }
    return count;
}

const char *result_variable(const struct function_ir *ir, const char *const *results, uint32_t insn,
                            uint32_t reg)
{
    const struct ir_regs written = ir_written(ir, insn);
    for (uint32_t i = 0; i < written.count; i++) {
        if (written.reg[i] == reg) {
            return results[ir->insns[insn].refs + i];
        }
    }
    return NULL;
}

bool result_writes(const struct function_ir *ir, const char *const *results, uint32_t insn,
                   const char *name)
{
    const struct ir_insn *in = &ir->insns[insn];
    for (uint32_t i = 0; i < in->written; i++) {
        const char *written = results[in->refs + i];
        if (written != NULL && strcmp(written, name) == 0) {
            return true;
        }
    }
    return false;
}
