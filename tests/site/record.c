/* record.c - writes down what a program's launches need and count, for replay.c: modules,
 * allocations, contents of memory, parameters, and afterwards counters and a hash of memory.
 *
 * Linked into a program with --wrap for the three functions below; LAUNCH_RECORD names the file. */
#include "tests/site/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct simt_module *__real_simt_module_load(struct simt *s, const char *ptx, size_t length,
                                            const char *name, struct err *e);
struct simt_module *__real_simt_module_link(struct simt *s, const struct simt_text *texts,
                                            unsigned count, struct err *e);
bool __real_simt_run(struct simt *s, const struct simt_launch *launch,
                     struct simt_counters *counters, struct err *e);
struct simt_module *__wrap_simt_module_load(struct simt *s, const char *ptx, size_t length,
                                            const char *name, struct err *e);
struct simt_module *__wrap_simt_module_link(struct simt *s, const struct simt_text *texts,
                                            unsigned count, struct err *e);
bool __wrap_simt_run(struct simt *s, const struct simt_launch *launch,
                     struct simt_counters *counters, struct err *e);

enum { MOST_ALLOCATIONS = 256, MOST_MODULES = 64, PIECE = 256 };

static struct {
    FILE *file;
    struct simt_module *modules[MOST_MODULES];
    unsigned module_count;
    struct known {
        uint64_t begin, bytes, serial;
        unsigned char *contents; /* as the replay has them */
        bool seen;
    } known[MOST_ALLOCATIONS];
    unsigned known_count;
    struct simt *simt;
} record;

static void put(const void *bytes, size_t count) { fwrite(bytes, 1, count, record.file); }
static void put_number(uint64_t number) { put(&number, sizeof number); }

static void begin(enum record_kind kind)
{
    if (record.file == NULL) {
        const char *name = getenv("LAUNCH_RECORD");
        record.file = name != NULL ? fopen(name, "wb") : NULL;
        if (record.file == NULL) {
            fprintf(stderr, "record: LAUNCH_RECORD names no file that can be written\n");
            exit(2);
        }
    }
    put_number(kind);
}

static struct simt_module *note_module(struct simt_module *m)
{
    if (m != NULL && record.module_count < MOST_MODULES) {
        record.modules[record.module_count++] = m;
    }
    return m;
}

static void put_texts(const struct simt_text *texts, unsigned count)
{
    begin(RECORD_MODULE);
    put_number(count);
    for (unsigned i = 0; i < count; i++) {
        put_number(texts[i].length);
        put(texts[i].text, texts[i].length);
    }
}

struct simt_module *__wrap_simt_module_load(struct simt *s, const char *ptx, size_t length,
                                            const char *name, struct err *e)
{
    put_texts(&(struct simt_text){ptx, length, name}, 1);
    return note_module(__real_simt_module_load(s, ptx, length, name, e));
}

struct simt_module *__wrap_simt_module_link(struct simt *s, const struct simt_text *texts,
                                            unsigned count, struct err *e)
{
    put_texts(texts, count);
    return note_module(__real_simt_module_link(s, texts, count, e));
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Of which module a variable is; UINT32_MAX: it is an allocation. */
static uint32_t module_of(const struct allocation *a)
{
    for (uint32_t i = 0; a->name != NULL && i < record.module_count; i++) {
        uint64_t address, bytes;
        struct err e = {0};
        if (simt_module_symbol(record.modules[i], a->name, &address, &bytes, &e) &&
            address == a->begin) {
            return i;
        }
    }
    return UINT32_MAX;
}

static struct known *new_allocation(const struct allocation *a)
{
    struct known *k = NULL;
    for (unsigned i = 0; i < record.known_count; i++) {
        if (record.known[i].serial == a->serial) {
            return &record.known[i];
        }
        k = record.known[i].contents == NULL ? &record.known[i] : k;
    }
    if (k == NULL) {
        if (record.known_count == MOST_ALLOCATIONS) {
            fprintf(stderr, "record: more than %d allocations\n", MOST_ALLOCATIONS);
            exit(2);
        }
        k = &record.known[record.known_count++];
    }
    const uint32_t module = module_of(a);
    *k = (struct known){a->begin, a->bytes, a->serial, calloc(a->bytes, 1), false};
    begin(RECORD_ALLOCATION);
    put_number(a->serial);
    put_number(a->begin);
    put_number(a->bytes);
    put_number(a->kind);
    put_number(module);
    put_number(module != UINT32_MAX ? strlen(a->name) : 0);
    put(a->name, module != UINT32_MAX ? strlen(a->name) : 0);
    return k;
}

/* What has changed since it was written down: by pieces of 256 bytes, a run of which is one entry.
 */
static void visit(void *state, const struct allocation *a)
{
    (void)state;
    struct known *k = new_allocation(a);
    const unsigned char *now = (const unsigned char *)(uintptr_t)(a->begin + (uint64_t)a->delta);
    k->seen = true;
    for (uint64_t at = 0; at < a->bytes;) {
        uint64_t end = at;
        while (end < a->bytes) {
            const uint64_t piece = a->bytes - end < PIECE ? a->bytes - end : PIECE;
            if (memcmp(now + end, k->contents + end, piece) == 0) {
                break;
            }
            end += piece;
        }
        if (end > at) {
            begin(RECORD_WRITE);
            put_number(a->serial);
            put_number(at);
            put_number(end - at);
            put(now + at, end - at);
        }
        at = end + PIECE;
    }
}

static void write_memory(void)
{
    for (unsigned i = 0; i < record.known_count; i++) {
        record.known[i].seen = false;
    }
    memory_visit(simt_memory(record.simt), visit, NULL);
    for (unsigned i = 0; i < record.known_count; i++) {
        struct known *k = &record.known[i];
        if (!k->seen && k->contents != NULL) {
            begin(RECORD_FREE);
            put_number(k->serial);
            free(k->contents);
            k->contents = NULL;
            k->serial = 0;
        }
    }
}

/* Afterwards: the replay has the same contents, which the next launch is compared with. */
static void keep(void *state, const struct allocation *a)
{
    uint64_t *hash = state;
    for (unsigned i = 0; i < record.known_count; i++) {
        struct known *k = &record.known[i];
        if (k->serial == a->serial && k->contents != NULL) {
            memcpy(k->contents, (const void *)(uintptr_t)(a->begin + (uint64_t)a->delta), a->bytes);
            *hash += record_hash(k->serial, k->contents, a->bytes, simt_memory(record.simt));
        }
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

bool __wrap_simt_run(struct simt *s, const struct simt_launch *l, struct simt_counters *counters,
                     struct err *e)
{
    const char *name = simt_kernel_name(l->kernel);
    const uint64_t bytes = simt_kernel_param_bytes(l->kernel);
    uint64_t hash = 0;
    record.simt = s;
    write_memory();
    begin(RECORD_LAUNCH);
    put_number(strlen(name));
    put(name, strlen(name));
    put(&l->grid, sizeof l->grid);
    put(&l->block, sizeof l->block);
    put(&l->cluster, sizeof l->cluster);
    put_number(l->dynamic_shared_bytes);
    put_number(l->cooperative);
    put_number(bytes);
    put(l->params, bytes);
    const bool good = __real_simt_run(s, l, counters, e);
    memory_visit(simt_memory(s), keep, &hash);
    put(counters, sizeof *counters);
    put_number(hash);
    fflush(record.file);
    return good;
}
