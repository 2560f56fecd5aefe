/* simt.c - the public C API: one simulated GPU, opened as the environment says, and closed. */
#include "api/simt_state.h"
#include "base/room.h"

#include "base/env.h"
#include "ptxas/passes.h"

#include "common/gpu/gpu_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Warp instructions of one block before a kernel counts as endless: a loop of a few cheap
 * instructions runs through them in about 10 seconds. */
#define DEFAULT_MAX_INSTRUCTIONS 1000000000u

enum {
    DEFAULT_STACK_BYTES =
        1024,               /* local memory of a thread that calls recursively: as CUDA has it */
    DEFAULT_PATIENCE_S = 5, /* where a person looks on */
    MOST_PATIENCE_S = 1000000
};

static void write_stdout(void *state, const char *text, size_t length)
{
    (void)state;
    fwrite(text, 1, length, stdout);
}

/* What several workers print comes out one after the other. */
static void print(void *state, const char *text, size_t length)
{
    struct simt *s = state;
    pthread_mutex_lock(&s->output_lock);
    s->write(s->write_state, text, length);
    pthread_mutex_unlock(&s->output_lock);
}

void simt_set_output(struct simt *s, void (*write)(void *state, const char *text, size_t length),
                     void *state)
{
    s->write = write;
    s->write_state = state;
}

/* --- opening --------------------------------------------------------------------------------- */

static bool read_settings(struct simt *s, unsigned *threads, struct err *e)
{
    uint64_t count = 0, instructions = DEFAULT_MAX_INSTRUCTIONS;
    const char *exited = getenv("SIMT_EXITED_THREADS"), *shuffle = getenv("SIMT_SHUFFLE");
    s->settings.patience_s = isatty(STDERR_FILENO) ? DEFAULT_PATIENCE_S : 0;
    exited = exited != NULL && exited[0] == '\0' ? NULL : exited; /* as env_number has it */
    if (!env_number("SIMT_THREADS", 1, 1024, &count, e) ||
        !env_number("SIMT_SCHEDULE", 1, UINT32_MAX, &s->settings.schedule, e) ||
        !env_number("SIMT_MAX_INSTRUCTIONS", 1, INT64_MAX, &instructions, e) ||
        !env_number("SIMT_PATIENCE", 0, MOST_PATIENCE_S, &s->settings.patience_s, e) ||
        !translate_read_environment(&s->translate, e) ||
        !passes_read_environment(&s->plain_passes, e)) {
        return false;
    }
    if (exited != NULL && strcmp(exited, "ignore") != 0 && strcmp(exited, "error") != 0) {
        return err_set(e, "SIMT_EXITED_THREADS=%s: it is `ignore` or `error`", exited);
    }
    shuffle = shuffle == NULL || shuffle[0] == '\0' ? "error" : shuffle;
    if (strcmp(shuffle, "poison") != 0 && strcmp(shuffle, "error") != 0) {
        return err_set(e, "SIMT_SHUFFLE=%s: it is `poison` or `error`", shuffle);
    }
    s->settings.poison_shuffles = strcmp(shuffle, "poison") == 0;
    if (*threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        *threads = count != 0 ? (unsigned)count : cores > 0 ? (unsigned)cores : 1;
    }
    s->settings.max_instructions = (int64_t)instructions;
    s->settings.allow_exited = exited != NULL && strcmp(exited, "ignore") == 0;
    return true;
}

struct simt *simt_open(const struct gpu_limits *limits, unsigned threads, struct err *e)
{
    struct simt *s = room_new(1, sizeof *s);
    s->limits = limits;
    s->write = write_stdout;
    pthread_mutex_init(&s->output_lock, NULL);
    pthread_mutex_init(&s->launch_lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->settings.output = (struct output){print, s};
    s->settings.sm_count = limits->sm_count > 0 ? limits->sm_count : 1;
    s->settings.stack_bytes = DEFAULT_STACK_BYTES;
    if (!read_settings(s, &threads, e) ||
        (s->memory = memory_open(limits->global_memory_bytes, e)) == NULL) {
        simt_close(s);
        return NULL;
    }
    s->place = place_open(threads);
    s->settings.memory = s->memory;
    return s;
}

void simt_close(struct simt *s)
{
    if (s == NULL) {
        return;
    }
    while (s->modules != NULL) {
        simt_module_unload(s->modules);
    }
    place_close(s->place);
    place_close(s->spare);
    free(s->copies);
    if (s->memory != NULL) {
        memory_close(s->memory);
    }
    pthread_mutex_destroy(&s->output_lock);
    pthread_mutex_destroy(&s->launch_lock);
    pthread_cond_destroy(&s->changed);
    free(s);
}

void simt_set_stack(struct simt *s, uint64_t bytes)
{
    enum {
        MOST = 512 * 1024
    }; /* of local memory: CUDA C++ Programming Guide, "Compute Capabilities" */
    s->settings.stack_bytes = bytes < MOST ? (uint32_t)align_up(bytes, 16) : MOST;
}

void simt_let_shuffles_go_on(struct simt *s)
{
    const char *set = getenv("SIMT_SHUFFLE");
    s->settings.poison_shuffles |= set == NULL || set[0] == '\0';
}

void simt_count_printf(struct simt *s, uint64_t most)
{
    s->printed.most = most;
    s->settings.printed = &s->printed;
}

const char *simt_last_printf_loss(const struct simt *s) { return s->printed.line; }

struct simt *simt_of_kernel(const struct simt_kernel *k) { return k->simt; }

void simt_discard(struct simt *s)
{
    pthread_mutex_lock(&s->launch_lock);
    while (s->busy || s->aside > 0) { /* kernels that run come to their end */
        pthread_cond_wait(&s->changed, &s->launch_lock);
    }
    memory_discard(s->memory);
    pthread_mutex_unlock(&s->launch_lock);
}

struct memory *simt_memory(struct simt *s) { return s->memory; }
