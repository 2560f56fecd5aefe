/* machine_fixture.h - PTX text in, what the machine did out: for the tests of decode/, machine/ and
 * exec/, which see the machine through simt.h alone.
 *
 * A case gives the body of a kernel. Before it, %r1 is the thread's index in the block, %rd1 the
 * address of an array of 4 bytes for each thread of the grid, and %rd2 this thread's element; after
 * it, %r2 is stored there. */
#ifndef TESTS_MACHINE_FIXTURE_H
#define TESTS_MACHINE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/gpu/gpu_limits.h"
#include "common/simt/api/simt.h"
#include "suite.h"

enum { MACHINE_WORDS = 4096 };

struct machine {
    struct simt_dim grid, block; /* {0}: one block of 32 threads */
    struct simt_dim cluster;     /* {0}: none */
    unsigned workers;            /* 0: one */
    bool cooperative;
    const char *functions;           /* PTX text before the kernel, or NULL */
    const struct observer *observer; /* or NULL */
    /* results */
    bool good;
    struct err e;
    struct simt_counters counters;
    uint32_t out[MACHINE_WORDS];
    char printed[4096];
};

static inline void machine_print(void *state, const char *text, size_t length)
{
    struct machine *m = state;
    size_t have = strlen(m->printed);
    length = length < sizeof m->printed - 1 - have ? length : sizeof m->printed - 1 - have;
    memcpy(m->printed + have, text, length);
    m->printed[have + length] = '\0';
}

static inline void machine_run_kernel(struct machine *m, struct simt *s,
                                      const struct simt_kernel *k)
{
    const struct allocation *a =
        memory_alloc(simt_memory(s), sizeof m->out, MEMORY_DEVICE, "test", NULL);
    ck_assert_ptr_nonnull(a);
    uint64_t address = a->begin;
    memset(memory_host(simt_memory(s), address, sizeof m->out), 0, sizeof m->out);
    struct simt_launch launch = {.kernel = k,
                                 .grid = m->grid.x != 0 ? m->grid : (struct simt_dim){1, 1, 1},
                                 .block = m->block.x != 0 ? m->block : (struct simt_dim){32, 1, 1},
                                 .cluster = m->cluster,
                                 .params = &address,
                                 .cooperative = m->cooperative};
    m->good = simt_run(s, &launch, &m->counters, &m->e);
    memcpy(m->out, memory_host(simt_memory(s), address, sizeof m->out), sizeof m->out);
}

static inline void machine_run(struct machine *m, const char *body)
{
    char *text;
    struct err e = {0};
    int length =
        asprintf(&text,
                 ".version 7.0\n.target sm_90a\n.address_size 64\n.file 1 \"case.cu\"\n%s\n"
                 ".visible .entry kernel_of_test(.param .u64 out)\n{\n"
                 ".reg .pred %%p<20>; .reg .b16 %%h<20>; .reg .b32 %%r<40>; .reg .b64 %%rd<40>;\n"
                 ".loc 1 10 0\n"
                 "ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%tid.x; mov.u32 %%r30, %%ctaid.x;\n"
                 "mov.u32 %%r31, %%ntid.x; mad.lo.u32 %%r32, %%r30, %%r31, %%r1;\n"
                 "mul.wide.u32 %%rd2, %%r32, 4; add.u64 %%rd2, %%rd1, %%rd2; mov.u32 %%r2, 0;\n"
                 ".loc 1 20 0\n%s\n.loc 1 30 0\nst.global.u32 [%%rd2], %%r2;\nret;\n}\n",
                 m->functions != NULL ? m->functions : "", body);
    ck_assert_int_gt(length, 0);
    struct simt *s = simt_open(gpu_limits_find("h200"), m->workers != 0 ? m->workers : 1, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    simt_set_output(s, machine_print, m);
    ck_assert(m->observer == NULL || simt_observe(s, m->observer, &e));
    struct simt_module *module = simt_module_load(s, text, (size_t)length, "case.ptx", &m->e);
    const struct simt_kernel *k =
        module != NULL ? simt_module_kernel(module, "kernel_of_test", &m->e) : NULL;
    if (k != NULL) {
        machine_run_kernel(m, s, k);
    }
    if (module != NULL) {
        simt_module_unload(module);
    }
    simt_close(s);
    free(text);
}

/* Runs all tests of a test case, as main(). */

#endif
