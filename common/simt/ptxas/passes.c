/* passes.c - the passes, in the order in which they run, and the loop that runs them. */
#include "ptxas/passes.h"

#include <stdlib.h>
#include <string.h>

const struct pass pass_list[] = {
    /* Changes the code: what is not loaded needs no register. */
    {"narrow loads", pass_narrow, true, NULL},
    /* Changes the code, too. */
    {"wide stores", pass_widen, true, NULL},
    /* Of the code as the compiler wrote it: a register that is written once is written by several
     * instructions when its loop is unrolled, and yet holds the same value. */
    {"uniformity", pass_uniform, true, NULL},
    {"register pressure", pass_pressure, false, NULL},
    {"contraction", pass_contract, true, NULL},
    /* Changes the code. */
    {"loop unrolling", pass_unroll, true, NULL},
    /* Of the code that is executed. */
    {"reconvergence", pass_reconverge, true, pass_postdominators},
    {"yielding loops", pass_yield, true, NULL},
    {"atomics", pass_atomics, true, NULL},
    {"shared-memory merging", pass_merge, true, NULL},
};
const unsigned pass_count = ARRAY_LENGTH(pass_list);

bool passes_run(struct function_ir *ir, bool plain)
{
    for (unsigned i = 0; i < pass_count; i++) {
        const struct pass *p = &pass_list[i];
        bool (*run)(struct function_ir *) = plain && p->as_ptxas ? p->otherwise : p->run;
        if (run != NULL && !run(ir)) {
            return false;
        }
    }
    return true;
}

bool passes_read_environment(bool *plain, struct err *e)
{
    const char *text = getenv("SIMT_PASSES");
    *plain = text != NULL && strcmp(text, "none") == 0;
    return text == NULL || text[0] == '\0' || *plain || strcmp(text, "all") == 0 ||
           err_set(e, "SIMT_PASSES=%.80s: it is `all`, or `none` to count the PTX as it is written",
                   text);
}
