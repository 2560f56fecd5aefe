/* endless.c - how a launch that waits forever is reported: which thread waits for which value, and
 * why no thread will store it. Found out by shares.c. */
#include "machine/worker.h"

#include "machine/standstill.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void endless_block(struct context *c, const char *rest)
{
    const struct warp *asking = block_asking(&c->block);
    char question[600];
    question_describe(asking, question, sizeof question);
    fault((struct warp *)(uintptr_t)asking, asking->question.in, first_lane(asking->question.lanes),
          SIMT_TIMEOUT, "the kernel does not end: this thread waits for %s; %s", question, rest);
}

/* Another launch cannot begin before the end of this one. */
static bool is_blocking(const struct launch_job *job)
{
    const struct simt_waiting *waiting = job->launch->waiting;
    return waiting != NULL && __atomic_load_n(&waiting->blocks, __ATOMIC_RELAXED);
}

void endless_grid(struct launch_job *job, struct context *oldest, bool certain)
{
    const uint32_t resident = job->settings->resident;
    uint64_t running = 0;
    char rest[800];
    for (unsigned i = 0; i < job->worker_count; i++) {
        running += atomic_load(&job->workers[i].running);
    }
    if (atomic_load(&job->next_block) < job->block_count) {
        snprintf(rest, sizeof rest,
                 "this GPU holds %" PRIu32 " of the grid's %" PRIu64 " blocks at once, and they "
                 "wait for blocks that can only begin when one of them ends: a deadlock on a GPU, "
                 "too. Cure: at most %" PRIu32 " blocks, each with a loop over its share",
                 resident, job->block_count * worker_blocks_at_once(job), resident);
    } else {
        snprintf(rest, sizeof rest,
                 "%" PRIu64 " of %" PRIu64 " blocks have not ended, and none of them can go on",
                 running, job->block_count * worker_blocks_at_once(job));
    }
    if (is_blocking(job)) {
        const size_t length = strlen(rest);
        snprintf(rest + length, sizeof rest - length, "; a kernel of another stream waits: %s",
                 job->settings->stays);
    }
    if (!certain) {
        const size_t length = strlen(rest);
        snprintf(rest + length, sizeof rest - length,
                 " (%" PRId64
                 " warp instructions in vain; set SIMT_MAX_INSTRUCTIONS to allow more)",
                 job->settings->max_instructions);
    }
    endless_block(oldest, rest);
}
