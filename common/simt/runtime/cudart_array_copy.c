/* cudart_array_copy.c - copies from, to and between CUDA arrays, and those of cudaMemcpy3D. */
#include "runtime/cudart_array.h"
#include "runtime/cudart_copy.h"

#include <inttypes.h>
#include <string.h>

/* ---- the ends of a copy ---------------------------------------------------------------------- */

/* One end: where the box begins, and how its rows follow each other. */
struct end {
    void *at;
    struct box box;
};

/* A box of so many bytes, rows and slices at a place in an array; x and width are bytes. */
static cudaError_t end_in_array(const char *call, cudaArray_const_t array, struct cudaPos at,
                                uint64_t width, uint64_t height, uint64_t depth, struct end *end)
{
    const struct cudaArray *a = array_find(call, array);
    if (a == NULL) {
        return cudaErrorInvalidResourceHandle;
    }
    if (at.x > a->row_bytes || width > a->row_bytes - at.x || at.y > a->rows ||
        height > a->rows - at.y || at.z > a->slices || depth > a->slices - at.z) {
        return cuda_error_saying(
            cudaErrorInvalidValue, call,
            "%" PRIu64 " bytes x %" PRIu64 " x %" PRIu64
            " at (%zu, %zu, %zu) do not fit an array of %" PRIu64 " bytes x %" PRIu64 " x %" PRIu64,
            width, height, depth, at.x, at.y, at.z, a->row_bytes, a->rows, a->slices);
    }
    end->at = (void *)(uintptr_t)(a->begin + at.z * a->slice_bytes + at.y * a->row_bytes + at.x);
    end->box = (struct box){width, height, depth, a->row_bytes, a->slice_bytes};
    return cudaSuccess;
}

static struct end plain_end(const void *at, uint64_t pitch, uint64_t width, uint64_t height)
{
    return (struct end){(void *)(uintptr_t)at, {width, height, 1, pitch, 0}};
}

/* Copies between an array and memory know which side the array is on. */
static cudaError_t copy_ends(const char *call, const struct end *to, const struct end *from,
                             enum cudaMemcpyKind kind, struct copy_mode mode)
{
    return copy_between(call, to->at, &to->box, from->at, &from->box, kind, mode);
}

static cudaError_t to_array(const char *call, cudaArray_t array, size_t x, size_t y,
                            struct end from, enum cudaMemcpyKind kind, struct copy_mode mode)
{
    struct end to;
    const struct cudaPos at = {x, y, 0};
    cudaError_t code = copy_enter(mode);
    AND_THEN(code, end_in_array(call, array, at, from.box.width, from.box.height, 1, &to));
    return code == cudaSuccess ? copy_ends(call, &to, &from, kind, mode) : code;
}

static cudaError_t from_array(const char *call, struct end to, cudaArray_const_t array, size_t x,
                              size_t y, enum cudaMemcpyKind kind, struct copy_mode mode)
{
    struct end from;
    const struct cudaPos at = {x, y, 0};
    cudaError_t code = copy_enter(mode);
    AND_THEN(code, end_in_array(call, array, at, to.box.width, to.box.height, 1, &from));
    return code == cudaSuccess ? copy_ends(call, &to, &from, kind, mode) : code;
}

/* ---- pitched --------------------------------------------------------------------------------- */

COPY_CALLS(cudaMemcpy2DToArray,
           to_array(call, dst, wOffset, hOffset, plain_end(src, spitch, width, height), kind, mode),
           cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
           size_t width, size_t height, enum cudaMemcpyKind kind);
COPY_CALLS(cudaMemcpy2DFromArray,
           from_array(call, plain_end(dst, dpitch, width, height), src, wOffset, hOffset, kind,
                      mode),
           void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
           size_t width, size_t height, enum cudaMemcpyKind kind);

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    const char *call = "cudaMemcpy2DArrayToArray";
    struct end from;
    cudaError_t code = copy_enter(COPY_WAITS);
    const struct cudaPos at = {wOffsetSrc, hOffsetSrc, 0};
    AND_THEN(code, end_in_array(call, src, at, width, height, 1, &from));
    return code == cudaSuccess ? to_array(call, dst, wOffsetDst, hOffsetDst, from, kind, COPY_WAITS)
                               : code;
}
PER_THREAD(cudaMemcpy2DArrayToArray, _ptds);

/* ---- linear ---------------------------------------------------------------------------------- */

/* So many bytes from a place in an array on, over the ends of rows. */
static cudaError_t line_in_array(const char *call, cudaArray_const_t array, size_t x, size_t y,
                                 size_t bytes, struct end *end)
{
    const struct cudaArray *a = array_find(call, array);
    if (a == NULL) {
        return cudaErrorInvalidResourceHandle;
    }
    const uint64_t before = y * a->row_bytes + x;
    if (y >= a->rows || x >= a->row_bytes || bytes > a->slice_bytes - before) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "%zu bytes at (%zu, %zu) do not fit an array of %" PRIu64
                                 " bytes x %" PRIu64,
                                 bytes, x, y, a->row_bytes, a->rows);
    }
    *end = plain_end((void *)(uintptr_t)(a->begin + before), bytes, bytes, 1);
    return cudaSuccess;
}

static cudaError_t line_to_array(const char *call, cudaArray_t dst, size_t x, size_t y,
                                 const void *src, size_t count, enum cudaMemcpyKind kind,
                                 struct copy_mode mode)
{
    struct end to;
    const struct end from = plain_end(src, count, count, 1);
    cudaError_t code = copy_enter(mode);
    AND_THEN(code, line_in_array(call, dst, x, y, count, &to));
    return code == cudaSuccess ? copy_ends(call, &to, &from, kind, mode) : code;
}

static cudaError_t line_from_array(const char *call, void *dst, cudaArray_const_t src, size_t x,
                                   size_t y, size_t count, enum cudaMemcpyKind kind,
                                   struct copy_mode mode)
{
    struct end from;
    const struct end to = plain_end(dst, count, count, 1);
    cudaError_t code = copy_enter(mode);
    AND_THEN(code, line_in_array(call, src, x, y, count, &from));
    return code == cudaSuccess ? copy_ends(call, &to, &from, kind, mode) : code;
}

COPY_CALLS(cudaMemcpyToArray, line_to_array(call, dst, wOffset, hOffset, src, count, kind, mode),
           cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
           enum cudaMemcpyKind kind);
COPY_CALLS(cudaMemcpyFromArray,
           line_from_array(call, dst, src, wOffset, hOffset, count, kind, mode), void *dst,
           cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
           enum cudaMemcpyKind kind);

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t count, enum cudaMemcpyKind kind)
{
    const char *call = "cudaMemcpyArrayToArray";
    struct end from;
    cudaError_t code = copy_enter(COPY_WAITS);
    AND_THEN(code, line_in_array(call, src, wOffsetSrc, hOffsetSrc, count, &from));
    return code == cudaSuccess
               ? line_to_array(call, dst, wOffsetDst, hOffsetDst, from.at, count, kind, COPY_WAITS)
               : code;
}
PER_THREAD(cudaMemcpyArrayToArray, _ptds);

/* ---- three-dimensional ----------------------------------------------------------------------- */

/* Bytes of an element of the arrays that take part; 1: none does; 0: after an error. */
static uint64_t element_bytes(const char *call, const struct cudaMemcpy3DParms *p)
{
    uint64_t bytes = 1;
    const cudaArray_const_t arrays[] = {p->srcArray, p->dstArray};
    for (unsigned i = 0; i < ARRAY_LENGTH(arrays); i++) {
        const struct cudaArray *a = arrays[i] != NULL ? array_find(call, arrays[i]) : NULL;
        if (arrays[i] != NULL && a == NULL) {
            return 0;
        }
        bytes = a != NULL ? texture_texel_bytes(a->format) : bytes;
    }
    return bytes;
}

/* Where an array takes part, x and the width count its texels at both ends, as an H200 has it (the
 * reference says bytes for the memory's end); else they count bytes. */
static cudaError_t end_of_space(const char *call, cudaArray_const_t array, struct cudaPos at,
                                const struct cudaPitchedPtr *p, struct cudaExtent extent,
                                uint64_t texel, struct end *end)
{
    if (array != NULL) {
        const struct cudaPos place = {at.x * texel, at.y, at.z};
        return end_in_array(call, array, place, extent.width, extent.height, extent.depth, end);
    }
    const uint64_t offset = (at.z * p->ysize + at.y) * p->pitch + at.x * texel;
    end->at = (void *)((uintptr_t)p->ptr + offset);
    end->box =
        (struct box){extent.width, extent.height, extent.depth, p->pitch, p->pitch * p->ysize};
    return cudaSuccess;
}

static cudaError_t copy_space(const char *call, const struct cudaMemcpy3DParms *p,
                              struct copy_mode mode)
{
    struct end to, from;
    if (p == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "its parameters are a null pointer");
    }
    const uint64_t texel = element_bytes(call, p);
    if (texel == 0) {
        return cudaErrorInvalidResourceHandle;
    }
    const struct cudaExtent extent = {p->extent.width * texel, p->extent.height, p->extent.depth};
    cudaError_t code = end_of_space(call, p->dstArray, p->dstPos, &p->dstPtr, extent, texel, &to);
    AND_THEN(code, end_of_space(call, p->srcArray, p->srcPos, &p->srcPtr, extent, texel, &from));
    return code == cudaSuccess ? copy_ends(call, &to, &from, p->kind, mode) : code;
}

COPY_CALLS(cudaMemcpy3D, copy_space(call, copy, mode), const struct cudaMemcpy3DParms *copy);
