/* fatbin.h - the PTX text inside what a compiler embeds in a host program.
 *
 * nvcc hands __cudaRegisterFatBinary() a wrapper that points to a fat binary: several images of
 * the same code, PTX or machine code, for several targets. clang with
 * `-fcuda-include-gpubinary k.ptx` has the plain PTX text in that place. Called by the registry;
 * needs only base.h, err.h and arena.h. */
#ifndef SIMT_FATBIN_H
#define SIMT_FATBIN_H

#include "base/arena.h"
#include "base/err.h"

/* What the wrapper (magic 0x466243b1) points to, for fatbin_ptx(); NULL with *e set if it is none.
 */
const void *fatbin_unwrap(const void *wrapper, struct err *e);

/* Is it a fat binary, as nvcc makes them? Else it is PTX text alone, clang's. */
bool fatbin_is_binary(const void *data);

/* Finds the PTX of the highest target that GPUs of compute capability `gpu` have, 90 for 9.0 (0: of
 * all targets), or else of the lowest. `limit` is the number of bytes at `data`, none beyond it is
 * read; 0 means that it is not known: a fat binary's own header, or the NUL at the end of the
 * text, says so then. *text points into `data`, or into the arena if the text was compressed, and
 * need not end in NUL; `.pragma "simt_no_fmad"` stands behind the text that ptxas is to compile
 * with
 * --fmad false, the comment //simt_from sm_75 behind that of
 * simtcc's option of this name. Otherwise returns
 * false with *e set to one line. */
bool fatbin_ptx(const void *data, size_t limit, unsigned gpu, struct arena *a, const char **text,
                size_t *length, struct err *e);

#endif
