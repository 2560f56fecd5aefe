/* cusolver.h - what the files of our cuSOLVER share: the arguments of any call, and the steps that
 * do the work (cusolver_works.c). Private to cusolver*.c. */
#ifndef SIMT_CUSOLVER_H
#define SIMT_CUSOLVER_H

#include "runtime/library.h"

#include "include/cusolverDn.h"

/* An argument: rows x columns at a leading dimension; a vector is one column. */
struct cusolver_array {
    const char *role;
    void *pointer;
    int64_t rows, columns, leading;
};

/* All arguments of any call. */
struct cusolver_work {
    const char *name;
    cudaDataType type;
    struct cusolver_array a, b, c, u, vt; /* b, c: tau, right sides, values: see the steps */
    int k;
    bool lower, transposed, left, vectors;
    char job_u, job_vt;
    void *pivots; /* int, or int64_t: wide_pivots */
    bool wide_pivots;
    int *info;
};

/* Steps of runtime/library.h. b is of getrs and potrs the right sides, of geqrf, orgqr and ormqr
 * tau, of syevd the eigenvalues, of gesvd the singular values. */
bool cusolver_getrf(struct simt_library *l, const void *state);
bool cusolver_getrs(struct simt_library *l, const void *state);
bool cusolver_potrf(struct simt_library *l, const void *state);
bool cusolver_potrs(struct simt_library *l, const void *state);
bool cusolver_geqrf(struct simt_library *l, const void *state);
bool cusolver_orgqr(struct simt_library *l, const void *state);
bool cusolver_ormqr(struct simt_library *l, const void *state);
bool cusolver_syevd(struct simt_library *l, const void *state);
bool cusolver_gesvd(struct simt_library *l, const void *state);

/* ---- cusolver.c ------------------------------------------------------------------------------ */

struct cusolver_array cusolver_matrix(const char *role, const void *pointer, int64_t rows,
                                      int64_t columns, int64_t leading);
struct cusolver_array cusolver_column(const char *role, const void *pointer, int64_t count);
/* gesvd: are the jobs and the shape what we have? Says if not. Then U and VT as they ask. */
bool cusolver_are_jobs(const char *name, signed char u, signed char vt, int64_t m, int64_t n);
void cusolver_ask_for(struct cusolver_work *w, const void *u, int64_t ldu, const void *vt,
                      int64_t ldvt);
/* Does the work in the handle's stream. */
cusolverStatus_t cusolver_run(cusolverDnHandle_t handle, const struct cusolver_work *w,
                              simt_library_step step);

#endif
