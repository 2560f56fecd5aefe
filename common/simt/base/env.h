/* env.h - numbers from the environment, read once when the simulator starts.
 *
 * A variable that is set to something else than it may be is an error, never ignored. */
#ifndef SIMT_ENV_H
#define SIMT_ENV_H

#include "base.h"
#include "err.h"

/* Sets *value if the variable `name` is set and not empty, else leaves it alone. false: its text is
 * no whole number from lowest to highest. */
bool env_number(const char *name, uint64_t lowest, uint64_t highest, uint64_t *value,
                struct err *e);

#endif
