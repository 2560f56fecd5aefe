/* cuda_errors.c - see cuda_errors.h. The list stands in include/simt/error_codes.h. */
#include "machine/cuda_errors.h"
#include "base/base.h"
#include "include/driver_types.h" /* SIMT_CUDA_ERRORS */

struct error {
    int code;
    const char *name, *text;
};

static const struct error *find(int code)
{
    static const struct error table[] = {
#define ENTRY(name, value, text) {value, #name, text},
        SIMT_CUDA_ERRORS(ENTRY)
#undef ENTRY
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
