/* decode_sizes.c - how much parameters, local and shared variables take, before room is given to
 * any of them: sums in 64 bits, against what a GPU has. Offsets are 32 bits wide from here on. */
#include "decode/decoder.h"
#include "base/demangle.h"

#include "base/launch.h"

/* Sources: PTX ISA, ".param"; CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability". Shared memory is a limit of the launch, by the GPU that is simulated; here only
 * offsets must fit. */
enum { MOST_PARAM_BYTES = 32764, MOST_SHARED_BYTES = 1 << 30 };

static bool too_large(struct decoder *d, const struct ptx_func *f, const char *what, uint64_t bytes,
                      uint64_t most)
{
    char name[200];
    demangle_signature(f->name, name, sizeof name);
    return err_set_code(d->e, SIMT_NOT_SUPPORTED,
                        "%s %s: %s take %llu bytes; at most %llu are possible",
                        f->is_entry ? "kernel" : "function", name, what, (unsigned long long)bytes,
                        (unsigned long long)most);
}

/* Bytes of the variables of that space, one behind the other; UINT64_MAX if even that is too small.
 */
static uint64_t sum_of(const struct ptx_var *vars, unsigned count, enum ptx_space space)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_var *v = &vars[i];
        if (v->space != space) {
            continue;
        }
        uint64_t at = align_up(sum, v->align != 0 ? v->align : 1);
        if (at < sum || at + v->bytes < at) {
            return UINT64_MAX;
        }
        sum = at + v->bytes;
    }
    return sum;
}

static bool function_fits(struct decoder *d, const struct ptx_func *f)
{
    uint64_t params = sum_of(f->params, f->param_count, PTX_PARAM);
    uint64_t returns = sum_of(f->returns, f->return_count, PTX_PARAM);
    uint64_t local = sum_of(f->vars, f->var_count, PTX_LOCAL);
    if (params > MOST_PARAM_BYTES) {
        return too_large(d, f, "parameters", params, MOST_PARAM_BYTES);
    }
    if (returns > MOST_PARAM_BYTES) {
        return too_large(d, f, "results", returns, MOST_PARAM_BYTES);
    }
    for (unsigned i = 0; i < f->var_count; i++) { /* what a call passes */
        uint64_t passed = sum_of(&f->vars[i], 1, PTX_PARAM);
        if (passed > MOST_PARAM_BYTES) {
            return too_large(d, f, "parameters of a call", passed, MOST_PARAM_BYTES);
        }
    }
    return local <= MOST_LOCAL_BYTES || too_large(d, f, "local variables", local, MOST_LOCAL_BYTES);
}

bool decode_sizes_fit(struct decoder *d)
{
    uint64_t shared = sum_of(d->m->vars, d->m->var_count, PTX_SHARED);
    for (unsigned i = 0; i < d->k->func_count && shared <= MOST_SHARED_BYTES; i++) {
        const struct ptx_func *f = d->k->funcs[i]->ptx;
        uint64_t own = sum_of(f->vars, f->var_count, PTX_SHARED);
        if (!function_fits(d, f)) {
            return false;
        }
        shared = own > MOST_SHARED_BYTES ? own : shared + own;
    }
    return shared <= MOST_SHARED_BYTES ||
           too_large(d, d->k->ptx, "shared variables", shared, MOST_SHARED_BYTES);
}

bool decode_stack_fits(struct decoder *d, uint64_t frames, uint64_t locals)
{
    if (frames > MOST_FRAME_BYTES) {
        return too_large(d, d->k->ptx, "registers of a warp", frames, MOST_FRAME_BYTES);
    }
    return locals <= MOST_LOCAL_BYTES ||
           too_large(d, d->k->ptx, "local variables with those of called functions", locals,
                     MOST_LOCAL_BYTES);
}
