/* cudart_estimate.h - the estimator of this process, for cudart.c and cudart_launch.c. */
#ifndef SIMT_CUDART_ESTIMATE_H
#define SIMT_CUDART_ESTIMATE_H

#include "base/err.h"
#include "time/estimate.h"

/* SIMT_MODEL=0|1, SIMT_L2=cold|warm; a report wants floors. Behind report_open(). */
bool estimate_read_environment(struct err *e);
/* Of the last launch, or NULL; under the work lock. */
const struct estimate *estimate_last(void);

/* SIMT_SAMPLE: for a device that has been opened; on stderr, what became of a launch. */
struct simt;
void estimate_open_device(struct simt *simt);
void estimate_tell_sample(const char *kernel);
/* For simt_times_total(): behind each launch, under the work lock. */
void estimate_add_to_total(void);

/* Modelled times are wanted, by whomever. */
bool estimate_is_modelled(void);

#endif
