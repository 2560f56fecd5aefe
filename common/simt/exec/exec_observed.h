/* exec_observed.h - a kernel whose execution is reported to observers; see machine/observer.h. */
#ifndef SIMT_EXEC_OBSERVED_H
#define SIMT_EXEC_OBSERVED_H

#include "machine/observer.h"

struct observed_kernel;

/* A copy of k whose instructions tell what `wants` asks for (enum observe_wants). It shares
 * everything but the code with k, which must outlive it. */
struct observed_kernel *observed_kernel_make(const struct kernel *k, unsigned wants);
const struct kernel *observed_kernel(const struct observed_kernel *o);
unsigned observed_kernel_wants(const struct observed_kernel *o);
/* Of a copy made with OBSERVE_LATER_STEPS, which a warp runs: are steps reported from now on? One
 * worker alone may run it. At first they are not. */
void observed_kernel_steps(const struct kernel *copy, bool reported);
/* Workers run both in one launch: what one finds out for the rest of the launch, the other knows.
 */
void observed_kernel_share(struct observed_kernel *copy, struct observed_kernel *with);
void observed_kernel_free(struct observed_kernel *o);

#endif
