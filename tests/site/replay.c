/* replay.c - launches that record.c has written down, run again by this build of the simulator, and
 * their counters and memory compared. In WebAssembly the caller hands over the file's bytes;
 * natively main() reads it. The answer: "N passed, N failed", a line for each failure before,
 * seconds of all launches. */
#include "tests/site/record.h"

#include "common/gpu/gpu_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ALLOCATIONS = 256, MOST_MODULES = 64, MOST_SHOWN = 10 };

static struct {
    const unsigned char *at, *end;
    struct simt *simt;
    struct simt_module *modules[MOST_MODULES];
    unsigned module_count;
    struct place {
        uint64_t serial, was, bytes, is;
        bool variable;
    } places[MOST_ALLOCATIONS];
    unsigned place_count;
    unsigned passed, failed;
    double seconds;
} replay;

static const void *take(uint64_t bytes)
{
    const void *at = replay.at;
    if (bytes > (uint64_t)(replay.end - replay.at)) {
        fprintf(stderr, "replay: the record ends within an entry\n");
        exit(2);
    }
    replay.at += bytes;
    return at;
}

static uint64_t number(void)
{
    uint64_t value;
    memcpy(&value, take(sizeof value), sizeof value);
    return value;
}

static void check(bool good, const struct err *e)
{
    if (!good) {
        fprintf(stderr, "replay: %s\n", e->text);
        exit(2);
    }
}

/* An address of the recording, where it is here; other numbers as they are. */
static uint64_t relocated(uint64_t address)
{
    for (unsigned i = 0; i < replay.place_count; i++) {
        const struct place *p = &replay.places[i];
        if (p->serial != 0 && address - p->was <= p->bytes) {
            return address - p->was + p->is;
        }
    }
    return address;
}

/* Copies bytes in which each aligned word may be an address. */
static void copy_relocated(unsigned char *to, const unsigned char *from, uint64_t bytes)
{
    memcpy(to, from, bytes);
    for (uint64_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, from + i, sizeof word);
        if (word >> 28 != 0) {
            word = relocated(word);
            memcpy(to + i, &word, sizeof word);
        }
    }
}

/* ---- entries --------------------------------------------------------------------------------- */

static void load_module(void)
{
    struct simt_text texts[64];
    struct err e = {0};
    const uint64_t count = number();
    for (uint64_t i = 0; i < count && i < 64; i++) {
        const uint64_t length = number();
        texts[i] = (struct simt_text){take(length), length, "recorded"};
    }
    struct simt_module *m = simt_module_link(replay.simt, texts, (unsigned)count, &e);
    check(m != NULL, &e);
    replay.modules[replay.module_count++ % MOST_MODULES] = m;
}

static struct place *place_of(uint64_t serial)
{
    struct place *unused = NULL;
    for (unsigned i = 0; i < replay.place_count; i++) {
        if (replay.places[i].serial == serial) {
            return &replay.places[i];
        }
        unused = replay.places[i].serial == 0 ? &replay.places[i] : unused;
    }
    return unused != NULL ? unused : &replay.places[replay.place_count++];
}

static void allocate(void)
{
    struct err e = {0};
    const uint64_t serial = number(), was = number(), bytes = number(), kind = number(),
                   module = number(), length = number();
    char name[512] = "";
    uint64_t found_bytes;
    snprintf(name, sizeof name, "%.*s", (int)length, (const char *)take(length));
    struct place *p = place_of(serial);
    *p = (struct place){serial, was, bytes, 0, module != UINT32_MAX};
    if (p->variable) {
        check(simt_module_symbol(replay.modules[module], name, &p->is, &found_bytes, &e), &e);
        return;
    }
    const struct allocation *a =
        memory_alloc(simt_memory(replay.simt), bytes, (enum memory_kind)kind, "cudaMalloc", NULL);
    check(a != NULL || err_set(&e, "no room for %llu bytes", (unsigned long long)bytes), &e);
    p->is = a->begin;
    memset(memory_host(simt_memory(replay.simt), a->begin, bytes), 0, bytes);
}

static void free_place(void)
{
    struct place *p = place_of(number());
    if (!p->variable) {
        memory_free(simt_memory(replay.simt), p->is, NULL);
    }
    p->serial = 0;
}

static void write_memory(void)
{
    const struct place *p = place_of(number());
    const uint64_t from = number(), bytes = number();
    copy_relocated(memory_host(simt_memory(replay.simt), p->is + from, bytes), take(bytes), bytes);
}

/* ---- launches -------------------------------------------------------------------------------- */

static void add_to_hash(void *state, const struct allocation *a)
{
    uint64_t *hash = state;
    for (unsigned i = 0; i < replay.place_count; i++) {
        const struct place *p = &replay.places[i];
        if (p->serial != 0 && p->is == a->begin) {
            const unsigned char *at = memory_host(simt_memory(replay.simt), p->is, a->bytes);
            *hash += record_hash(p->serial, at, a->bytes, simt_memory(replay.simt));
        }
    }
}

static bool same_counters(const char *kernel, const struct simt_counters *got,
                          const struct simt_counters *wanted)
{
    bool same = true;
#define COUNTER(field, unit, metric)                                                               \
    if (got->field != wanted->field) {                                                             \
        same = false;                                                                              \
        if (replay.failed < MOST_SHOWN) {                                                          \
            fprintf(stderr, "%s: %s %llu, natively %llu\n", kernel, #field,                        \
                    (unsigned long long)got->field, (unsigned long long)wanted->field);            \
        }                                                                                          \
    }
#include "base/counters.def"
#undef COUNTER
    return same;
}

static const struct simt_kernel *find_kernel(const char *name)
{
    struct err e = {0};
    for (unsigned i = 0; i < replay.module_count; i++) {
        struct err none = {0};
        const struct simt_kernel *k = simt_module_kernel(replay.modules[i], name, &none);
        if (k != NULL) {
            return k;
        }
        e = none.code != SIMT_NOT_FOUND ? none : e;
    }
    check(e.set ? false : err_set(&e, "no kernel %s", name), &e);
    return NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void launch(void)
{
    _Alignas(64) unsigned char params[8192];
    char name[512];
    struct simt_counters counters, wanted;
    struct err e = {0};
    const uint64_t length = number();
    snprintf(name, sizeof name, "%.*s", (int)length, (const char *)take(length));
    struct simt_launch l = {.kernel = find_kernel(name), .params = params};
    memcpy(&l.grid, take(sizeof l.grid), sizeof l.grid);
    memcpy(&l.block, take(sizeof l.block), sizeof l.block);
    memcpy(&l.cluster, take(sizeof l.cluster), sizeof l.cluster);
    l.dynamic_shared_bytes = (uint32_t)number();
    l.cooperative = number() != 0;
    const uint64_t bytes = number();
    check(bytes <= sizeof params ||
              err_set(&e, "%s has %llu bytes of parameters", name, (unsigned long long)bytes),
          &e);
    copy_relocated(params, take(bytes), bytes);
    memcpy(&wanted, take(sizeof wanted), sizeof wanted);
    const double began = now();
    const bool ran = simt_run(replay.simt, &l, &counters, &e);
    replay.seconds += now() - began;
    uint64_t hash = 0;
    memory_visit(simt_memory(replay.simt), add_to_hash, &hash);
    const bool same_memory = hash == number();
    const bool good = ran && same_counters(name, &counters, &wanted) && same_memory;
    if (!good && replay.failed < MOST_SHOWN) {
        fprintf(stderr, "FAILED: %s, launch %u: %s\n", name, replay.passed + replay.failed,
                !ran          ? e.text
                : same_memory ? "other counts"
                              : "memory differs");
    }
    replay.passed += good;
    replay.failed += !good;
}

static const char *run_all(const unsigned char *bytes, size_t length)
{
    static char answer[160];
    struct err e = {0};
    replay.at = bytes;
    replay.end = bytes + length;
    replay.simt = simt_open(gpu_limits_find("h200"), 1, &e);
    check(replay.simt != NULL, &e);
    while (replay.at < replay.end) {
        switch ((enum record_kind)number()) {
        case RECORD_MODULE:
            load_module();
            break;
        case RECORD_ALLOCATION:
            allocate();
            break;
        case RECORD_FREE:
            free_place();
            break;
        case RECORD_WRITE:
            write_memory();
            break;
        case RECORD_LAUNCH:
            launch();
            break;
        default:
            check(err_set(&e, "the record has an entry of no kind"), &e);
        }
    }
    snprintf(answer, sizeof answer, "%u passed, %u failed\n%.3f seconds\n", replay.passed,
             replay.failed, replay.seconds);
    return answer;
}

#if defined __wasm__

__attribute__((export_name("take"))) void *take_room(size_t bytes) { return malloc(bytes); }
__attribute__((export_name("replay"))) const char *replay_record(const unsigned char *bytes,
                                                                 size_t length)
{
    return run_all(bytes, length);
}

#else

int main(int count, char **arguments)
{
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "usage: replay FILE, as record.c has written it\n");
        return 2;
    }
    const size_t length = (size_t)ftell(file);
    unsigned char *bytes = malloc(length);
    rewind(file);
    if (bytes == NULL || fread(bytes, 1, length, file) != length) {
        fprintf(stderr, "replay: %s cannot be read\n", arguments[1]);
        return 2;
    }
    fputs(run_all(bytes, length), stdout);
    return replay.failed > 0;
}

#endif
