/* decode.c - how long a kernel takes to be decoded: long texts of one kind, each at n and at 2 n,
 * so that whoever reads the rows sees whether the time grows with the text or faster. Prints
 * NAME,ms of the best of 5 rounds, and at the end the most memory that the program has had. */
#include "common/gpu/gpu_limits.h"
#include "common/simt/api/simt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUNDS = 5, MOST_TEXT = 16 << 20 };

/* Loops one after the other, each left at its end or by a break. */
static void loop_with_break(FILE *f, unsigned i)
{
    fprintf(f,
            "mov.u32 %%r%u, 0;\nL%u: ld.global.u32 %%a%u, [%%rd1];\nsetp.eq.s32 %%p1, %%a%u, 7;\n"
            "@%%p1 bra X%u;\nadd.s32 %%r%u, %%r%u, 1;\nsetp.lt.s32 %%p2, %%r%u, %%n1;\n"
            "@%%p2 bra L%u;\nX%u: st.global.u32 [%%rd1], %%r%u;\n",
            i, i, i, i, i, i, i, i, i, i, i);
}

/* The same with something to do on the way out, so that the two ways meet behind it. */
static void loop_with_arm(FILE *f, unsigned i)
{
    fprintf(
        f,
        "mov.u32 %%r%u, 0;\nL%u: ld.global.u32 %%a%u, [%%rd1];\nsetp.eq.s32 %%p1, %%a%u, 7;\n"
        "@%%p1 bra A%u;\nsetp.eq.s32 %%p3, %%a%u, 9;\n@%%p3 bra B%u;\nadd.s32 %%r%u, %%r%u, 1;\n"
        "setp.lt.s32 %%p2, %%r%u, %%n1;\n@%%p2 bra L%u;\nbra X%u;\n"
        "A%u: st.global.u32 [%%rd1], %%a%u;\nbra X%u;\nB%u: st.global.u32 [%%rd1+4], %%a%u;\n"
        "X%u: st.global.u32 [%%rd1], %%r%u;\n",
        i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i);
}

static void atomic(FILE *f, unsigned i)
{
    fprintf(f, "add.s64 %%q%u, %%rd1, %u;\nred.global.add.u32 [%%q%u], %%n1;\n", i, 4 * i, i);
}

static const struct {
    const char *name;
    void (*write)(FILE *f, unsigned i);
    unsigned n;
} texts[] = {{"loops with a break", loop_with_break, 2000},
             {"loops with a break", loop_with_break, 4000},
             {"loops with two arms", loop_with_arm, 2000},
             {"loops with two arms", loop_with_arm, 4000},
             {"atomics", atomic, 4000},
             {"atomics", atomic, 8000}};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static size_t write_text(char *text, unsigned which)
{
    FILE *f = fmemopen(text, MOST_TEXT, "w");
    fprintf(f,
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
            ".reg .pred %%p<9>; .reg .b32 %%r<9000>; .reg .b32 %%a<9000>; .reg .b32 %%n<9>;"
            ".reg .b64 %%rd<9>; .reg .b64 %%q<9000>;\nld.param.u64 %%rd1, [out];\n"
            "mov.u32 %%n1, %%tid.x;\n");
    for (unsigned i = 0; i < texts[which].n; i++) {
        texts[which].write(f, i);
    }
    fprintf(f, "ret;\n}\n");
    long length = ftell(f);
    fclose(f);
    return (size_t)length;
}

static double decode_ms(struct simt *gpu, const char *text, size_t length)
{
    struct err e = {0};
    struct simt_module *m = simt_module_load(gpu, text, length, "bench.ptx", &e);
    double began = now_ms();
    if (m == NULL || simt_module_kernel(m, "k", &e) == NULL) {
        fprintf(stderr, "decode: %s\n", e.text);
        exit(1);
    }
    double took = now_ms() - began;
    simt_module_unload(m);
    return took;
}

int main(void)
{
    struct err e = {0};
    struct rusage usage;
    struct simt *gpu = simt_open(gpu_limits_default(), 1, &e);
    char *text = malloc(MOST_TEXT);
    if (gpu == NULL || text == NULL) {
        fprintf(stderr, "decode: %s\n", e.text);
        return 1;
    }
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t length = write_text(text, i);
        double best = 1e9;
        for (unsigned r = 0; r < ROUNDS; r++) {
            double took = decode_ms(gpu, text, length);
            best = took < best ? took : best;
        }
        printf("decode %u %s,%.1f\n", texts[i].n, texts[i].name, best);
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("memory of all that (MB),%.1f\n", (double)usage.ru_maxrss / 1024);
    simt_close(gpu);
    free(text);
    return 0;
}
