/* nvtx3/nvToolsExt.h - names for stretches of a program (NVTX). They are for profilers: without one, as here,
 * every call does nothing. Written to the NVTX documentation. */
#ifndef SIMT_NVTOOLSEXT_H
#define SIMT_NVTOOLSEXT_H
#define NVTX_VERSION 3

#include <stddef.h>
#include <stdint.h>

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;

enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
};
enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3
};
typedef union {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#define SIMT_NVTX(type, name, parameters, result)                                                  \
    static __inline__ __attribute__((unused)) type name parameters { return result; }
SIMT_NVTX(void, nvtxMarkA, (const char *m), (void)m)
SIMT_NVTX(void, nvtxMarkEx, (const nvtxEventAttributes_t *a), (void)a)
SIMT_NVTX(int, nvtxRangePushA, (const char *m), ((void)m, 0))
SIMT_NVTX(int, nvtxRangePushEx, (const nvtxEventAttributes_t *a), ((void)a, 0))
SIMT_NVTX(int, nvtxRangePop, (void), 0)
SIMT_NVTX(nvtxRangeId_t, nvtxRangeStartA, (const char *m), ((void)m, 0))
SIMT_NVTX(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *a), ((void)a, 0))
SIMT_NVTX(void, nvtxRangeEnd, (nvtxRangeId_t r), (void)r)
SIMT_NVTX(void, nvtxNameOsThreadA, (uint32_t thread, const char *n), ((void)thread, (void)n))
SIMT_NVTX(void, nvtxNameCategoryA, (uint32_t category, const char *n), ((void)category, (void)n))
SIMT_NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *n), ((void)n, (nvtxDomainHandle_t)0))
SIMT_NVTX(void, nvtxDomainDestroy, (nvtxDomainHandle_t d), (void)d)
SIMT_NVTX(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t d, const nvtxEventAttributes_t *a),
          ((void)d, (void)a, 0))
SIMT_NVTX(int, nvtxDomainRangePop, (nvtxDomainHandle_t d), ((void)d, 0))
#undef SIMT_NVTX
#define nvtxMark         nvtxMarkA
#define nvtxRangePush    nvtxRangePushA
#define nvtxRangeStart   nvtxRangeStartA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainCreate nvtxDomainCreateA

#endif
