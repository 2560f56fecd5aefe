/* decode_emit.c - the one way to append a decoded instruction to the kernel, and the sites it
 * counts at. */
#include "decode/decoder.h"

#include <stdarg.h>
#include <stdio.h>

struct insn decode_blank(void)
{
    return (struct insn){.d = NO_REF,
                         .a = NO_REF,
                         .b = NO_REF,
                         .c = NO_REF,
                         .e = NO_REF,
                         .guard = NO_REF,
                         .bytes = 4,
                         .elements = 1};
}

struct insn *decode_append(struct decoder *d, struct insn in, const struct handler *handler)
{
    struct kernel *k = d->k;
    unsigned capacity = d->code_capacity, same = capacity, again = capacity;
    k->code = arena_grow(&d->scratch, k->code, k->code_count, &d->code_capacity, sizeof *k->code);
    k->origin = arena_grow(&d->scratch, k->origin, k->code_count, &capacity, sizeof *k->origin);
    k->source = arena_grow(&d->scratch, k->source, k->code_count, &same, sizeof *k->source);
    k->handlers = arena_grow(&d->scratch, k->handlers, k->code_count, &again, sizeof *k->handlers);
    in.handler = handler->run;
    in.run = in.run != NULL ? in.run : handler->run;
    k->code[k->code_count] = in;
    k->handlers[k->code_count] = handler;
    k->origin[k->code_count] = d->in;
    k->source[k->code_count] = (struct code_source){d->kf->index, d->at};
    return &k->code[k->code_count++];
}

struct insn *decode_emit(struct decoder *d, struct insn in, const char *handler, ...)
{
    char name[96];
    bool negated;
    va_list args;
    va_start(args, handler);
    vsnprintf(name, sizeof name, handler, args);
    va_end(args);
    const struct handler *found = d->world->handler(name);
    if (found == NULL) {
        decode_reject(d, "this combination of type and modifiers");
        return NULL;
    }
    if (d->in->guard != NULL && !ir_is_skipped_over(d->in)) {
        if (!decode_predicate_source(d, d->in->guard, &in.guard, &negated)) {
            return NULL;
        }
        in.flags |= negated ? INSN_GUARD_NEGATED : 0;
        if (d->in->op != PTX_OP_EXIT && d->in->op != PTX_OP_RET) { /* they look at it themselves */
            in.run = d->world->guarded;
        }
    }
    return decode_append(d, in, found);
}

/* A new site is for the instruction that is emitted next. */
uint32_t decode_new_site(struct decoder *d, enum site_kind kind, unsigned count)
{
    struct kernel *k = d->k;
    uint32_t first = k->site_count;
    for (unsigned i = 0; i < count; i++) {
        enum site_kind shared = kind == SITE_GLOBAL_LOAD    ? SITE_SHARED_LOAD
                                : kind == SITE_GLOBAL_STORE ? SITE_SHARED_STORE
                                                            : SITE_SHARED_ATOM;
        k->sites =
            arena_grow(&d->scratch, k->sites, k->site_count, &d->site_capacity, sizeof *k->sites);
        k->sites[k->site_count++] = (struct site_info){.kind = i == 0   ? kind
                                                               : i == 1 ? shared
                                                                        : SITE_UNCOUNTED,
                                                       .insn = k->code_count};
    }
    return first;
}

uint32_t decode_new_plain_site(struct decoder *d, enum site_kind kind, uint32_t count)
{
    d->plain_sites = arena_grow(&d->scratch, d->plain_sites, d->plain_count, &d->plain_capacity,
                                sizeof *d->plain_sites);
    d->plain_sites[d->plain_count] =
        (struct site_info){.kind = kind, .insn = d->k->code_count, .count = count};
    return d->plain_count++ | PLAIN_SITE;
}

/* What may reach other blocks' shared memory has one more site for that. */
void decode_remote_site(struct decoder *d, struct insn *in, enum site_kind kind)
{
    if (in->flags & INSN_CLUSTER || (in->space == PTX_GENERIC && d->maps_cluster)) {
        in->flags |= INSN_REMOTE;
        decode_new_site(d, kind, 1);
    }
}
