/* library.h - for libraries/: how a library that computes on the CPU does its work in a stream.
 *
 * A library is a client of the CUDA runtime. What it cannot have from CUDA's own functions stands
 * here: it asks for the bytes that it reads and writes, which are judged as those of a copy are,
 * and its work is behind what the stream has before it, or becomes a node of the graph that the
 * stream is captured into. */
#ifndef SIMT_LIBRARY_H
#define SIMT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A library's functions have NVIDIA's parameters, some of which mean nothing here: handles of calls
 * that only tell a size, workspaces, hints. They are not mentioned in the functions' bodies. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct CUstream_st;

struct simt_library_call {
    const char *library; /* "cuBLAS" */
    const char *name;    /* "cublasSgemm" */
    struct CUstream_st *stream;
    bool waits; /* the result goes to the host: the call waits for its stream */
};

struct simt_library; /* a work that is being done */
/* Does the work; false: something that it asked for was not there, which has been explained. */
typedef bool (*simt_library_step)(struct simt_library *l, const void *state);

/* The step gets a copy of the state, since a graph does the work later, and as often as it is
 * launched. Returns a cudaError_t: that of a fault before, or cudaErrorInvalidValue where the step
 * returned false. */
int simt_library_run(const struct simt_library_call *call, simt_library_step step,
                     const void *state, size_t bytes);

enum simt_library_use { LIBRARY_READS = 1, LIBRARY_WRITES = 2, LIBRARY_READS_AND_WRITES = 3 };

/* `columns` times `width` bytes that begin `pitch` behind each other, as the library may use them;
 * NULL, explained, if they are not the device's. Nothing is asked of an empty box. `role` names it
 * in messages. */
void *simt_library_box(struct simt_library *l, const char *role, const void *pointer,
                       uint64_t width, uint64_t columns, uint64_t pitch, enum simt_library_use use);
void *simt_library_line(struct simt_library *l, const char *role, const void *pointer,
                        uint64_t bytes, enum simt_library_use use);
/* The same for memory of the host. */
void *simt_library_host(struct simt_library *l, const char *role, const void *pointer,
                        uint64_t bytes, enum simt_library_use use);
/* The same for a result, which is the host's where the call waits. */
void *simt_library_result(struct simt_library *l, const char *role, const void *pointer,
                          uint64_t bytes, enum simt_library_use use);

/* One line on stderr: "simt: x.cu:12: CALL: ...". */
void simt_library_say(const char *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
