/* counters_sim.c - counters on the simulator: those of the last launch, asked for at its CUDA
 * runtime. */
#include "counters.h"

#ifdef SIMT

#include "common/simt/cuda/simt_last.h"

#include <string.h>

bool counters_last_launch(struct launch_counters *out)
{
    struct simt_counters counted;
    memset(out, 0, sizeof *out);
    if (!simt_last_counters(&counted))
        return false;
#define COUNTER(field, unit, metric) out->field = counted.field;
#include "common/simt/base/counters.def"
#undef COUNTER
    return true;
}

bool backend_is_sim(void) { return true; }

#endif
