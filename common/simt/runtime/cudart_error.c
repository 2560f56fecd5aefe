/* cudart_error.c - the names and texts of CUDA's errors, from the list in simt/error_codes.h. */
#include "runtime/cudart.h"

static const struct {
    int code;
    const char *name, *text;
} table[] = {
#define ENTRY(name, value, text) {value, #name, text},
    SIMT_CUDA_ERRORS(ENTRY)
#undef ENTRY
};

static const char unknown[] = "unrecognized error code";

const char *cudaGetErrorName(cudaError_t error)
{
    for (unsigned i = 0; i < ARRAY_LENGTH(table); i++) {
        if (table[i].code == (int)error) {
            return table[i].name;
        }
    }
    return unknown;
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (unsigned i = 0; i < ARRAY_LENGTH(table); i++) {
        if (table[i].code == (int)error) {
            return table[i].text;
        }
    }
    return unknown;
}
