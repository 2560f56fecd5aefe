/* counters_sim.c - counters on the simulator: those of the last launch, asked for at its CUDA
 * runtime. */
#include "counters.h"

#ifdef SIMT

#include "common/simt/api/simt_last.h"

#include <stdio.h>
#include <string.h>

bool counters_last_launch(struct launch_counters *out)
{
    struct simt_counters counted;
    memset(out, 0, sizeof *out);
    if (!simt_last_counters(&counted)) {
        return false;
    }
#define COUNTER(field, unit, metric) out->field = counted.field;
#include "common/simt/base/counters.def"
#undef COUNTER
    return true;
}

bool backend_is_sim(void) { return true; }

bool launch_times_wanted(void) { return simt_times_wanted(); }

void launch_times_by_default(void) { (void)simt_want_times(); }

void launch_times_start(void) { simt_times_start(); }

bool launch_times(struct launch_times *out)
{
    struct simt_times t;
    const bool any = simt_times_total(&t);
    *out =
        (struct launch_times){t.floor_us / 1e3, t.model_us / 1e3, t.floor_limiter, t.model_limiter};
    return any;
}

static uint64_t sampled_above;

void launch_sample(uint64_t instructions)
{
    sampled_above = instructions;
    simt_sample_launches(instructions);
}

bool launch_again_for_last(const char *what, void (*launch)(void *state), void *state)
{
    const unsigned launches = simt_sample_was_built_on();
    if (launches == 0) {
        return false;
    }
    fprintf(stderr, "%s: its launches build on each other, so all but the last of them run whole\n",
            what);
    simt_times_start();
    simt_sample_behind(sampled_above, launches - 1);
    launch(state);
    simt_sample_launches(sampled_above);
    return true;
}

bool launch_was_sampled(struct launch_sampled *out)
{
    struct simt_sample s;
    const bool any = simt_last_launch_sample(&s);
    *out = (struct launch_sampled){s.blocks, s.executed, s.exact};
    return any && s.executed < s.blocks;
}

#endif
