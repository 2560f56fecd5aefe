/* cufft.c - our cuFFT: plans of one to three dimensions, many transforms at a time. */
#include "libraries/cufft.h"

#include <pthread.h>
#include <string.h>

enum { MOST_PLANS = 4096 };

static struct {
    pthread_mutex_t lock;
    struct plan plans[MOST_PLANS];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct plan *cufft_plan(cufftHandle handle)
{
    return handle > 0 && handle < MOST_PLANS && all.plans[handle].used ? &all.plans[handle] : NULL;
}

/* ---- plans ----------------------------------------------------------------------------------- */

cufftResult cufftCreate(cufftHandle *handle)
{
    cufftResult result = CUFFT_ALLOC_FAILED;
    pthread_mutex_lock(&all.lock);
    for (int i = 1; i < MOST_PLANS && result != CUFFT_SUCCESS; i++) {
        if (!all.plans[i].used) {
            all.plans[i] = (struct plan){.used = true};
            *handle = i;
            result = CUFFT_SUCCESS;
        }
    }
    pthread_mutex_unlock(&all.lock);
    return result;
}

cufftResult cufftDestroy(cufftHandle handle)
{
    struct plan *p = cufft_plan(handle);
    if (p == NULL) {
        return CUFFT_INVALID_PLAN;
    }
    p->used = false;
    return CUFFT_SUCCESS;
}

static bool is_type(cufftType type)
{
    return cufft_is_real_to_complex(type) || cufft_is_complex_to_real(type) || type == CUFFT_C2C ||
           type == CUFFT_Z2Z;
}

/* Numbers along the last axis of the side that has only half of them. */
/* embed: sizes of the array that holds the box, slowest first; NULL: the box itself. */
static struct layout layout_of(const struct plan *p, int rank, const int *embed, int64_t stride,
                               int64_t distance, bool halved)
{
    struct layout l = {.distance = distance};
    int64_t step = embed != NULL ? stride : 1, box = 1, last = 0;
    for (int axis = AXES - 1; axis >= 0; axis--) {
        const int of_rank = axis - (AXES - rank);
        const int64_t numbers = axis == AXES - 1 ? cufft_last_axis(p, halved) : p->size[axis];
        l.step[axis] = step;
        last += (numbers - 1) * step;
        box *= numbers;
        step *= embed != NULL && of_rank >= 0 ? embed[of_rank] : numbers;
    }
    l.distance = embed != NULL ? distance : box;
    l.count = last + 1;
    return l;
}

struct shape {
    int rank;
    const int *n, *in_embed, *out_embed;
    int64_t in_stride, in_distance, out_stride, out_distance, batch;
};

static cufftResult make(cufftHandle handle, const struct shape *s, cufftType type, size_t *work)
{
    struct plan *p = cufft_plan(handle);
    if (p == NULL) {
        return CUFFT_INVALID_PLAN;
    }
    if (!is_type(type)) {
        return CUFFT_INVALID_TYPE;
    }
    if (s->rank < 1 || s->rank > AXES || s->n == NULL || s->batch < 1) {
        return CUFFT_INVALID_VALUE;
    }
    for (int axis = 0; axis < AXES; axis++) {
        const int of_rank = axis - (AXES - s->rank);
        p->size[axis] = of_rank >= 0 ? s->n[of_rank] : 1;
        if (p->size[axis] < 1) {
            return CUFFT_INVALID_SIZE;
        }
    }
    p->type = type;
    p->batch = s->batch;
    p->in = layout_of(p, s->rank, s->in_embed, s->in_stride, s->in_distance,
                      cufft_is_complex_to_real(type));
    p->out = layout_of(p, s->rank, s->out_embed, s->out_stride, s->out_distance,
                       cufft_is_real_to_complex(type));
    p->made = true;
    if (work != NULL) {
        *work = 0; /* no memory of the device is needed */
    }
    return CUFFT_SUCCESS;
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride,
                              int idist, int *onembed, int ostride, int odist, cufftType type,
                              int batch, size_t *workSize)
{
    const bool both = inembed != NULL && onembed != NULL; /* one alone means none, as in cuFFT */
    const struct shape s = {
        rank,  n,    both ? inembed : NULL, both ? onembed : NULL, istride, idist, ostride,
        odist, batch};
    return make(plan, &s, type, workSize);
}

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize)
{
    return make(plan, &(struct shape){.rank = 1, .n = &nx, .batch = batch}, type, workSize);
}

cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize)
{
    const int n[] = {nx, ny};
    return make(plan, &(struct shape){.rank = 2, .n = n, .batch = 1}, type, workSize);
}

cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type,
                            size_t *workSize)
{
    const int n[] = {nx, ny, nz};
    return make(plan, &(struct shape){.rank = 3, .n = n, .batch = 1}, type, workSize);
}

/* Create and make in one. */
#define PLAN(making)                                                                               \
    cufftResult result = cufftCreate(plan);                                                        \
    if (result == CUFFT_SUCCESS) {                                                                 \
        result = making;                                                                           \
        if (result != CUFFT_SUCCESS) {                                                             \
            cufftDestroy(*plan);                                                                   \
        }                                                                                          \
    }                                                                                              \
    return result

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch)
{
    PLAN(cufftMakePlan1d(*plan, nx, type, batch, NULL));
}

cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type)
{
    PLAN(cufftMakePlan2d(*plan, nx, ny, type, NULL));
}

cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type)
{
    PLAN(cufftMakePlan3d(*plan, nx, ny, nz, type, NULL));
}

cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist,
                          int *onembed, int ostride, int odist, cufftType type, int batch)
{
    PLAN(cufftMakePlanMany(*plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type,
                           batch, NULL));
}

/* ---- small things ---------------------------------------------------------------------------- */

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    struct plan *p = cufft_plan(handle);
    if (p == NULL) {
        return CUFFT_INVALID_PLAN;
    }
    p->stream = stream;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetSize(cufftHandle handle, size_t *workSize)
{
    *workSize = 0;
    return cufft_plan(handle) != NULL ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *workArea)
{
    return cufft_plan(handle) != NULL ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int autoAllocate)
{
    return cufft_plan(handle) != NULL ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *workSize)
{
    *workSize = 0;
    return nx > 0 && batch > 0 && is_type(type) ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *workSize)
{
    return cufftEstimate1d(nx, type, ny, workSize);
}

cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *workSize)
{
    return nz > 0 ? cufftEstimate1d(nx, type, ny, workSize) : CUFFT_INVALID_VALUE;
}

cufftResult cufftGetVersion(int *version)
{
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    *value = type == MAJOR_VERSION ? CUFFT_VERSION / 1000 : 0;
    return CUFFT_SUCCESS;
}
