/* registers.h - how many registers a thread of a kernel has in the machine's code: what ptxas says
 * of the very PTX that is simulated, where nvcc made it and ptxas is on PATH. */
#ifndef SIMT_REGISTERS_H
#define SIMT_REGISTERS_H

#include <stddef.h>

/* text: a module's PTX; kernel: an entry's mangled name; arch: 90 for sm_90. 0: not known (no
 * ptxas, or none that takes it). Answers are kept (registers_kept.h), so that each kernel costs its
 * time once. */
unsigned registers_of(const char *text, size_t length, const char *kernel, unsigned arch);

/* The module's text without entries other than this; NULL: it has no such entry. To be freed. */
char *registers_cut(const char *text, size_t length, const char *kernel, size_t *cut_length);

#endif
