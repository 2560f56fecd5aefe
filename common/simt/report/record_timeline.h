/* record_timeline.h - one SM over the cycles of a launch, as the member "timeline" of a record's
 * entry. For record.c alone. */
#ifndef SIMT_RECORD_TIMELINE_H
#define SIMT_RECORD_TIMELINE_H

#include "report/record_rows.h"
#include "report/report.h"

/* Nothing where the estimate has no view of the SM. kernel: of the launch. */
void record_write_timeline(struct json *j, struct record_rows *r, const struct report_row *row,
                           const struct kernel *kernel);

#endif
