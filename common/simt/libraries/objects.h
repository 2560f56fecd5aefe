/* objects.h - what libraries write alike for their handles and descriptions: how one is made and
 * destroyed, and a value of it that is set and asked for. With `library, LIBRARY` as `cusparse,
 * CUSPARSE`, the functions return cusparseStatus_t. */
#ifndef SIMT_LIBRARIES_OBJECTS_H
#define SIMT_LIBRARIES_OBJECTS_H

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

#define LIBRARY_VALUE(library, LIBRARY, handle, set, get, type, member)                            \
    library##Status_t set(handle object, type value)                                               \
    {                                                                                              \
        if (object == NULL) {                                                                      \
            return LIBRARY##_STATUS_NOT_INITIALIZED;                                               \
        }                                                                                          \
        object->member = value;                                                                    \
        return LIBRARY##_STATUS_SUCCESS;                                                           \
    }                                                                                              \
    library##Status_t get(handle object, type *value)                                              \
    {                                                                                              \
        if (object == NULL) {                                                                      \
            return LIBRARY##_STATUS_NOT_INITIALIZED;                                               \
        }                                                                                          \
        *value = object->member;                                                                   \
        return LIBRARY##_STATUS_SUCCESS;                                                           \
    }

#endif
