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

/* The decoder tells handlers apart by their address, so the ones it asks for must differ. */
#define DISTINCT(n)                                                                                \
    static const struct insn *handler_##n(struct warp *w, const struct insn *in)                   \
    {                                                                                              \
        (void)w;                                                                                   \
        return in + (n);                                                                           \
    }
DISTINCT(2)
DISTINCT(3)
DISTINCT(4)
DISTINCT(5)

static exec_fn handler(const char *name)
{
    return strcmp(name, "bra") == 0             ? handler_2
           : strcmp(name, "bra_if") == 0        ? handler_3
           : strcmp(name, "brx") == 0           ? handler_4
           : strcmp(name, "call_indirect") == 0 ? handler_5
                                                : nothing;
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
