/* record_rows.h - the parts of a record's entry as JSON members, and what they refer to by number:
 * source files and pictures of accesses, each kept once. For record.c alone. */
#ifndef SIMT_RECORD_ROWS_H
#define SIMT_RECORD_ROWS_H

#include "report/json.h"
#include "api/simt.h"
#include "watch/accesses.h"
#include "watch/branches.h"
#include "watch/trace.h"

#include "common/gpu/draw.h"
#include "common/gpu/floor.h"

struct record_rows;

struct record_rows *record_rows_open(void);
/* What files and pictures will take in the text, about. */
size_t record_rows_bytes(const struct record_rows *r);

/* "lines": counts by line of the launch of `kernel` that ran last. */
void record_write_lines(struct json *j, struct record_rows *r, const struct simt_kernel *kernel);
/* "accesses"; kernel: its plain name, by which its parameters' names are found in the source. */
void record_write_accesses(struct json *j, struct record_rows *r, const char *kernel,
                           const struct access_row *rows, unsigned count);
/* "branches" */
void record_write_branches(struct json *j, struct record_rows *r, const struct branch_row *rows,
                           unsigned count, const struct access_row *accesses,
                           unsigned access_count);
/* "trace" */
void record_write_trace(struct json *j, struct record_rows *r, const struct trace *t);

/* What entries refer to: the number of a file, -1 for NULL; of a request's picture, -1 for a space
 * that has none. */
int record_file_number(struct record_rows *r, const char *file);
int record_picture_number(struct record_rows *r, enum ptx_space space, enum access_kind kind,
                          unsigned bytes, lane_mask lanes, const uint64_t *address);
/* "=5": 5 in every lane. "+100,4": 0x100, and 4 (decimal) more from lane to lane. Else hexadecimal
 * numbers with commas, none for a lane outside the mask. */
void record_vector_text(const uint64_t *lane, lane_mask mask, char *text, size_t size);
/* What limits each kernel, in words, as the member "explained": pairs of name and text. */
void record_write_explained(struct json *j);
/* "floor": what each resource needs at least, in microseconds; the largest is the floor. Nothing
 * where there is none. */
void record_write_floor(struct json *j, const struct floors *f);
void record_write_dim(struct json *j, const char *key, const struct simt_dim *d);
/* The request for draw.h; global addresses are counted from the 128-byte line of the lowest one. */
struct draw_access record_draw_access(enum ptx_space space, enum access_kind kind, unsigned bytes,
                                      lane_mask lanes, const uint64_t *address);
extern const char *const record_kind_names[], *const record_space_names[];

/* "files" and "pictures" */
void record_rows_write(struct json *j, const struct record_rows *r);

#endif
