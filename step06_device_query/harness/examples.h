/* examples.h - the worked examples of dynamic partitioning, computed and held to the figures that
 * the textbook arithmetic gives. Pure arithmetic. */
#ifndef STEP06_EXAMPLES_H
#define STEP06_EXAMPLES_H

#include <stdbool.h>

#include "common/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds one row per example. false, after one line on stderr for each, if a computed figure is not
 * the one stated. */
bool examples_compute(struct table *t);

/* The reason behind each row, in the order of the rows. */
void examples_explain(void);

#ifdef __cplusplus
}
#endif

#endif
