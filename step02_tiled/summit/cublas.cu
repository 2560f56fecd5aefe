/* cublas.cu - the reference row: NVIDIA's own SGEMM, in FP32 without TF32, if it is installed.
 *
 * The library is loaded by name while the program runs, so that the lesson builds and runs without
 * it. cuBLAS thinks in columns: a row-major C = A.B is its C' = B'.A'. */
#include "step02_tiled/lesson.h"

#include <stdio.h>
#include <stdlib.h>

#ifndef SIMT
#include <dlfcn.h>

/* From the public documentation of cuBLAS: status 0 is success, operation 0 takes a matrix as it
 * is, math mode 2 (CUBLAS_PEDANTIC_MATH) forbids TF32 and other short cuts. */
typedef int (*create_function)(void **handle);
typedef int (*set_mode_function)(void *handle, int mode);
typedef int (*sgemm_function)(void *handle, int op_a, int op_b, int m, int n, int k,
                              const float *alpha, const float *a, int lda, const float *b, int ldb,
                              const float *beta, float *c, int ldc);
enum { AS_IT_IS = 0, PEDANTIC = 2 };

struct cublas {
    bool tried;
    void *handle;
    sgemm_function sgemm; /* NULL: not available */
};

static void load(struct cublas *l)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
    void *library = NULL;
    l->tried = true;
    for (size_t i = 0; !library && i < sizeof names / sizeof names[0]; i++)
        library = dlopen(names[i], RTLD_NOW);
    if (!library)
        return;
    const create_function create = (create_function)dlsym(library, "cublasCreate_v2");
    const set_mode_function set_mode = (set_mode_function)dlsym(library, "cublasSetMathMode");
    const sgemm_function sgemm = (sgemm_function)dlsym(library, "cublasSgemm_v2");
    if (create && set_mode && sgemm && create(&l->handle) == 0 &&
        set_mode(l->handle, PEDANTIC) == 0)
        l->sgemm = sgemm;
}

static const struct cublas *cublas(void)
{
    static struct cublas loaded;
    if (!loaded.tried)
        load(&loaded);
    return &loaded;
}

static const char *refusal(const struct product *p)
{
    (void)p;
    return cublas()->sgemm ? NULL : "cuBLAS 11, 12 or 13 is not installed here";
}

static void launch(void *state)
{
    const struct product *p = (const struct product *)state;
    const float one = 1.0f, zero = 0.0f;
    const struct cublas *l = cublas();
    const int status = l->sgemm(l->handle, AS_IT_IS, AS_IT_IS, p->n, p->m, p->k, &one, p->d_b, p->n,
                                p->d_a, p->k, &zero, p->d_c, p->n);
    if (status != 0) {
        fprintf(stderr, "step02_tiled: cublasSgemm failed with status %d\n", status);
        exit(2);
    }
}
#else
static const char *refusal(const struct product *p)
{
    (void)p;
    return "cuBLAS is machine code for a GPU; the simulator executes PTX";
}

static void launch(void *state) { (void)state; }
#endif

static const struct rung rungs[] = {
    {"cublas_sgemm", "NVIDIA's library, FP32 without TF32: the reference", false, launch, refusal},
};

const struct rung *cublas_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}
