/* simt.h - the simulator's public C API: load PTX, launch kernels, read counters.
 *
 * One struct simt is one simulated GPU. The CUDA runtime (cudart.c) is written on top of
 * this file alone, and a tool that wants no CUDA runtime may use it directly. Functions return
 * false or NULL and set *e to one line when the caller or the program is at fault; e->code is then
 * one of enum simt_error. */
#ifndef SIMT_SIMT_H
#define SIMT_SIMT_H

#include "../base/base.h"
#include "../base/describe.h"
#include "../base/err.h"
#include "../base/launch.h"
#include "../machine/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gpu_limits; /* common/gpu/gpu_limits.h */
struct simt;
struct simt_module;
struct observer; /* machine/observer.h */
struct simt_kernel;

/* threads 0: SIMT_THREADS, else one per core. The limits must outlive the simulator. */
struct simt *simt_open(const struct gpu_limits *limits, unsigned threads, struct err *e);
void simt_close(struct simt *s);
/* Waits for the kernel that runs, and gives this computer the device memory back; what is called
 * with this GPU meanwhile, by other threads, finds zeros. */
void simt_discard(struct simt *s);
/* Local memory of a thread that calls recursively; how much of printf's records a launch may make
 * until simt_last_printf_loss() names the line, " at x.cu:7", where they were more (else ""). */
void simt_set_stack(struct simt *s, uint64_t bytes);
/* Unless SIMT_SHUFFLE is set, a shuffle that reads a lane which takes no part is no fault: it
 * yields a NaN. */
void simt_let_shuffles_go_on(struct simt *s);
void simt_count_printf(struct simt *s, uint64_t most);
const char *simt_last_printf_loss(const struct simt *s);
struct simt *simt_of_kernel(const struct simt_kernel *k);
struct memory *simt_memory(struct simt *s);
/* From now on the observer, which must outlive s, hears what every launch does. Waits for a
 * launch that is running. false: there are too many of them. */
bool simt_observe(struct simt *s, const struct observer *observer, struct err *e);

/* Parses and lays out the module's variables in device memory. Kernels are decoded when asked for.
 * `name` is what messages call it. */
struct simt_module *simt_module_load(struct simt *s, const char *ptx, size_t length,
                                     const char *name, struct err *e);
/* The same of several texts, linked as a device linker does: what one declares another defines. */
struct simt_text {
    const char *text;
    size_t length;
    const char *name; /* what messages call it */
};
struct simt_module *simt_module_link(struct simt *s, const struct simt_text *texts, unsigned count,
                                     struct err *e);
/* What a GPU's driver asks of PTX text when it is loaded (ptx/valid.h); the decoder asks the same of a
 * kernel that is asked for. */
bool simt_module_is_valid(const struct simt_module *m, struct err *e);
void simt_module_unload(struct simt_module *m);
/* Address and size of a .global or .const variable. */
bool simt_module_symbol(struct simt_module *m, const char *name, uint64_t *address, uint64_t *bytes,
                        struct err *e);
/* The kernel of that (mangled) name, decoded at its first use; rejections name instruction, kernel
 * and source line. The same pointer is returned each time. */
const struct simt_kernel *simt_module_kernel(struct simt_module *m, const char *name,
                                             struct err *e);

const char *simt_kernel_name(const struct simt_kernel *k); /* mangled */
/* The name of the kernel of the same module that has this address in device code; NULL: none has.
 */
const char *simt_kernel_function(const struct simt_kernel *k, uint64_t address);
unsigned simt_kernel_param_count(const struct simt_kernel *k);
void simt_kernel_param(const struct simt_kernel *k, unsigned index, uint64_t *offset,
                       uint64_t *bytes);
uint64_t simt_kernel_param_bytes(const struct simt_kernel *k);

struct simt_kernel_attributes {
    uint64_t static_shared_bytes, const_bytes, local_bytes;
    unsigned max_threads_per_block; /* .maxntid, or the GPU's limit */
    unsigned cluster[3];            /* __cluster_dims__; 0: none */
    unsigned registers;             /* an estimate: PTX has no register allocation. See kernel.h */
    bool exact_registers;           /* as ptxas gives them; else estimated */
};
/* What ptxas says; before its first launch. */
void simt_kernel_set_registers(const struct simt_kernel *k, unsigned registers);
void simt_kernel_attributes(const struct simt_kernel *k, struct simt_kernel_attributes *out);

/* Could it wait for memory to change: has it a loop, and strong loads or atomics with results? */
bool simt_kernel_may_wait(const struct simt_kernel *k);

/* Runs the grid to its end and fills *counters (also after a fault: what was counted so far). */
bool simt_run(struct simt *s, const struct simt_launch *launch, struct simt_counters *counters,
              struct err *e);
/* Of a launch that had `waiting`, after simt_run(): from now on its counters are those of the
 * kernel's last launch. */
void simt_publish(const struct simt_kernel *k, struct simt_waiting *w);

/* Later launches of more than about `budget` warp instructions execute a sample of their blocks:
 * their results are incomplete, their counts scaled (machine/sample.h). 0: all run whole.
 * The first `whole` of them run whole in any case. */
void simt_sample(struct simt *s, uint64_t budget, unsigned whole);
void simt_last_sample(struct simt *s, struct simt_sample *out);

/* What the last launch of k counted, by line of the source: one visit for each line that executed,
 * in order of files and lines. An instruction that was inlined from a library counts for the line
 * that calls it; file is NULL and line 0 where the compiler named none. */
void simt_kernel_lines(const struct simt_kernel *k,
                       void (*visit)(void *state, const struct simt_line *line), void *state);

/* Device printf goes here; the default writes to stdout. */
void simt_set_output(struct simt *s, void (*write)(void *state, const char *text, size_t length),
                     void *state);

#ifdef __cplusplus
}
#endif

#endif
