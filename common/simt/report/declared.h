/* declared.h - of what type the source declares an array or a pointer: how large its elements are,
 * their fields, and the dimensions. Read from the text; what is not understood is not known. */
#ifndef SIMT_DECLARED_H
#define SIMT_DECLARED_H

#include "base/arena.h"
#include "base/base.h"

enum { DECLARED_FIELDS = 24, DECLARED_DIMS = 3 };

struct declared_field {
    char name[32];
    unsigned offset, bytes, count; /* bytes of one element of an array of `count` */
    bool is_array;
};

struct declared {
    unsigned element_bytes;                  /* 0: not known */
    unsigned dims[DECLARED_DIMS], dim_count; /* of an array; 0: a pointer, or one dimension */
    struct declared_field fields[DECLARED_FIELDS];
    unsigned field_count;
    bool is_half; /* elements are halves or bfloat16s, or two of them */
};

/* Where to look: the files that a kernel's code comes from, and its plain name,
 * "reduce<float, 256>". */
struct declared_in {
    const char *const *files; /* entries may be NULL */
    unsigned file_count;
    const char *kernel;
};

/* The files, and those that they include by `#include "..."` from their folder or one above it; the
 * list lives in the arena. */
struct declared_in declared_files(struct arena *arena, const char *const *files, unsigned count,
                                  const char *kernel);
/* Parameter `index` of the kernel; false: it is no pointer, or is not found. */
bool declared_parameter(const struct declared_in *in, unsigned index, struct declared *is);
/* Is that parameter an unsigned number? */
bool declared_unsigned(const struct declared_in *in, unsigned index);
/* Is it a half, a bfloat16, or two of them? */
bool declared_half(const struct declared_in *in, unsigned index);
/* An array of shared, constant or global memory of so many bytes (0: as many as the launch gives).
 * False: it is not found, or two declarations differ. */
bool declared_array(const struct declared_in *in, const char *name, uint64_t bytes,
                    struct declared *is);

#endif
