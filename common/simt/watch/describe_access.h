/* describe_access.h - the words for findings: threads, lines, arrays. Slow: once for each finding.
 */
#ifndef SIMT_DESCRIBE_ACCESS_H
#define SIMT_DESCRIBE_ACCESS_H

#include "machine/observer.h"

/* "x.cu:12", or "line 40 of its PTX". */
void describe_line_of(const struct kernel *k, uint32_t pc, char *text, size_t size);
/* "thread (3,0,0) of block (1,0,0)"; number: of the block in its grid. */
void describe_thread(const struct simt_launch *l, uint32_t number, unsigned thread, char *text,
                     size_t size);
/* "shared array tile, byte 12", "the 4096 bytes of cudaMalloc at x.cu:30, byte 12". */
void describe_array(const struct launch_event *l, enum ptx_space space, uint64_t address,
                    char *text, size_t size);
/* The same without the byte: what makes one array one. */
void describe_array_name(const struct launch_event *l, enum ptx_space space, uint64_t address,
                         char *text, size_t size, uint64_t *offset);

#endif
