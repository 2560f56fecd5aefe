/* report.h - SIMT_REPORT: one row of counts per launch, as CSV in a file or as a table at exit.
 *
 * The CSV's columns: kernel, launch, grid, block, shared_bytes, then those of counters.def, then
 * floor_us, floor_limiter, model_us, model_limiter and parts of the model: what the launch needs at
 * least on the GPU of SIMT_GPU, and with SIMT_MODEL=1 a modelled time; `-`: not known. The last is
 * the schema's number. page/README.md describes them.
 *
 * A launch is measured if it was issued between two events whose elapsed time the program asked
 * for, or if the program read its counts (simt_last_counters()). Where some are and others are not,
 * the others (warm-up, verification) are kept apart. */
#ifndef SIMT_REPORT_H
#define SIMT_REPORT_H

#include "api/simt.h"
#include "time/estimate.h"

struct report_row {
    const char *kernel;               /* "reduce<float, 256>"; must live until the program ends */
    const struct simt_kernel *handle; /* for counts by line; NULL: none */
    uint64_t launch;                  /* 0, 1, ... */
    struct simt_dim grid, block;
    uint64_t shared_bytes; /* static and dynamic, per block */
    uint64_t stream;       /* tells streams apart; 0: the default one */
    struct simt_counters counters;
    const struct estimate *estimate; /* floor and model (time/estimate.h); NULL: none */
};

/* `destination`: the value of SIMT_REPORT: NULL or "" for none, "-" for a table on stdout when the
 * program ends, "lines" for the source with counts beside its lines, else a file to which rows are
 * appended. */
bool report_open(const char *destination, struct err *e);
bool report_wanted(void);
bool report_wants_times(void); /* the table and the trace of accesses show no floors */
bool report_is_drawn(void);    /* as a page or its record */
void report_add(const struct report_row *row);
/* The program asked what launches number from, from + 1, ... to - 1 took or counted. */
void report_measured(uint64_t from, uint64_t to);

#endif
