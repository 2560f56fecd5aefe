/* nvrtc_program.h - a program of NVRTC. Private to nvrtc*.c. */
#ifndef SIMT_NVRTC_PROGRAM_H
#define SIMT_NVRTC_PROGRAM_H

#include "base/arena.h"
#include "base/handles.h"

#include "include/nvrtc.h"

enum { MOST_EXPRESSIONS = 256 };

struct _nvrtcProgram {
    struct handle handle;
    struct arena arena;
    const char *source, *name;
    const char *const *headers, *const *header_names;
    int header_count;
    const char *expressions[MOST_EXPRESSIONS];
    const char *lowered[MOST_EXPRESSIONS];
    unsigned expression_count;
    char *ptx, *log; /* after a compilation */
    size_t ptx_bytes, log_bytes;
    bool compiled;
};

/* nvrtc_compile.c: fills ptx, log and compiled. */
nvrtcResult nvrtc_compile(nvrtcProgram program, int count, const char *const *options);

#endif
