/* patience.c - one line on stderr about a launch that takes long, so that the user knows that it
 * still runs, and when it will count as endless. */
#include "machine/worker.h"

#include "base/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* Warp instructions of a worker until it looks at the clock: some ten milliseconds. */
enum { LOOK_EVERY = 4000000 };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void tell(const struct launch_job *job, uint64_t executed)
{
    char kernel[256];
    demangle_signature(job->kernel->name, kernel, sizeof kernel);
    fprintf(stderr,
            "simt: kernel %s: still running: %" PRIu64 " warp instructions after %" PRIu64
            " s; counted as endless after %" PRIi64 " of one block (SIMT_MAX_INSTRUCTIONS)\n",
            kernel, executed, job->settings->patience_s, job->settings->max_instructions);
}

void patience_look(struct patience *p, const struct launch_job *job, int64_t *unseen)
{
    if (p == NULL || *unseen < LOOK_EVERY) {
        return;
    }
    const uint64_t executed = atomic_fetch_add(&p->executed, (uint64_t)*unseen) + (uint64_t)*unseen;
    const int64_t now = now_ns();
    int64_t began = 0;
    *unseen = 0;
    if (atomic_compare_exchange_strong(&p->began_ns, &began, now)) {
        return; /* the first look of the launch: so short a time after its beginning */
    }
    if (now - began >= (int64_t)job->settings->patience_s * 1000000000 &&
        !atomic_exchange(&p->reported, true)) {
        tell(job, executed);
    }
}
