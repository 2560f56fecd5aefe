/* nvrtc.h - NVRTC's functions, in C and C++, as the simulator offers them: the program's text is
 * compiled by nvcc or clang, as simtcc would. Names, arguments and meanings are those of the
 * "NVRTC" reference, version 13. */
#ifndef SIMT_NVRTC_H
#define SIMT_NVRTC_H
#define __NVRTC_H__

#include <stddef.h>

/* Each result with its value. */
#define SIMT_NVRTC_RESULTS(STATUS)                                                                 \
    STATUS(NVRTC_SUCCESS, 0)                                                                       \
    STATUS(NVRTC_ERROR_OUT_OF_MEMORY, 1)                                                           \
    STATUS(NVRTC_ERROR_PROGRAM_CREATION_FAILURE, 2)                                                \
    STATUS(NVRTC_ERROR_INVALID_INPUT, 3)                                                           \
    STATUS(NVRTC_ERROR_INVALID_PROGRAM, 4)                                                         \
    STATUS(NVRTC_ERROR_INVALID_OPTION, 5)                                                          \
    STATUS(NVRTC_ERROR_COMPILATION, 6)                                                             \
    STATUS(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)                                               \
    STATUS(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, 8)                                   \
    STATUS(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, 9)                                     \
    STATUS(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, 10)                                              \
    STATUS(NVRTC_ERROR_INTERNAL_ERROR, 11)
#define SIMT_STATUS(name, value) name = value,
typedef enum { SIMT_NVRTC_RESULTS(SIMT_STATUS) } nvrtcResult;
#undef SIMT_STATUS

typedef struct _nvrtcProgram *nvrtcProgram;

#ifdef __cplusplus
extern "C" {
#endif

const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);
nvrtcResult nvrtcGetNumSupportedArchs(int *count);
nvrtcResult nvrtcGetSupportedArchs(int *list);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                               int headerCount, const char *const *headers,
                               const char *const *headerNames);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *code);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name);

#ifdef __cplusplus
}
#endif

#endif
