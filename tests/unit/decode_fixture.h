/* decode_fixture.h - PTX text in, a decoded kernel out: for the tests of decode/. Variables of the
 * module in .global and .const space all "lie" at one address; handlers are the real ones. */
#ifndef TESTS_DECODE_FIXTURE_H
#define TESTS_DECODE_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/simt/decode/decode.h"
#include "common/simt/exec/exec.h"
#include "common/simt/exec/exec_native.h"
#include "common/simt/ptx/parse.h"

/* Variables and a function that bodies of the tests speak of. */
#define HEAD                                                                                       \
    ".const .align 4 .u32 fixed[2] = {1, 2};\n.global .align 4 .u32 count;\n"                      \
    ".func (.param .b32 r) twice(.param .b32 n) { ret; }\n"

/* One line that decodes, for each opcode of ptx_ops.def. */

enum { VARIABLE_ADDRESS = 0x10000 };

static inline bool decode_variable(void *state, const char *name, uint64_t *address)
{
    const struct ptx_module *m = state;
    for (unsigned i = 0; i < m->var_count; i++) {
        if (strcmp(m->vars[i].name, name) == 0) {
            *address = VARIABLE_ADDRESS;
            return true;
        }
    }
    return false;
}

struct decoded {
    struct ptx_module *module;
    struct kernel *k; /* NULL: rejected, see e */
    struct err e;
};

static const char *decode_target = "sm_90a";
static bool decode_plain; /* as SIMT_PASSES=none has it */

/* The kernel is called k; `head` is what stands before it, `body` lies between its braces. */
static inline struct decoded decode_text(const char *head, const char *params, const char *body)
{
    struct decoded d = {0};
    char *text;
    int length =
        asprintf(&text,
                 ".version 9.0\n.target %s\n.address_size 64\n.file 1 \"src/case.cu\"\n"
                 ".file 2 \"/usr/include/library.h\"\n%s\n.visible .entry k(%s)\n{\n"
                 ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<40>; .reg .b64 %%rd<40>;\n"
                 ".loc 1 20 0\n%s\n}\n",
                 decode_target, head, params, body);
    ck_assert_int_gt(length, 0);
    d.module = parse_module(text, (size_t)length, "case.ptx", &d.e);
    free(text);
    if (d.module != NULL) {
        struct decode_world world = {.state = d.module,
                                     .variable = decode_variable,
                                     .handler = exec_find,
                                     .guarded = exec_guarded,
                                     .plain = decode_plain,
                                     .find_native = native_find,
                                     .param_bytes_of = native_param_bytes,
                                     .result_bytes_of = native_result_bytes};
        d.k = decode_kernel(d.module, "k", &world, &d.e);
    }
    return d;
}

static inline void decoded_free(struct decoded *d)
{
    if (d->k != NULL) {
        kernel_free(d->k);
    }
    if (d->module != NULL) {
        ptx_module_free(d->module);
    }
}

/* The n-th instruction (from 0) that the named handler runs, or NULL. */
static inline const struct insn *decoded_insn(const struct kernel *k, const char *handler,
                                              unsigned n)
{
    const struct handler *wanted = exec_find(handler);
    ck_assert_msg(wanted != NULL, "no handler %s", handler);
    for (unsigned i = 0; i < k->code_count; i++) {
        if (k->handlers[i] == wanted && n-- == 0) {
            return &k->code[i];
        }
    }
    return NULL;
}

#endif
