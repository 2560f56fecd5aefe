/* describe.h - for people: where the program called.
 *
 * Used by the CUDA runtime. All of it is slow (it runs addr2line) but CALL_SITE(), which
 * every allocation uses. */
#ifndef SIMT_DESCRIBE_H
#define SIMT_DESCRIBE_H

#include "base.h"

/* Where the function that expands this was called from: the call itself and the calls around it,
 * because without optimisation NVIDIA's C++ wrapper (cudaMalloc<T>) is a function of its own. The
 * result is for simt_describe_address() and lives as long as the program. */
#define CALL_SITE() describe_call_site(__builtin_return_address(0))
const void *describe_call_site(const void *return_address);

/* The line of the program, "x.cu:12", that a call site or return address stands for; "" where the
 * program carries no line table. The text lives as long as the program; each place is looked up
 * once. */
const char *describe_line(const void *address);
/* Turns a return address in this program into "file.cu:12", or a hex address where the program
 * carries no line table. */
#ifdef __cplusplus
extern "C"
#endif
    void
    simt_describe_address(const void *address, char *text, size_t size);
/* Where the running call of the runtime was made, for describe_line(). Quick: no line is looked up.
 */
const void *describe_here(void);
/* Where the stack frame of this thread ends that holds the address; 0: none does. */
uint64_t describe_frame_end(const void *address);
/* In a signal handler: where it was interrupted, without asking for memory; what it is as a place
 * for describe_line(), later. And the line itself that was interrupted at this instruction or
 * called what was. */
enum { DESCRIBE_FRAMES = 16 }; /* a call of a library is 13 deep */
struct describe_frames {
    const void *at[DESCRIBE_FRAMES]; /* innermost first; NULL behind the last */
};
void describe_interrupted_frames(const void *instruction, struct describe_frames *out);
const void *describe_site_of(const struct describe_frames *frames);
const char *describe_interrupted(const void *instruction);

#endif
