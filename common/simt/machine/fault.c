/* fault.c - turns a fault of a running kernel into one line that names kernel, source line, thread
 * and block, and for a wrong address the allocation next to it. Slow on purpose: it runs once. */
#include "base/demangle.h"
#include "base/describe.h"
#include "machine/observer.h"
#include "machine/turn.h"
#include "machine/warp.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No program misses by so much but by an index that overflowed. */
#define FAR_AWAY ((uint64_t)1 << 30)

static pthread_mutex_t first_fault = PTHREAD_MUTEX_INITIALIZER;

void fault_line(const struct kernel *k, const struct insn *in, char *text, size_t size)
{
    const struct ptx_insn *origin = k->origin[in - k->code];
    text[0] = '\0';
    if (origin == NULL) {
        return;
    }
    const uint32_t pc = (uint32_t)(in - k->code);
    const char *file;
    unsigned line = observer_line(k, pc, &file);
    const bool is_near = file == NULL;
    if (is_near) {
        line = observer_near_line(k, pc, &file);
    }
    if (file != NULL) {
        const char *slash = strrchr(file, '/');
        char callers[128] = "";
        if (!is_near) {
            observer_callers(k, pc, callers, sizeof callers);
        }
        snprintf(text, size, " %s %s:%u%s", is_near ? "near" : "at",
                 slash != NULL ? slash + 1 : file, line, callers);
    } else {
        snprintf(text, size, " at line %u of its PTX (%s)", origin->text_line, origin->op_name);
    }
}

static void where(const struct warp *w, const struct insn *in, unsigned lane, char *text,
                  size_t size)
{
    const struct block *b = w->block;
    char kernel[256], line[256];
    demangle_signature(b->kernel->name, kernel, sizeof kernel);
    fault_line(b->kernel, in, line, sizeof line);
    snprintf(text, size, "kernel %s%s, block (%u,%u,%u), thread (%u,%u,%u)", kernel, line,
             b->index.x, b->index.y, b->index.z, w->special[SPECIAL_TID_X][lane],
             w->special[SPECIAL_TID_Y][lane], w->special[SPECIAL_TID_Z][lane]);
}

/* what: of the fault, without its text, which is made here. */
static const struct insn *end_launch(struct warp *w, const struct insn *in, enum simt_error code,
                                     struct fault_event what, const char *words)
{
    char position[640];
    struct err *e = w->block->fault;
    where(w, in, what.lane, position, sizeof position);
    if (!turn_has_come(w->block)) { /* the launch was stopped: this fault is of no account */
        atomic_store(w->block->stop, true);
        return NULL;
    }
    pthread_mutex_lock(&first_fault);
    if (!e->set) {
        err_set_code(e, (int)code, "%s: %s", position, words);
        what.pc = (uint32_t)(in - w->block->kernel->code);
        what.text = e->text;
        if (w->block->observers != NULL) {
            OBSERVE(w->block->observers, fault, w, &what);
        }
    }
    pthread_mutex_unlock(&first_fault);
    atomic_store(w->block->stop, true);
    return NULL;
}

void fault_without_place(struct err *e, enum simt_error code, const char *words)
{
    pthread_mutex_lock(&first_fault);
    if (!e->set) {
        err_set_code(e, (int)code, "%s", words);
    }
    pthread_mutex_unlock(&first_fault);
}

const struct insn *fault(struct warp *w, const struct insn *in, unsigned lane, enum simt_error code,
                         const char *format, ...)
{
    char what[640];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return end_launch(w, in, code, (struct fault_event){.lane = lane}, what);
}

static void made_where(const struct allocation *a, char *text, size_t size)
{
    char line[256] = "", name[256];
    if (a->made_at != NULL) {
        simt_describe_address(a->made_at, line, sizeof line);
    }
    demangle_name(a->name != NULL ? a->name : "memory", name, sizeof name);
    snprintf(text, size, "%s%s%s", name, line[0] != '\0' ? ", made at " : "", line);
}

void fault_place(struct memory *m, uint64_t address, char *text, size_t size)
{
    char made[320];
    const struct allocation *a = memory_find(m, address);
    if (a == NULL) {
        snprintf(text, size, "0x%" PRIx64, address);
        return;
    }
    made_where(a, made, sizeof made);
    snprintf(text, size, "byte %" PRIu64 " of the %" PRIu64 " bytes at 0x%" PRIx64 " (%s)",
             address - a->begin, a->bytes, a->begin, made);
}

/* "4 bytes behind the end of the 400 bytes at 0x7f.. (cudaMalloc, made at scale.cu:30)" */
static void relation(const struct allocation *a, uint64_t address, char *text, size_t size)
{
    char made[320];
    uint64_t end = a->begin + a->bytes;
    made_where(a, made, sizeof made);
    if (address >= a->begin && address < end) {
        snprintf(text, size,
                 "it starts inside the allocation of %" PRIu64 " bytes at 0x%" PRIx64
                 " (%s) but ends outside",
                 a->bytes, a->begin, made);
    } else if (address == end) {
        snprintf(text, size,
                 "that is right behind the end of the nearest allocation, %" PRIu64
                 " bytes at 0x%" PRIx64 " (%s)",
                 a->bytes, a->begin, made);
    } else {
        const bool behind = address >= end;
        const uint64_t away = behind ? address - end : a->begin - address;
        const char *where = behind ? "behind the end of" : "before the start of";
        const char *why = "";
        if (away >= FAR_AWAY) {
            why = "; so far away, an int index may have overflowed: compute it as size_t";
        }
        snprintf(text, size,
                 "that is %" PRIu64 " byte%s %s the nearest allocation, %" PRIu64
                 " bytes at 0x%" PRIx64 " (%s)%s",
                 away, away == 1 ? "" : "s", where, a->bytes, a->begin, made, why);
    }
}

static void freed_where(const struct allocation *a, char *text, size_t size)
{
    char made[320], line[128] = "";
    made_where(a, made, sizeof made);
    if (a->freed_at != NULL) {
        simt_describe_address(a->freed_at, line, sizeof line);
    }
    snprintf(text, size,
             "use after free: it lies in an allocation of %" PRIu64
             " bytes (%s) that was freed%s%s",
             a->bytes, made, line[0] != '\0' ? " at " : "", line);
}

/* Below the first address that Linux gives a program's code, there is only null and an index. */
enum { NULL_AND_INDEX = 1 << 22 };
#define INDEX_FROM_NULL (UINT64_C(1) << 32) /* of a pointer that is known to have been null */
/* As far as an int can be wrong as an index of doubles, and of pairs of them. */
static const uint64_t near_bytes = UINT64_C(32) << 30;

/* A null pointer: what malloc() gives where the heap is full, perhaps. */
static void null_pointer(struct memory *m, uint64_t address, char *text, size_t size)
{
    const uint64_t heap = memory_full_heap(m);
    int length =
        snprintf(text, size, "it is a null pointer%s", address != 0 ? " plus an offset" : "");
    if (heap != 0) {
        snprintf(
            text + length, size - (size_t)length,
            "; malloc() in a kernel has returned NULL, since the heap of kernels holds %" PRIu64
            " bytes: free() what is not needed, or cudaDeviceSetLimit(cudaLimitMallocHeapSize, "
            "...) before the first launch",
            heap);
    }
}

/* An address that is nowhere: in a window of its own, perhaps, or an index far from a null pointer
 * of malloc(). */
static void nowhere(struct memory *m, uint64_t address, char *text, size_t size)
{
    const uint64_t window = address >> WINDOW_SHIFT;
    if (window == WINDOW_SHARED || window == WINDOW_LOCAL) {
        snprintf(text, size, "it is no device address but one of %s",
                 window == WINDOW_SHARED
                     ? "__shared__ memory, which threads of its own block reach while it runs"
                     : "a local variable, which its own thread reaches while its function runs");
    } else if (address < INDEX_FROM_NULL && memory_full_heap(m) != 0) {
        null_pointer(m, address, text, size);
    } else {
        snprintf(text, size, "it is no device address");
    }
}

static void explain_address(struct memory *m, uint64_t address, char *text, size_t size)
{
    const struct allocation *freed = memory_find_freed(m, address);
    const struct allocation *near = memory_nearest(m, address);
    if (address < NULL_AND_INDEX) {
        null_pointer(m, address, text, size);
    } else if (freed != NULL && memory_find(m, address) == NULL) {
        freed_where(freed, text, size);
    } else if (memory_is_former(m, address)) {
        snprintf(text, size, "use after free: it lies in memory that cudaDeviceReset() has freed");
    } else if (memory_is_mine(m, address)) {
        if (near != NULL) {
            relation(near, address, text, size);
        } else {
            snprintf(text, size, "no device memory is allocated");
        }
    } else if (memory_is_strange(m, address, text, size)) {
        return;
    } else if (memory_on_host(address, 1) > 0) {
        snprintf(text, size,
                 "it is no device address but the host's: a kernel reads and writes memory of "
                 "cudaMalloc or its relatives, and __device__ variables");
    } else if (near != NULL && memory_distance(near, address) < near_bytes) {
        relation(near, address, text, size);
    } else {
        nowhere(m, address, text, size);
    }
}

const struct insn *fault_address(struct warp *w, const struct insn *in, unsigned lane,
                                 const char *what, uint64_t address, unsigned bytes)
{
    char detail[640], text[800];
    explain_address(w->block->memory, address, detail, sizeof detail);
    snprintf(text, sizeof text, "%s of %u byte%s at 0x%" PRIx64 " is out of bounds: %s", what,
             bytes, bytes == 1 ? "" : "s", address, detail);
    return end_launch(
        w, in, SIMT_ILLEGAL_ADDRESS,
        (struct fault_event){.lane = lane, .has_address = true, .address = address, .bytes = bytes},
        text);
}
