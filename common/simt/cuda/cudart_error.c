/* cudart_error.c - the names and texts of CUDA's errors. The codes come from error_codes.h, the
 * texts from cuda_errors.def; a code without a text does not compile. */
#include "cuda/cudart.h"

#define TEXT(name, text) static const char text_of_##name[] = text;
#include "cuda/cuda_errors.def"
#undef TEXT

static const struct {
    int code;
    const char *name, *text;
} table[] = {
#define ENTRY(name, value) {value, #name, text_of_##name},
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
