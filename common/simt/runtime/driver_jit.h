/* driver_jit.h - what may be loaded as a module, and the options for loading it. For driver_*.c. */
#ifndef SIMT_DRIVER_JIT_H
#define SIMT_DRIVER_JIT_H

#include "runtime/driver.h"
#include "runtime/registry.h"

enum { JIT_MOST_TEXTS = 256 };

/* The PTX texts of an image; they point into it, or into the arena. */
struct jit_input {
    struct simt_text texts[JIT_MOST_TEXTS];
    unsigned count;
    bool is_binary; /* a fat binary */
    struct arena arena;
};

/* data: PTX text, a fat binary or what cuLinkComplete() gave; limit 0: as long as it says itself.
 * Otherwise *e says what it is instead. */
CUresult jit_read_image(struct jit_input *input, const void *data, size_t limit, const char *name,
                        struct err *e);
void jit_free_input(struct jit_input *input);
/* All of a file and a NUL; NULL: it cannot be read. The caller frees it. */
char *jit_read_file(const char *file, size_t *bytes);

/* The options of a call. */
struct jit_log {
    unsigned count;
    CUjit_option *options;
    void **values;
};
/* Fills the buffers that the options name; error NULL: there was none. */
void jit_tell(const struct jit_log *log, const char *error);

#endif
