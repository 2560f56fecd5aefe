/* exec.c - the one table of all handlers, built when the first kernel is decoded. */
#include "exec/exec.h"
#include "base/names.h"

#include <pthread.h>

static struct arena arena;
static struct names names = {.arena = &arena}; /* -> index of handlers */
static const struct handler **handlers;
static unsigned handler_count, handler_room;

static const struct handler *const tables[] = {
    exec_int_table,    exec_float_table,  exec_half_table,      exec_convert_table,
    exec_logic_table,  exec_move_table,   exec_memory_table,    exec_atomic_table,
    exec_flow_table,   exec_warp_table,   exec_mbarrier_table,  exec_cluster_table,
    exec_bulk_table,   exec_tensor_table, exec_tensormap_table, exec_image_table,
    exec_matrix_table, exec_narrow_table, exec_fragment_table,  exec_warpgroup_table,
    exec_copy_table,   exec_video_table,  exec_stack_table,     exec_quads_table,
    exec_surface_table};

static void build(void)
{
    for (unsigned t = 0; t < ARRAY_LENGTH(tables); t++) {
        for (const struct handler *entry = tables[t]; entry->name != NULL; entry++) {
            handlers = arena_grow(&arena, handlers, handler_count, &handler_room,
                                  sizeof(struct handler *));
            names_add(&names, entry->name, handler_count);
            handlers[handler_count++] = entry;
        }
    }
}

const struct handler *exec_find(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build);
    unsigned i;
    return names_find(&names, name, &i) ? handlers[i] : NULL;
}

bool exec_handler_at(unsigned i, const struct handler **handler)
{
    exec_find(""); /* builds the table */
    *handler = i < handler_count ? handlers[i] : NULL;
    return i < handler_count;
}
