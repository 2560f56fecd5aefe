/* simt.h - the simulator's public C API: load PTX, launch kernels, read counters.
 *
 * Floor 4. One struct simt is one simulated GPU. The CUDA runtime (cudart.c) is written on top of
 * this file alone, and a tool that wants no CUDA runtime may use it directly. Functions return
 * false or NULL and set *e to one line when the caller or the program is at fault; e->code is then
 * one of enum simt_error. */
#ifndef SIMT_SIMT_H
#define SIMT_SIMT_H

#include "base.h"
#include "err.h"
#include "memory.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gpu_limits; /* common/gpu_limits.h */
struct simt;
struct simt_module;
struct simt_kernel;

/* Faults of a running kernel, and why a module or launch is refused. */
enum simt_error {
    SIMT_OK = 0,
    SIMT_BAD_PTX,           /* text that is not PTX */
    SIMT_NOT_SUPPORTED,     /* PTX that the simulator does not execute */
    SIMT_NOT_FOUND,         /* no such kernel or symbol */
    SIMT_BAD_LAUNCH,        /* grid, block or shared memory outside the GPU's limits */
    SIMT_ILLEGAL_ADDRESS,   /* out of bounds, null, freed, wrong space */
    SIMT_MISALIGNED,
    SIMT_ILLEGAL_INSTRUCTION,
    SIMT_BARRIER,           /* divergent barrier, or one that some threads never reach */
    SIMT_TIMEOUT,           /* SIMT_MAX_INSTRUCTIONS reached, or no warp can make progress */
    SIMT_BAD_SHUFFLE,       /* reads a lane that takes no part */
    SIMT_ASSERT,            /* assert() in a kernel */
    SIMT_TRAP
};

struct simt_counters {
#define COUNTER(field, unit, metric) uint64_t field;
#include "counters.def"
#undef COUNTER
};

struct simt_dim {
    uint32_t x, y, z;
};

struct simt_launch {
    const struct simt_kernel *kernel;
    struct simt_dim grid, block;
    uint32_t dynamic_shared_bytes;
    const void *params;   /* the kernel's parameters, packed as simt_kernel_param describes */
    bool cooperative;     /* all blocks are resident together (grid.sync()) */
};

/* threads 0: SIMT_THREADS, else one per core. The limits must outlive the simulator. */
struct simt *simt_open(const struct gpu_limits *limits, unsigned threads, struct err *e);
void simt_close(struct simt *s);
struct memory *simt_memory(struct simt *s);

/* Parses and lays out the module's variables in device memory. Kernels are decoded when asked for.
 * `name` is what messages call it. */
struct simt_module *simt_module_load(struct simt *s, const char *ptx, size_t length,
                                     const char *name, struct err *e);
void simt_module_unload(struct simt_module *m);
/* Address and size of a .global or .const variable. */
bool simt_module_symbol(struct simt_module *m, const char *name, uint64_t *address,
                        uint64_t *bytes, struct err *e);
/* The kernel of that (mangled) name, decoded at its first use; refusals name instruction, kernel
 * and source line. The same pointer is returned each time. */
const struct simt_kernel *simt_module_kernel(struct simt_module *m, const char *name,
                                             struct err *e);

const char *simt_kernel_name(const struct simt_kernel *k); /* mangled */
unsigned simt_kernel_param_count(const struct simt_kernel *k);
void simt_kernel_param(const struct simt_kernel *k, unsigned index, uint64_t *offset,
                       uint64_t *bytes);
uint64_t simt_kernel_param_bytes(const struct simt_kernel *k);

struct simt_kernel_attributes {
    uint64_t static_shared_bytes, const_bytes, local_bytes;
    unsigned max_threads_per_block; /* .maxntid, or the GPU's limit */
    unsigned registers;             /* an estimate: PTX has no register allocation. See kernel.h */
};
void simt_kernel_attributes(const struct simt_kernel *k, struct simt_kernel_attributes *out);

/* Runs the grid to its end and fills *counters (also after a fault: what was counted so far). */
bool simt_run(struct simt *s, const struct simt_launch *launch, struct simt_counters *counters,
              struct err *e);

/* What the last launch of k counted, by line of the source: one visit for each line that executed,
 * in order of files and lines. An instruction that was inlined from a library counts for the line
 * that calls it; file is NULL and line 0 where the compiler named none. */
struct simt_line {
    const char *file;
    uint32_t line;
    struct simt_counters counters; /* warps is 0 */
};
void simt_kernel_lines(const struct simt_kernel *k,
                       void (*visit)(void *state, const struct simt_line *line), void *state);

/* Device printf goes here; the default writes to stdout. */
void simt_set_output(struct simt *s, void (*write)(void *state, const char *text, size_t length),
                     void *state);

/* Turns a return address in this program into "file.cu:12", or a hex address where the program
 * carries no line table. Slow (runs addr2line): for messages only. */
void simt_describe_address(const void *address, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
