/* fuzz_decode.c - every kernel of a parsed module goes through the decoder, in a world where each
 * variable exists and each handler and native function is found. */
#include "common/simt/decode/decode.h"

#include <string.h>

static bool variable(void *state, const char *name, uint64_t *address)
{
    (void)state;
    *address = 4096;
    return name[0] != '%';
}

static const struct insn *nothing(struct warp *w, const struct insn *in)
{
    (void)w;
    return in + 1;
}

/* The decoder asks a handler's kind; all do nothing. */
#define STUB(kind_)                                                                                \
    {                                                                                              \
        .name = "stub", .run = nothing, .kind = kind_, .event = EVENT_QUIET, .marks = MARKS_OPCODE \
    }

static const struct handler *handler(const char *name)
{
    static const struct handler work = STUB(KIND_WORK), branch = STUB(KIND_BRANCH),
                                table = STUB(KIND_TABLE_BRANCH), call = STUB(KIND_CALL_INDIRECT);
    return strcmp(name, "bra") == 0 || strcmp(name, "bra_if") == 0 ? &branch
           : strcmp(name, "brx") == 0                              ? &table
           : strcmp(name, "call_indirect") == 0                    ? &call
                                                                   : &work;
}

static unsigned native(const char *name) { return strcmp(name, "vprintf") == 0 ? 0 : NO_REF; }

static unsigned native_param_bytes(unsigned n, unsigned i)
{
    (void)n;
    return i < 2 ? 8 : 0;
}

static unsigned native_result_bytes(unsigned n)
{
    (void)n;
    return 4;
}

void fuzz_decode(struct ptx_module *m);

void fuzz_decode(struct ptx_module *m)
{
    const struct decode_world world = {.variable = variable,
                                       .handler = handler,
                                       .guarded = nothing,
                                       .find_native = native,
                                       .param_bytes_of = native_param_bytes,
                                       .result_bytes_of = native_result_bytes};
    for (unsigned i = 0; i < m->func_count; i++) {
        struct err e = {0};
        if (m->funcs[i].is_entry) {
            kernel_free(decode_kernel(m, m->funcs[i].name, &world, &e));
        }
    }
}
