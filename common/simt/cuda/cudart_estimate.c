/* cudart_estimate.c - floors and modelled times of the runtime's launches: who asks for them, and
 * with which of SIMT_MODEL and SIMT_L2. See simt_last.h. */
#include "cuda/cudart_estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "cuda/cudart.h"
#include "cuda/report.h"
#include "cuda/simt_last.h"

static struct {
    struct estimate_options options;
    struct estimator *estimator; /* NULL: nobody has asked */
} own;

bool estimate_read_environment(struct err *e)
{
    const char *l2 = getenv("SIMT_L2");
    uint64_t model = 0;
    if (!env_number("SIMT_MODEL", 0, 1, &model, e)) {
        return false;
    }
    if (l2 != NULL && l2[0] != '\0' && strcmp(l2, "cold") != 0 && strcmp(l2, "warm") != 0) {
        return err_set(e, "SIMT_L2=%.80s: it is `cold` or `warm`", l2);
    }
    own.options.model = model == 1;
    own.options.cold = l2 != NULL && strcmp(l2, "cold") == 0;
    if ((own.options.model || report_wanted()) && !simt_watch_times()) {
        return err_set(e, "out of memory");
    }
    return true;
}

bool simt_watch_times(void)
{
    if (own.estimator == NULL) {
        own.estimator = estimator_open(runtime_limits(), own.options);
        return own.estimator != NULL && simt_observe_runtime(estimator_observer(own.estimator));
    }
    return true;
}

const struct estimate *estimate_last(void)
{
    return own.estimator != NULL ? estimator_last(own.estimator) : NULL;
}

bool simt_last_times(struct simt_times *out)
{
    *out = (struct simt_times){.floor_us = NAN, .model_us = NAN};
    runtime_lock();
    const struct estimate *e = estimate_last();
    if (e != NULL && !isnan(e->floors.floor_us)) {
        out->floor_us = e->floors.floor_us;
        out->floor_limiter = floor_name(e->floors.limiter);
        out->model_us = e->model_us;
        out->model_limiter = e->model_limiter;
        out->calibrated = e->calibrated;
    }
    runtime_unlock();
    return !isnan(out->floor_us);
}
