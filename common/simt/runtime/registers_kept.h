/* registers_kept.h - what ptxas has said of kernels before: a file of lines in the user's cache
 * folder.
 *
 * The folder is SIMT_CACHE_DIR, else simt/ in XDG_CACHE_HOME, else .cache/simt/ in HOME;
 * SIMT_CACHE_DIR= (nothing) keeps nothing. A file that has grown beyond a limit loses its older
 * half. Whatever fails here costs time only: ptxas is asked again. */
#ifndef SIMT_REGISTERS_KEPT_H
#define SIMT_REGISTERS_KEPT_H

#include <stdint.h>

enum { REGISTERS_KEPT_BYTES = 256 * 1024 };

/* hash: of the PTX text; arch: 90 for sm_90. 0: not known. */
unsigned registers_kept(uint64_t hash, unsigned arch);
void registers_keep(uint64_t hash, unsigned arch, unsigned registers, const char *kernel);

#endif
