/* objects.h - what libraries write alike for their handles and descriptions: how one is made and
 * destroyed, and a value of it that is set and asked for. With `library, LIBRARY` as `cusparse,
 * CUSPARSE`, the functions return cusparseStatus_t. */
#ifndef SIMT_LIBRARIES_OBJECTS_H
#define SIMT_LIBRARIES_OBJECTS_H

#include <stdbool.h>
#include <stdlib.h>

#include "base/room.h"

/* handle: a pointer to the object, all of whose bytes begin as 0. */
#define LIBRARY_OBJECT(library, LIBRARY, handle, create, destroy)                                  \
    library##Status_t create(handle *place)                                                        \
    {                                                                                              \
        if (place == NULL) {                                                                       \
            return LIBRARY##_STATUS_INVALID_VALUE;                                                 \
        }                                                                                          \
        *place = room_new(1, sizeof **place);                                                      \
        return LIBRARY##_STATUS_SUCCESS;                                                           \
    }                                                                                              \
    library##Status_t destroy(handle object)                                                       \
    {                                                                                              \
        free(object);                                                                              \
        return LIBRARY##_STATUS_SUCCESS;                                                           \
    }

/* is_live: says whether an object is one; where destroyed ones are not remembered, library_has().
 */
static inline bool library_has(const void *object) { return object != NULL; }
#define LIBRARY_SET(library, LIBRARY, is_live, handle, set, type, member)                          \
    library##Status_t set(handle object, type value)                                               \
    {                                                                                              \
        if (!is_live(object)) {                                                                    \
            return LIBRARY##_STATUS_NOT_INITIALIZED;                                               \
        }                                                                                          \
        object->member = value;                                                                    \
        return LIBRARY##_STATUS_SUCCESS;                                                           \
    }
#define LIBRARY_GET(library, LIBRARY, is_live, handle, get, type, member)                          \
    library##Status_t get(handle object, type *value)                                              \
    {                                                                                              \
        if (!is_live(object)) {                                                                    \
            return LIBRARY##_STATUS_NOT_INITIALIZED;                                               \
        }                                                                                          \
        *value = object->member;                                                                   \
        return LIBRARY##_STATUS_SUCCESS;                                                           \
    }
#define LIBRARY_VALUE(library, LIBRARY, is_live, handle, set, get, type, member)                   \
    LIBRARY_SET(library, LIBRARY, is_live, handle, set, type, member)                              \
    LIBRARY_GET(library, LIBRARY, is_live, handle, get, type, member)

/* The status of what simt_library_run() returned. */
#define LIBRARY_STATUS(LIBRARY, code)                                                              \
    ((code) == (int)cudaSuccess             ? LIBRARY##_STATUS_SUCCESS                             \
     : (code) == (int)cudaErrorInvalidValue ? LIBRARY##_STATUS_INVALID_VALUE                       \
                                            : LIBRARY##_STATUS_EXECUTION_FAILED)

#endif
