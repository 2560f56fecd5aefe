/* graph_user.c - user objects: what a program lets graphs keep alive. See graph.h. */
#include "runtime/graph.h"
#include "base/room.h"

#include <stdlib.h>

struct CUuserObject_st {
    struct handle handle;
    void *pointer;
    cudaHostFn_t destroy;
    unsigned count;
};

static struct handle_pool objects = HANDLE_POOL(struct CUuserObject_st);

static cudaError_t check(const char *call, cudaUserObject_t object, unsigned count)
{
    if (object == NULL || !handle_is_live(&objects, object) || count == 0) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "user object %p, %u references",
                                 (void *)object, count);
    }
    return cudaSuccess;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *pointer, cudaHostFn_t destroy,
                                 unsigned int count, unsigned int flags)
{
    if (object == NULL || destroy == NULL || count == 0 ||
        flags != cudaUserObjectNoDestructorSync) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaUserObjectCreate",
                                 "%u references, flags 0x%x: cudaUserObjectNoDestructorSync is "
                                 "required",
                                 count, flags);
    }
    *object = handle_create(&objects);
    (*object)->pointer = pointer;
    (*object)->destroy = destroy;
    (*object)->count = count;
    return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    const cudaError_t code = check("cudaUserObjectRetain", object, count);
    if (code == cudaSuccess) {
        object->count += count;
    }
    return code;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    const cudaError_t code = check("cudaUserObjectRelease", object, count);
    if (code == cudaSuccess &&
        (object->count -= count < object->count ? count : object->count) == 0) {
        const cudaHostFn_t destroy = object->destroy;
        void *pointer = object->pointer;
        handle_destroy(&objects, object);
        destroy(pointer);
    }
    return code;
}

void graph_keep_user(cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
    struct graph_user *u = room_raw(1, sizeof *u);
    *u = (struct graph_user){object, count, graph->users};
    graph->users = u;
}
