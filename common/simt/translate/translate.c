/* translate.c - when a kernel is translated, and what takes its place. See translate.h. */
#include "translate/translate.h"

#include "base/env.h"

bool translate_read_environment(enum translate_when *when, struct err *e)
{
    uint64_t value = TRANSLATE_HOT;
    const bool good = env_number("SIMT_TRANSLATE", TRANSLATE_NEVER, TRANSLATE_ALWAYS, &value, e);
    *when = (enum translate_when)value;
    return good;
}

enum {
    /* Warp instructions until a kernel is compiled: 0.3 to 0.6 s of a core, where a compiler takes
       0.5 to 3 s of another. */
    COMPILE_AFTER = 75000000,
    /* A compiler takes 10 to 20 ms of a core for each instruction, in which the interpreter
     * executes some 3 million. */
    SHORT_CODE = 1000,
    COMPILE_AFTER_EACH = 3000000,
    MOST_CODE = 4000
};

/* To look takes 100 microseconds and 2 for each instruction, in which the interpreter executes some
 * 20,000 and 400. */
enum { LOOK_AFTER = 1000000, LOOK_AFTER_EACH = 5000 };

uint64_t translate_looks_after(uint32_t code_count)
{
    return LOOK_AFTER + (uint64_t)LOOK_AFTER_EACH * code_count;
}

uint64_t translate_after(uint32_t code_count)
{
    if (code_count > MOST_CODE) {
        return UINT64_MAX;
    }
    return code_count <= SHORT_CODE ? (uint64_t)COMPILE_AFTER
                                    : (uint64_t)COMPILE_AFTER_EACH * code_count;
}

#ifdef SIMT_UNIT
#include "base/room.h"
#include "translate/compiler.h"
#include "translate/emit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
    /* A launch that waits for the compiler looks so often, and for so long at most. */
    WAIT_NS = 5000000,
    MOST_WAIT_S = 120
};

enum state { INTERPRETED, LOOKED_FOR, BEING_COMPILED, DONE };

struct translation {
    struct faster_code faster; /* first: executed() gets it */
    const struct kernel *kernel;
    enum translate_when when;
    _Atomic uint64_t executed; /* warp instructions */
    pthread_mutex_t lock;      /* of what follows */
    _Atomic enum state state;
    struct compiler_job job;
    struct kernel copy;
    void *library;
};

/* The library's parts take the places of the handlers at which they begin. */
static bool install(struct translation *t)
{
    t->library = dlopen(t->job.object, RTLD_NOW | RTLD_LOCAL);
    const struct emit_part *parts = t->library != NULL ? dlsym(t->library, EMIT_LIST) : NULL;
    if (parts == NULL) {
        return false;
    }
    const struct kernel *k = t->kernel;
    t->copy = *k;
    t->copy.code = room_copy(k->code, k->code_count, sizeof *k->code);
    for (; parts->run != NULL; parts++) {
        t->copy.code[parts->pc].run = parts->run;
    }
    atomic_store(&t->faster.code, &t->copy);
    return true;
}

static char *text_of(const struct kernel *k, size_t *length)
{
    char *text;
    FILE *f = room_stream(&text, length);
    emit_kernel(f, k);
    room_stream_end(f);
    return text;
}

/* Goes one step on, if there is one. The lock is held. */
static void go_on(struct translation *t, bool hot)
{
    char *text = NULL;
    size_t length = 0;
    if (t->state == INTERPRETED || (t->state == LOOKED_FOR && hot)) {
        text = text_of(t->kernel, &length);
    }
    if (t->state == INTERPRETED) {
        const bool possible = compiler_open(&t->job, text, length);
        t->state = possible ? LOOKED_FOR : DONE;
    }
    const enum compiler_state seen = t->state == DONE ? COMPILER_FAILED : compiler_look(&t->job);
    if (seen == COMPILER_READY) {
        install(t);
    }
    if (seen != COMPILER_ABSENT) {
        t->state = DONE;
    } else if (t->state == LOOKED_FOR && hot) {
        const bool nice = t->when != TRANSLATE_ALWAYS;
        t->state = compiler_begin(&t->job, text, length, nice) ? BEING_COMPILED : DONE;
    }
    free(text);
}

/* Called by any worker. */
static void executed(struct faster_code *faster, uint64_t instructions)
{
    struct translation *t = (struct translation *)faster;
    const uint64_t all = atomic_fetch_add(&t->executed, instructions) + instructions;
    const uint64_t hot = translate_after(t->kernel->code_count);
    const bool waits_for_more = t->state == LOOKED_FOR && all < hot;
    if (all < translate_looks_after(t->kernel->code_count) || waits_for_more || t->state == DONE ||
        pthread_mutex_trylock(&t->lock) != 0) {
        return;
    }
    go_on(t, all >= hot);
    pthread_mutex_unlock(&t->lock);
}

struct translation *translation_new(const struct kernel *k, enum translate_when when)
{
    const uint32_t most = when == TRANSLATE_ALWAYS ? SHORT_CODE : MOST_CODE;
    if (when == TRANSLATE_NEVER || k->code_count > most) {
        return NULL;
    }
    struct translation *t = room_new(1, sizeof *t);
    t->faster.executed = executed;
    t->kernel = k;
    t->when = when;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void translation_free(struct translation *t)
{
    if (t == NULL) {
        return;
    }
    free(t->copy.code);
    if (t->library != NULL) {
        dlclose(t->library);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static time_t seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void wait_for_compiler(struct translation *t)
{
    pthread_mutex_lock(&t->lock);
    const time_t end = seconds_now() + MOST_WAIT_S;
    while (t->state != DONE && seconds_now() <= end) {
        go_on(t, true);
        if (t->state == BEING_COMPILED) {
            nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
        }
    }
    pthread_mutex_unlock(&t->lock);
}

static bool cannot_compile(const struct translation *t, struct err *e)
{
    if (t->state != DONE) {
        return err_set_code(e, SIMT_NOT_SUPPORTED,
                            "SIMT_TRANSLATE=2: the C compiler is still at work on kernel %s after "
                            "%d seconds; it goes on, and a later run finds what it makes",
                            t->kernel->name, MOST_WAIT_S);
    }
    return err_set_code(e, SIMT_NOT_SUPPORTED,
                        "SIMT_TRANSLATE=2: kernel %s cannot be compiled: that needs the C compiler "
                        "and the tree that the simulator was built with, and a folder for "
                        "$XDG_CACHE_HOME/simt that belongs to you alone",
                        t->kernel->name);
}

bool translation_begin(struct translation *t, struct faster_code **faster, struct err *e)
{
    *faster = t != NULL && (t->state != DONE || t->faster.code != NULL) ? &t->faster : NULL;
    if (t == NULL || t->when != TRANSLATE_ALWAYS) {
        return true;
    }
    wait_for_compiler(t);
    *faster = &t->faster;
    return t->faster.code != NULL || cannot_compile(t, e);
}

#else /* in a browser, and in builds that look for mistakes of ours, the interpreter does          \
         everything */

struct translation *translation_new(const struct kernel *k, enum translate_when when)
{
    (void)k;
    (void)when;
    return NULL;
}

void translation_free(struct translation *t) { (void)t; }

bool translation_begin(struct translation *t, struct faster_code **faster, struct err *e)
{
    (void)t;
    (void)e;
    *faster = NULL;
    return true;
}

#endif
