/* cuda_errors.c - see cuda_errors.h. The list stands in include/cuda_errors.def. */
#include "machine/cuda_errors.h"
#include "base/base.h"

struct error {
    int code;
    const char *name, *text;
};

static const struct error *find(int code)
{
    static const struct error table[] = {
        {0, "cudaSuccess", "no error"},
#define SIMT_ERROR(value, name, driver_name, text) {value, "cudaError" #name, text},
#define SIMT_RUNTIME_ERROR(value, name, text)      {value, "cudaError" #name, text},
#define SIMT_DRIVER_ERROR(value, driver_name)
#include "include/cuda_errors.def"
    };
    static const struct error unknown = {0, "unrecognized error code", "unrecognized error code"};
    for (unsigned i = 0; i < ARRAY_LENGTH(table); i++) {
        if (table[i].code == code) {
            return &table[i];
        }
    }
    return &unknown;
}

const char *cuda_error_name(int code) { return find(code)->name; }

const char *cuda_error_text(int code) { return find(code)->text; }
