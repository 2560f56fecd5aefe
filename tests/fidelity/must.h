/* must.h - a call of the runtime that must succeed; else the program says where it did not, and ends with 2. */
#ifndef MUST_H
#define MUST_H

#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        const cudaError_t code_ = (call);                                                                              \
        if (code_ != cudaSuccess) {                                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code_));                             \
            exit(2);                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
