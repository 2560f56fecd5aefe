/* exec.c - the one table of all handlers, built when the first kernel is decoded. */
#include "exec/exec.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { SLOTS = 4096 }; /* a power of two, several times the number of handlers */

static const struct handler *slots[SLOTS];

static unsigned slot_of(const char *name)
{
    unsigned hash = 2166136261u;
    for (const char *c = name; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    }
    unsigned slot = (hash ^ hash >> 15) % SLOTS;
    while (slots[slot] != NULL && strcmp(slots[slot]->name, name) != 0) {
        slot = (slot + 1) % SLOTS;
    }
    return slot;
}

static const struct handler *const tables[] = {
    exec_int_table,   exec_float_table,  exec_half_table,     exec_convert_table,
    exec_logic_table, exec_move_table,   exec_memory_table,   exec_atomic_table,
    exec_flow_table,  exec_warp_table,   exec_mbarrier_table, exec_cluster_table,
    exec_bulk_table,  exec_tensor_table, exec_image_table,    exec_matrix_table};

static void build(void)
{
    for (unsigned t = 0; t < ARRAY_LENGTH(tables); t++) {
        for (const struct handler *entry = tables[t]; entry->name != NULL; entry++) {
            unsigned slot = slot_of(entry->name);
            assert(slots[slot] == NULL); /* two handlers of one name */
            slots[slot] = entry;
        }
    }
}

const struct handler *exec_find(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build);
    return slots[slot_of(name)];
}

bool exec_handler_at(unsigned i, const struct handler **handler)
{
    for (unsigned t = 0; t < ARRAY_LENGTH(tables); t++) {
        for (*handler = tables[t]; (*handler)->name != NULL; (*handler)++) {
            if (i-- == 0) {
                return true;
            }
        }
    }
    return false;
}
