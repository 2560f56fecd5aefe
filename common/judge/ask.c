/* ask.c - what a judging half asks of the learner's host code: the value of a variable, the result
 * of a function. Its code runs in a box (box_process.c); what it says is a claim to be judged. */
#include "common/judge/learner.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn static void missing(struct judge *j, const char *name)
{
    judge_end(j, JUDGE_COMPILE, 0, "",
              "%s is missing or has another type: the exercise needs it as it was\n", name);
}

void judge_read_variable(struct judge *j, const char *name, void *into, size_t bytes)
{
    struct box_variable v = {.bytes = bytes};
    uint32_t got = 0;
    snprintf(v.symbol, sizeof v.symbol, "%s", name);
    const unsigned char *value = box_ask(j, BOX_READ, &v, sizeof v, NULL, 0, &got);
    if (value == NULL || got != bytes) {
        missing(j, name);
    }
    memcpy(into, value, bytes);
}

/* The function of that address is the skeleton's: of the same name and parameters. */
static const char *symbol_of(struct judge *j, const void *function)
{
    Dl_info about;
    if (dladdr(function, &about) == 0 || about.dli_sname == NULL || about.dli_saddr != function) {
        judge_end(j, JUDGE_BROKEN, 0, "", "the skeleton has no such function");
    }
    return about.dli_sname;
}

static struct judge_buffer *host_array(struct judge *j, uint64_t value)
{
    for (unsigned i = 0; i < j->buffer_count; i++) {
        if ((uint64_t)(uintptr_t)j->buffers[i].host == value) {
            return &j->buffers[i];
        }
    }
    return NULL;
}

static bool device_array(struct judge *j, uint64_t value)
{
    for (unsigned i = 0; i < j->buffer_count; i++) {
        struct judge_buffer *b = &j->buffers[i];
        if (b->device != NULL && (uint64_t)(uintptr_t)b->device == value) {
            box_grant(value, b->count * 4);
            if (j->on_gpu && b->initial != NULL) {
                decoy_lies(j, value, b->initial, b->count * 4);
            }
            return true;
        }
    }
    return false;
}

/* The arrays of a call, one behind the other, as the learner's code is to see them. */
static unsigned char *gather(struct judge *j, struct box_call *call,
                             const struct judge_argument *arguments, uint32_t *total)
{
    unsigned char *bytes = NULL;
    *total = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        struct box_argument *const a = &call->arguments[i];
        const struct judge_buffer *b =
            arguments[i].pointer ? host_array(j, arguments[i].value) : NULL;
        *a = (struct box_argument){arguments[i].value, b != NULL, arguments[i].constant};
        if (b == NULL) {
            if (arguments[i].pointer && !device_array(j, arguments[i].value)) {
                judge_end(j, JUDGE_BROKEN, 0, "", "a pointer to nothing of the judge's");
            }
            continue;
        }
        a->value = b->count * 4;
        unsigned char *more = realloc(bytes, *total + a->value + 1);
        if (more == NULL || *total + a->value >= BOX_MOST_BYTES) {
            judge_end(j, JUDGE_BROKEN, 0, "", "no memory for a call");
        }
        bytes = more;
        memcpy(bytes + *total, b->host, a->value);
        if (j->on_gpu && arguments[i].constant) {
            decoy_add(j, bytes + *total, b->host, a->value);
        }
        *total += (uint32_t)a->value;
    }
    return bytes;
}

/* What the function left in the arrays that are not const. */
static void scatter(struct judge *j, const struct box_call *call,
                    const struct judge_argument *arguments, const unsigned char *bytes,
                    uint32_t count)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct box_argument *const a = &call->arguments[i];
        if (a->array && !a->constant) {
            if (a->value > count - at) {
                judge_end(j, JUDGE_CRASH, 0, "", "the host code wrote into the judge's pipe\n");
            }
            memcpy(host_array(j, arguments[i].value)->host, bytes + at, a->value);
            at += (uint32_t)a->value;
        }
    }
}

unsigned judge_fences(const struct judge *j, unsigned many)
{
    (void)j;
    return backend_is_sim() ? learner_fences() : many;
}

void judge_fail_next_wait(struct judge *j)
{
    (void)j;
    box_fail_next_wait();
}

uint64_t judge_ask(struct judge *j, const void *function, bool on_gpu,
                   const struct judge_argument *arguments, unsigned count)
{
    static struct box_call call;
    uint32_t total = 0, got = 0;
    uint64_t value = 0;
    if (count > BOX_ARGUMENTS) {
        judge_end(j, JUDGE_BROKEN, 0, "", "more than %d arguments", BOX_ARGUMENTS);
    }
    memset(&call, 0, sizeof call);
    j->on_gpu = on_gpu;
    call.count = count;
    snprintf(call.symbol, sizeof call.symbol, "%s", symbol_of(j, function));
    unsigned char *bytes = gather(j, &call, arguments, &total);
    const unsigned char *result = box_ask(j, BOX_CALL, &call, sizeof call, bytes, total, &got);
    free(bytes);
    if (result == NULL || got < sizeof value) {
        missing(j, learner_readable(call.symbol));
    }
    memcpy(&value, result, sizeof value);
    scatter(j, &call, arguments, result + sizeof value, got - (uint32_t)sizeof value);
    return value;
}

void judge_ask_rows(struct judge *j, const void *function, unsigned columns, int rows,
                    const int *arguments, int *results)
{
    static struct box_call call;
    const size_t count = (size_t)rows * columns;
    int64_t *wide = malloc((count + (size_t)rows + 1) * sizeof *wide);
    uint32_t got = 0;
    if (wide == NULL || columns > BOX_ARGUMENTS) {
        judge_end(j, JUDGE_BROKEN, 0, "", "no memory for a table");
    }
    for (size_t i = 0; i < count; i++) {
        wide[i] = arguments[i];
    }
    call = (struct box_call){.count = columns, .rounds = (uint32_t)rows};
    snprintf(call.symbol, sizeof call.symbol, "%s", symbol_of(j, function));
    const unsigned char *result =
        box_ask(j, BOX_TABULATE, &call, sizeof call, wide, (uint32_t)(count * sizeof *wide), &got);
    if (result == NULL || got != (size_t)rows * sizeof *wide) {
        missing(j, learner_readable(call.symbol));
    }
    memcpy(wide, result, got);
    for (int i = 0; i < rows; i++) {
        results[i] = (int)wide[i];
    }
    free(wide);
}
