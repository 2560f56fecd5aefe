/* report.h - prints a lesson's table as --csv asks, and says where its numbers come from.
 *
 * Every table and every CSV file names its source: a GPU that measured times, or the simulator that
 * counted. */
#ifndef COMMON_REPORT_H
#define COMMON_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* On a GPU "measured on NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21"; on the simulator
 * "simulated counts, profile NVIDIA H200, 2026-11-21". Of the current device. Returns text. */
const char *report_provenance(char *text, size_t size);

/* Without --csv: the text table on stdout (80 columns, or all with --wide), and below it the
 * provenance in one line. --csv: CSV on stdout, nothing else. --csv FILE: both, CSV to the file.
 * false, after one line on stderr, if the file cannot be written: the program then ends with 2. */
bool report_table(const struct table *t, const struct options *o);

/* A launch of which only a sample ran: one line on stderr, "matmul_naive: 108 of 65536 blocks ran
 * ...". compared: elements that were verified. */
struct launch_sampled;
void report_sample(const char *kernel, const struct launch_sampled *sample, size_t compared);

/* The CSV alone, where --csv asks for it: for lessons whose tables for people are other ones. */
bool report_csv(const struct table *t, const struct options *o);

#ifdef __cplusplus
}
#endif

#endif
