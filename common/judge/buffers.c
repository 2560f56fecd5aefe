/* buffers.c - the arrays of a shape: on the host, on the device, and compared.
 *
 * On the simulator each array is an allocation of exactly its size, so that the first byte beside
 * it is a fault with a line. A GPU would not notice: there, zones of known bytes lie around each
 * array and are looked at afterwards. */
#include "common/judge/learner.h"

#include <cuda_runtime.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xff, GUARD = 0xa5 };

static size_t guard_bytes(void) { return backend_is_sim() ? 0 : 4096; }

static struct judge_buffer *new_buffer(struct judge *j, const char *name, size_t count,
                                       enum judge_element element)
{
    if (j->buffer_count == JUDGE_BUFFERS) {
        judge_end(j, JUDGE_BROKEN, 0, "", "more than %d arrays", JUDGE_BUFFERS);
    }
    struct judge_buffer *b = &j->buffers[j->buffer_count++];
    memset(b, 0, sizeof *b);
    b->name = name;
    b->count = count;
    b->element = element;
    b->host = calloc(count + 1, 4);
    if (b->host == NULL) {
        judge_end(j, JUDGE_BROKEN, 0, "", "no memory for %s", name);
    }
    return b;
}

float *judge_floats(struct judge *j, const char *name, size_t count)
{
    float *values = new_buffer(j, name, count, JUDGE_FLOAT)->host;
    for (size_t i = 0; i < count; i++) {
        values[i] = (float)rng_between(&j->rng, -1024, 1023) * 0x1p-10f;
    }
    for (size_t i = 1; i < count && j->number == CASE_EQUAL; i++) {
        values[i] = values[0];
    }
    return values;
}

void judge_specials(struct judge *j, float *values, size_t count)
{
    static const float special[] = {NAN, INFINITY, -INFINITY, -0.0f};
    for (size_t i = 2; i < count && j->number == CASE_RANDOM_2; i += 7) {
        values[i] = special[i / 7 % 4];
    }
}

int *judge_ints(struct judge *j, const char *name, size_t count, int low, int high)
{
    int *values = new_buffer(j, name, count, JUDGE_INT)->host;
    for (size_t i = 0; i < count; i++) {
        values[i] = (int)rng_between(&j->rng, low, high);
    }
    for (size_t i = 1; i < count && j->number == CASE_EQUAL; i++) {
        values[i] = values[0];
    }
    return values;
}

static void *output(struct judge *j, const char *name, size_t count, enum judge_element element,
                    bool scratch)
{
    struct judge_buffer *b = new_buffer(j, name, count, element);
    b->output = true;
    b->scratch = scratch;
    return b->host;
}

float *judge_want_floats(struct judge *j, const char *name, size_t count)
{
    return output(j, name, count, JUDGE_FLOAT, false);
}

int *judge_want_ints(struct judge *j, const char *name, size_t count)
{
    return output(j, name, count, JUDGE_INT, false);
}

float *judge_scratch_floats(struct judge *j, const char *name, size_t count)
{
    return output(j, name, count, JUDGE_FLOAT, true);
}

int *judge_scratch_ints(struct judge *j, const char *name, size_t count)
{
    return output(j, name, count, JUDGE_INT, true);
}

static struct judge_buffer *find(struct judge *j, const void *host)
{
    for (unsigned i = 0; i < j->buffer_count; i++) {
        if (j->buffers[i].host == host) {
            return &j->buffers[i];
        }
    }
    judge_end(j, JUDGE_BROKEN, 0, "", "an array that the judge did not give");
}

void judge_start(struct judge *j, const void *want, const void *initial)
{
    find(j, want)->initial = initial;
}

void judge_tolerance(struct judge *j, const void *want, double abs, double rel)
{
    struct judge_buffer *b = find(j, want);
    b->abs = abs;
    b->rel = rel;
}

void judge_columns(struct judge *j, const void *want, int columns)
{
    find(j, want)->columns = columns;
}

static void must(struct judge *j, cudaError_t code, const char *what)
{
    if (code != cudaSuccess) {
        judge_end(j, JUDGE_BROKEN, 0, "", "%s: %s", what, cudaGetErrorString(code));
    }
}

static void upload(struct judge *j, struct judge_buffer *b)
{
    const size_t bytes = b->count * 4, guard = guard_bytes();
    char *base = NULL;
    must(j, cudaMalloc((void **)&base, bytes + 2 * guard), b->name);
    if (guard > 0) {
        must(j, cudaMemset(base, GUARD, bytes + 2 * guard), b->name);
    }
    b->device = base + guard;
    judge_name_memory(b->device, b->name);
    const void *from = b->output ? b->initial : b->host;
    if (from != NULL) {
        must(j, cudaMemcpy(b->device, from, bytes, cudaMemcpyHostToDevice), b->name);
    } else {
        must(j, cudaMemset(b->device, POISON, bytes), b->name);
    }
}

static void begin_timing(struct judge *j)
{
    if (!backend_is_sim()) {
        if (j->begin == NULL) {
            must(j, cudaEventCreate(&j->begin), "an event");
        }
        must(j, cudaEventRecord(j->begin, 0), "an event");
    }
}

/* Of the large shape, from the last judge_gpu() to here. */
static void end_timing(struct judge *j)
{
    cudaEvent_t end = NULL;
    float ms = 0.0f;
    if (j->begin != NULL && j->number == CASE_LARGE && cudaEventCreate(&end) == cudaSuccess &&
        cudaEventRecord(end, 0) == cudaSuccess && cudaEventSynchronize(end) == cudaSuccess &&
        cudaEventElapsedTime(&ms, j->begin, end) == cudaSuccess) {
        j->out->time_ms = (double)ms;
    }
}

void *judge_device(struct judge *j, const void *host)
{
    struct judge_buffer *b = find(j, host);
    if (b->device == NULL && b->count > 0) {
        upload(j, b);
    }
    begin_timing(j); /* the launch comes next */
    return b->device;
}
const struct judge_buffer *judge_buffer_at(const struct judge *j, uint64_t address)
{
    const struct judge_buffer *best = NULL;
    uint64_t best_distance = UINT64_C(1) << 20;
    for (unsigned i = 0; i < j->buffer_count; i++) {
        const struct judge_buffer *b = &j->buffers[i];
        const uint64_t begin = (uint64_t)(uintptr_t)b->device, end = begin + b->count * 4;
        const uint64_t distance = address < begin  ? begin - address
                                  : address >= end ? address - end
                                                   : 0;
        if (b->device != NULL && distance < best_distance) {
            best = b;
            best_distance = distance;
        }
    }
    return best;
}

void judge_free(struct judge *j)
{
    for (unsigned i = 0; i < j->buffer_count; i++) {
        struct judge_buffer *b = &j->buffers[i];
        if (b->device != NULL) {
            cudaFree(b->device - guard_bytes());
        }
        free(b->host);
        free(b->got);
    }
    j->buffer_count = 0;
    j->size_count = 0;
    box_end();
}

/* --- afterwards ------------------------------------------------------------------------------- */

static enum judge_kind kind_of(cudaError_t code)
{
    switch ((int)code) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
        return JUDGE_MEMORY;
    case cudaErrorLaunchTimeout:
        return JUDGE_ENDLESS;
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorIllegalInstruction:
        return JUDGE_CRASH;
    default:
        return JUDGE_LAUNCH;
    }
}

/* A kernel that the learner's file lacks is not there to be launched. */
static void judge_missing(struct judge *j, cudaError_t code)
{
    const char *const missing = learner_missing();
    if (missing != NULL &&
        (code == cudaErrorInvalidDeviceFunction || code == cudaErrorSymbolNotFound)) {
        judge_end(
            j, JUDGE_COMPILE, 0, "",
            "there is no kernel %s: the exercise needs its name and parameters as they were\n",
            missing);
    }
}

static void judge_faults(struct judge *j)
{
    j->checked = true;
    cudaError_t code = cudaGetLastError();
    judge_missing(j, code);
    end_timing(j);
    const cudaError_t ran = cudaDeviceSynchronize();
    code = code != cudaSuccess ? code : ran;
    if (code != cudaSuccess) {
        judge_fault(j, kind_of(code), cudaGetErrorString(code));
    }
    judge_findings(j);
}

static void fetch(struct judge *j, struct judge_buffer *b)
{
    if (b->got == NULL && (b->got = malloc(b->count * 4 + 4)) == NULL) {
        judge_end(j, JUDGE_BROKEN, 0, "", "no memory");
    }
    if (b->device != NULL) {
        must(j, cudaMemcpy(b->got, b->device, b->count * 4, cudaMemcpyDeviceToHost), b->name);
    }
}

const void *judge_got(struct judge *j, const void *want)
{
    struct judge_buffer *b = find(j, want);
    judge_faults(j);
    fetch(j, b);
    return b->got;
}

static double element(const struct judge_buffer *b, const void *values, size_t i)
{
    return b->element == JUDGE_FLOAT ? (double)((const float *)values)[i]
                                     : (double)((const int *)values)[i];
}

static void place(const struct judge_buffer *b, size_t i, char *text, size_t size)
{
    if (b->columns > 0) {
        snprintf(text, size, "%s at row %zu, column %zu", b->name, i / (size_t)b->columns,
                 i % (size_t)b->columns);
    } else {
        snprintf(text, size, "%s[%zu]", b->name, i);
    }
}

/* Has the value still the bytes it was poisoned with? */
static bool untouched(const struct judge_buffer *b, size_t i)
{
    static const unsigned char poison[4] = {POISON, POISON, POISON, POISON};
    return b->initial == NULL && memcmp((const char *)b->got + 4 * i, poison, 4) == 0;
}

/* Where NaN is wanted, any will do but the poison that no thread overwrote. */
static bool as_wanted(const struct judge_buffer *b, size_t i)
{
    const double got = element(b, b->got, i), want = element(b, b->host, i);
    return isnan(want) ? isnan(got) && !untouched(b, i) : verify_close(got, want, b->abs, b->rel);
}

static void compare(struct judge *j, struct judge_buffer *b)
{
    const void *want = b->host;
    size_t wrong = 0, first = 0;
    char where[96];
    for (size_t i = 0; i < b->count; i++) {
        const bool good =
            b->output ? as_wanted(b, i)
                      : memcmp((const char *)b->got + 4 * i, (const char *)want + 4 * i, 4) == 0;
        first = !good && wrong == 0 ? i : first;
        wrong += !good;
    }
    if (wrong == 0) {
        return;
    }
    place(b, first, where, sizeof where);
    if (!b->output) {
        judge_end(j, JUDGE_RESULT, 0, b->name,
                  "the kernel changed its input: %s is %.9g, was %.9g\n", where,
                  element(b, b->got, first), element(b, want, first));
    }
    if (untouched(b, first)) {
        judge_end(j, JUDGE_RESULT, 0, b->name,
                  "%zu of %zu values are wrong; the first is %s:\n"
                  "no thread wrote it; it should be %.9g\n",
                  wrong, b->count, where, element(b, want, first));
    }
    judge_end(j, JUDGE_RESULT, 0, b->name,
              "%zu of %zu values are wrong; the first is %s:\n"
              "it is %.9g and should be %.9g\n",
              wrong, b->count, where, element(b, b->got, first), element(b, want, first));
}

static void check_guards(struct judge *j, const struct judge_buffer *b)
{
    const size_t guard = guard_bytes(), bytes = b->count * 4;
    unsigned char zone[4096];
    for (int behind = 0; behind < 2 && guard > 0 && b->device != NULL; behind++) {
        const char *from = behind ? b->device + bytes : b->device - guard;
        must(j, cudaMemcpy(zone, from, guard, cudaMemcpyDeviceToHost), b->name);
        for (size_t i = 0; i < guard; i++) {
            if (zone[i] != GUARD) {
                judge_end(j, JUDGE_MEMORY, 0, b->name,
                          "out of bounds: the kernel wrote %zu bytes %s %s\n",
                          behind ? i : guard - i, behind ? "behind the end of" : "before", b->name);
            }
        }
    }
}

static bool host_is_judged(const struct judge *j)
{
    bool work = false;
    for (unsigned i = 0; i < j->buffer_count; i++) {
        work = work || j->buffers[i].count > 0;
    }
    return j->on_gpu && work && !j->count_only;
}

/* Before values are compared: without a kernel they are wrong, and that says more. */
static void judge_launched(struct judge *j)
{
    if (host_is_judged(j) && j->host_launches == 0) {
        judge_end(j, JUDGE_RESULT, 0, "", "%s",
                  "no kernel was launched: the result must be computed on the GPU\n");
    }
}

/* Host code that was to have the GPU compute did it itself. */
static void judge_host(struct judge *j, const void *got, size_t count)
{
    if (!host_is_judged(j)) {
        return;
    }
    if (j->host_wrote) {
        judge_end(j, JUDGE_RESULT, 0, "", "%s",
                  "the host code wrote into an array that a kernel is to write\n");
    }
    const int64_t strange = got != NULL && count > 1 ? decoy_not_fetched(got, 4 * count) : -1;
    if (strange >= 0) {
        judge_end(j, JUDGE_RESULT, 0, "",
                  "element %lld of the result was not copied from the GPU as it is\n",
                  (long long)strange);
    }
}

void judge_check(struct judge *j)
{
    judge_faults(j);
    judge_launched(j);
    judge_host(j, NULL, 0);
    for (unsigned i = 0; i < j->buffer_count; i++) {
        check_guards(j, &j->buffers[i]);
    }
    for (unsigned i = 0; i < j->buffer_count && !j->count_only; i++) {
        struct judge_buffer *b = &j->buffers[i];
        if (b->scratch || b->device == NULL) {
            continue;
        }
        fetch(j, b);
        compare(j, b);
    }
}

void judge_check_host(struct judge *j, const void *want, const void *got)
{
    struct judge_buffer *b = find(j, want);
    judge_faults(j);
    judge_launched(j);
    fetch(j, b);
    memcpy(b->got, got, b->count * 4);
    if (!j->count_only) {
        compare(j, b);
    }
    judge_host(j, got, b->count);
}

void judge_value(struct judge *j, const char *what, double got, double want)
{
    j->checked = true;
    if (!j->count_only && !verify_close(got, want, 0.0, 0.0)) {
        judge_end(j, JUDGE_RESULT, 0, "", "%s is %.9g and should be %.9g\n", what, got, want);
    }
}

void judge_reject(struct judge *j, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!j->count_only) {
        judge_end(j, JUDGE_RESULT, 0, "", "%s\n", text);
    }
}
