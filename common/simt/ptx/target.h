/* target.h - what a module's .target and .version say: which GPUs it runs on, and which
 * instructions it may have.
 *
 * PTX for sm_80 runs on every GPU of compute capability 8.0 and later; PTX for sm_90a on 9.0 alone,
 * for sm_100f on 10.x. ptxas compiles what the .target has, and no more: ptx_needs.def. Called by
 * the parser, by the linker of texts, by the decoder, and when a module is loaded. */
#ifndef SIMT_TARGET_H
#define SIMT_TARGET_H

#include "ptx/module.h"

enum {
    PTX_NEWEST_VERSION = 90, /* 9.0: what the driver of CUDA 13.0 reads */
    PTX_OLDEST_CHECKED = 70  /* GPUs before Volta have here what Volta has */
};

/* false: there is no target of that name. */
bool ptx_target_named(const char *name, struct ptx_target *out);

/* gpu: 90 for compute capability 9.0; 0: it has none, and runs everything. */
bool ptx_target_runs_on(struct ptx_target t, unsigned gpu);

/* What the module may have on that GPU: its target, or the GPU's where simtcc compiled it for older
 * ones, too, and the GPU is one of them; `from` says that then, else it is 0. */
struct ptx_target ptx_target_on(struct ptx_target t, unsigned gpu);

/* Of the module of two that are linked. */
struct ptx_target ptx_target_of_both(struct ptx_target a, struct ptx_target b);

/* Has PTX of that target and version this instruction? Else the reason is in `why`, in ptxas's
 * words. version 0: it is not asked. */
bool ptx_target_has(struct ptx_target t, unsigned version, const struct ptx_insn *in, char *why,
                    size_t size);

#endif
