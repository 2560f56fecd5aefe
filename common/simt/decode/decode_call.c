/* decode_call.c - calls: of a function of the module, through a register, and of functions that
 * the simulator answers itself. Arguments and results are .param variables of the caller. */
#include "decode/decoder.h"

#include <string.h>

/* call{.uni} {(results),} function {, (arguments)} {, prototype} */
struct call_text {
    const struct ptx_operand *results, *function, *arguments;
};

static bool read_call(struct decoder *d, struct call_text *c)
{
    *c = (struct call_text){0};
    for (unsigned i = 0; i < d->in->operand_count; i++) {
        const struct ptx_operand *o = &d->in->operands[i];
        if (o->kind == PTX_OPERAND_LIST) {
            if (c->function == NULL && c->results == NULL) {
                c->results = o;
            } else {
                c->arguments = o;
            }
        } else if (c->function == NULL) {
            c->function = o;
        } /* what is left is the prototype: call_indirect knows its callee's */
    }
    return (c->function != NULL && c->function->name != NULL) ||
           decode_reject(d, "a call without a function");
}

/* The frame areas that a list of .param variables names. */
static bool frame_params(struct decoder *d, const struct ptx_operand *list,
                         struct frame_param **out, unsigned *count)
{
    *count = list != NULL ? list->item_count : 0;
    *out = arena_alloc(&d->k->arena, (*count + 1) * sizeof **out);
    for (unsigned i = 0; i < *count; i++) {
        const struct variable *s =
            list->items[i].name != NULL ? decode_find_variable(d, list->items[i].name) : NULL;
        if (s == NULL || s->kind != VARIABLE_FRAME_PARAM) {
            return decode_reject(d, "an argument that is no .param variable");
        }
        (*out)[i] = (struct frame_param){s->offset, s->bytes};
    }
    return true;
}

static bool same_sizes(const struct frame_param *a, unsigned count, const struct ptx_var *b,
                       unsigned b_count)
{
    for (unsigned i = 0; i < count && count == b_count; i++) {
        if (a[i].bytes != b[i].bytes) {
            return false;
        }
    }
    return count == b_count;
}

static bool check_native(struct decoder *d, const struct call_site *c, const char *name)
{
    bool good = true;
    unsigned expected = d->world->result_bytes_of(c->native);
    good &= (c->result_count == 1 ? c->results[0].bytes : 0) == expected;
    for (unsigned i = 0; i < c->arg_count; i++) {
        good &= d->world->param_bytes_of(c->native, i) == c->args[i].bytes;
    }
    good &= d->world->param_bytes_of(c->native, c->arg_count) == 0;
    return good || decode_reject(d, "the arguments of %s", name);
}

/* Finds what is called; *handler is the name of the handler that does it. */
static bool find_callee(struct decoder *d, const struct call_text *text, struct call_site *c,
                        const char **handler)
{
    unsigned index;
    const char *name = text->function->name;
    if (text->function->kind == PTX_OPERAND_REG) {
        *handler = "call_indirect";
        return decode_source(d, text->function, PTX_U64, &c->target);
    }
    if (names_find(&d->functions, name, &index) && d->func_of[index] != NO_REF) {
        c->callee = d->k->funcs[d->func_of[index]];
        *handler = "call";
        const struct ptx_func *f = c->callee->ptx;
        return (same_sizes(c->args, c->arg_count, f->params, f->param_count) &&
                same_sizes(c->results, c->result_count, f->returns, f->return_count)) ||
               decode_reject(d, "the arguments do not fit function %s", name);
    }
    c->native = d->world->find_native(name);
    *handler = "call_native";
    if (c->native == NO_REF) {
        const bool runtime = strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0;
        return decode_reject(d,
                             runtime ? "a kernel cannot call %s here: of the CUDA runtime, kernels "
                                       "have launches, streams, events, copies, fills, memory, "
                                       "attributes and errors"
                                     : "function %s is not defined in this module",
                             name);
    }
    return check_native(d, c, name);
}

bool decode_call(struct decoder *d)
{
    struct insn in = decode_blank();
    struct call_text text;
    struct call_site c = {.native = NO_REF, .caller = d->kf->index};
    const char *handler;
    decode_take(d, WORD_UNI);
    if (!decode_all_taken(d) || !read_call(d, &text) ||
        !frame_params(d, text.results, &c.results, &c.result_count) ||
        !frame_params(d, text.arguments, &c.args, &c.arg_count) ||
        !find_callee(d, &text, &c, &handler)) {
        return false;
    }
    struct kernel *k = d->k;
    k->calls =
        arena_grow(&d->scratch, k->calls, k->call_count, &d->call_capacity, sizeof *k->calls);
    k->calls[k->call_count] = c;
    in.number = k->call_count++;
    return decode_emit(d, in, "%s", handler) != NULL;
}
