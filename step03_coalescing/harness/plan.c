/* plan.c - the trials of a run (see plan.h). */
#include "step03_coalescing/harness/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/counters.h"

enum { MAX_OFFSET = 32, MAX_STRIDE = 32 };

static void plan_add(struct plan *p, const struct kernel *k, struct trial trial)
{
    if (p->count == PLAN_MAX) {
        fprintf(stderr, "step03_coalescing: more than %d trials\n", PLAN_MAX);
        exit(2);
    }
    p->entries[p->count++] = (struct entry){k, trial};
}

/* The same bytes in elements of another size. */
static size_t elements_of(size_t floats, unsigned bytes)
{
    const size_t elements = floats * sizeof(float) / bytes;
    return elements > 0 ? elements : 1;
}

static struct trial offset_trial(size_t floats, unsigned bytes, size_t offset, size_t padding)
{
    struct trial t = {0};
    t.n = elements_of(floats, bytes);
    t.parameter = t.offset = offset;
    t.stride = 1;
    t.element_bytes = bytes;
    t.array_bytes = (t.n + padding) * bytes;
    return t;
}

/* Every stride-th element of an array that stays the same. */
static struct trial stride_trial(size_t floats, unsigned bytes, size_t stride)
{
    const size_t elements = elements_of(floats, bytes);
    struct trial t = {0};
    t.n = (elements + stride - 1) / stride;
    t.parameter = t.stride = stride;
    t.element_bytes = bytes;
    t.array_bytes = elements * bytes;
    return t;
}

static struct trial struct_trial(size_t floats)
{
    struct trial t = {0};
    t.n = floats / PARTICLE_FIELDS;
    t.parameter = PARTICLE_FIELDS;
    t.element_bytes = sizeof(float);
    t.array_bytes = t.n * sizeof(struct particle);
    return t;
}

static struct trial transpose_trial(int width, int height)
{
    struct trial t = {0};
    t.n = (size_t)width * (size_t)height;
    t.parameter = (size_t)width;
    t.element_bytes = sizeof(float);
    t.width = width;
    t.height = height;
    t.array_bytes = t.n * sizeof(float);
    return t;
}

static bool same_name(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* Does the command line want this kernel? */
static bool wanted(const struct request *r, const struct kernel *k)
{
    if (r->kernel)
        return same_name(r->kernel->name, k->name);
    if (k->sabotaged)
        return false;
    if (r->offsets.count == 0 && r->strides.count == 0)
        return true;
    return (r->offsets.count > 0 && same_name(k->experiment, "offset")) ||
           (r->strides.count > 0 && same_name(k->experiment, "stride"));
}

static void plan_offsets(struct plan *p, const struct request *r, const struct kernel *k,
                         size_t floats)
{
    size_t padding = 0;
    for (size_t i = 0; i < r->offsets.count; i++)
        padding = padding < (size_t)r->offsets.values[i] ? (size_t)r->offsets.values[i] : padding;
    for (size_t i = 0; i < r->offsets.count; i++) {
        const size_t offset = (size_t)r->offsets.values[i];
        plan_add(p, k, offset_trial(floats, r->element_bytes, offset, padding));
    }
    for (size_t offset = 0; r->offsets.count == 0 && offset <= MAX_OFFSET; offset++)
        plan_add(p, k, offset_trial(floats, r->element_bytes, offset, MAX_OFFSET));
}

static void plan_strides(struct plan *p, const struct request *r, const struct kernel *k,
                         size_t floats)
{
    for (size_t i = 0; i < r->strides.count; i++)
        plan_add(p, k, stride_trial(floats, r->element_bytes, (size_t)r->strides.values[i]));
    for (size_t stride = 1; r->strides.count == 0 && stride <= MAX_STRIDE; stride++)
        plan_add(p, k, stride_trial(floats, r->element_bytes, stride));
}

/* The two-line kernels: the values that were asked for, or three that tell the story. */
static void plan_simple(struct plan *p, const struct request *r, const struct kernel *k,
                        size_t floats)
{
    static const size_t offsets[] = {0, 1, 8}, strides[] = {1, 2, 8};
    const bool shifted = same_name(k->experiment, "simple_offset");
    const struct option_integers *asked = shifted ? &r->offsets : &r->strides;
    if (asked->count > 0 && shifted)
        plan_offsets(p, r, k, floats);
    else if (asked->count > 0)
        plan_strides(p, r, k, floats);
    for (size_t i = 0; asked->count == 0 && i < 3; i++)
        plan_add(p, k,
                 shifted ? offset_trial(floats, sizeof(float), offsets[i], MAX_OFFSET)
                         : stride_trial(floats, sizeof(float), strides[i]));
}

static void plan_sizes(struct plan *p, const struct kernel *k, size_t floats)
{
    for (unsigned bytes = 1; bytes <= 16; bytes *= 2)
        for (size_t offset = 0; offset <= 1; offset++)
            plan_add(p, k, offset_trial(floats, bytes, offset, 1));
}

static void plan_in_flight(struct plan *p, const struct kernel *k, size_t floats)
{
    for (size_t block = 64; block <= 1024; block *= 2) {
        struct trial t = offset_trial(floats, sizeof(float), 0, 0);
        t.parameter = block;
        plan_add(p, k, t);
    }
}

static void plan_copies(struct plan *p, const struct request *r, size_t floats)
{
    size_t count;
    const struct kernel *kernels = copy_kernels(&count);
    for (size_t i = 0; i < count; i++) {
        const struct kernel *k = &kernels[i];
        const bool reference = same_name(k->name, "copy_plain"); /* percent_of_copy needs it */
        if (!reference && !wanted(r, k))
            continue;
        if (!k->predict && backend_is_sim())
            continue; /* the library's copy has no counts, and here no time either */
        if (same_name(k->experiment, "copy"))
            plan_add(p, k, offset_trial(floats, sizeof(float), 0, 0));
        else if (same_name(k->experiment, "in_flight"))
            plan_in_flight(p, k, floats);
        else if (strncmp(k->experiment, "simple", 6) == 0)
            plan_simple(p, r, k, floats);
        else if (same_name(k->experiment, "offset"))
            plan_offsets(p, r, k, floats);
        else if (same_name(k->experiment, "stride"))
            plan_strides(p, r, k, floats);
        else
            plan_sizes(p, k, floats);
    }
}

void plan_all(struct plan *p, const struct request *r, size_t floats)
{
    const int side = (int)sqrt((double)floats);
    size_t structs, transposes;
    const struct kernel *s = struct_kernels(&structs), *t = transpose_kernels(&transposes);
    plan_copies(p, r, floats);
    for (size_t i = 0; i < structs; i++)
        if (wanted(r, &s[i]))
            plan_add(p, &s[i], struct_trial(floats));
    for (size_t i = 0; i < transposes; i++)
        if (wanted(r, &t[i]))
            plan_add(p, &t[i], transpose_trial(side, side));
}

void plan_odd(struct plan *odd, const struct plan *p)
{
    enum { FLOATS = 10007, WIDTH = 149, HEIGHT = 71, SHIFT = 3 };
    for (size_t i = 0; i < p->count; i++) {
        const struct entry *e = &p->entries[i];
        const unsigned bytes = e->trial.element_bytes;
        const char *experiment = e->kernel->experiment;
        if (i > 0 && same_name(e->kernel->name, e[-1].kernel->name) &&
            bytes == e[-1].trial.element_bytes)
            continue; /* one trial of each kernel and element size */
        struct trial t = offset_trial(FLOATS, bytes, 0, 0);
        if (same_name(experiment, "offset") || same_name(experiment, "simple_offset") ||
            same_name(experiment, "size"))
            t = offset_trial(FLOATS, bytes, SHIFT, SHIFT);
        else if (same_name(experiment, "stride") || same_name(experiment, "simple_stride"))
            t = stride_trial(FLOATS, bytes, SHIFT);
        else if (same_name(experiment, "structs"))
            t = struct_trial(FLOATS);
        else if (same_name(experiment, "transpose")) {
            /* Once more where 16-byte accesses fit, but the tile does not. */
            plan_add(odd, e->kernel, transpose_trial(WIDTH - WIDTH % 4, HEIGHT - HEIGHT % 4));
            t = transpose_trial(WIDTH, HEIGHT);
        } else
            t.parameter = e->trial.parameter;
        plan_add(odd, e->kernel, t);
    }
}

size_t plan_array_bytes(const struct plan *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->entries[i].trial.array_bytes > most)
            most = p->entries[i].trial.array_bytes;
    return most;
}
