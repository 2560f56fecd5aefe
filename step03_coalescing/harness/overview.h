/* overview.h - a dozen rows of the lesson in one table: what ./run shows without options. Called by
 * main.cu. */
#ifndef STEP03_OVERVIEW_H
#define STEP03_OVERVIEW_H

#include "common/options.h"
#include "common/table.h"
#include "step03_coalescing/harness/run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct table *overview_open(void);
/* Adds the row if it is one of the dozen. */
void overview_add(struct table *t, const struct entry *e, const struct result *r,
                  double copy_gb_per_s);
void overview_print(const struct table *t, const struct options *o, size_t rows_in_all);

#ifdef __cplusplus
}
#endif

#endif
