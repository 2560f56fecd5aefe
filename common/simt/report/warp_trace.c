/* warp_trace.c - see warp_trace.h.
 *
 * The chosen launch runs on one worker, so nothing is locked. The lines of each warp are collected
 * as text while its block runs, and written in the order of blocks when the launch has ended: the
 * file does not depend on the number of threads, nor on the order in which warps had their turns.
 */
#include "report/warp_trace.h"
#include "base/demangle.h"
#include "base/room.h"

#include "api/simt_last.h"
#include "machine/observer.h"
#include "report/own_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BYTES = 32 << 20, /* of lines, and as much as is reserved for the frame of each block */
    BLOCK_BYTES = 64,      /* its begin, its number and its end */
    WARP_BYTES = 96,       /* its number, its length and its EXIT */
    LINE_BYTES = 1024,     /* 32 addresses of 19 characters, and what stands before them */
    PC_STEP = 16           /* bytes of one instruction of machine code, as readers expect it */
};

struct warp_lines {
    char *text;
    size_t length, room;
    unsigned lines;
};

struct block_lines {
    uint64_t number;
    struct simt_dim index;
    unsigned warp_count, thread_count;
    struct warp_lines *warps;
};

static struct {
    char path[4096];
    const char *wanted; /* name of the kernel; NULL: any */
    uint64_t nth, seen; /* which launch of it, from 1, and how many there have been */
    enum { WAITING, RUNNING, WRITTEN, FAILED } state;
    int error; /* FAILED: errno */
    struct block_lines *blocks;
    unsigned block_count, block_room, latest;
    size_t bytes;
    uint64_t accesses, accesses_left_out, blocks_left_out;
    struct observer observer;
} trace;

/* ---- one access ------------------------------------------------------------------------------ */

/* As machine code calls such an access; NULL: it is not in the file. */
static const char *opcode_of(const struct access_event *e)
{
    static const char *const of_global[] = {
        [ACCESS_LOAD] = "LDG.E",      [ACCESS_STORE] = "STG.E",        [ACCESS_ATOMIC] = "ATOMG.E",
        [ACCESS_REDUCTION] = "RED.E", [ACCESS_COPY_READ] = "LDGSTS.E", [ACCESS_COPY_WRITE] = NULL};
    static const char *const of_shared[] = {
        [ACCESS_LOAD] = "LDS",        [ACCESS_STORE] = "STS",    [ACCESS_ATOMIC] = "ATOMS",
        [ACCESS_REDUCTION] = "ATOMS", [ACCESS_COPY_READ] = NULL, [ACCESS_COPY_WRITE] = NULL};
    switch (e->space) {
    case PTX_GLOBAL:
        return of_global[e->kind];
    case PTX_SHARED:
        return of_shared[e->kind];
    case PTX_LOCAL:
        return e->kind == ACCESS_LOAD ? "LDL" : "STL";
    default:
        return NULL;
    }
}

/* Four bytes have no suffix. */
static const char *width_of(unsigned bytes)
{
    switch (bytes) {
    case 1:
        return ".U8";
    case 2:
        return ".U16";
    case 8:
        return ".64";
    case 16:
        return ".128";
    case 32:
        return ".256";
    default:
        return "";
    }
}

/* Lanes side by side, each as far from the one before as the next: true, and how far. */
static bool has_stride(const struct access_event *e, const uint64_t *address, int64_t *stride)
{
    const unsigned first = first_lane(e->lanes), count = lanes_in(e->lanes);
    const uint64_t run = (((uint64_t)1 << count) - 1) << first;
    *stride = count > 1 ? (int64_t)(address[first + 1] - address[first]) : 0;
    if (run != e->lanes || *stride > INT32_MAX || *stride < INT32_MIN) {
        return false;
    }
    for (unsigned i = first + 1; i < first + count; i++) {
        if ((int64_t)(address[i] - address[i - 1]) != *stride) {
            return false;
        }
    }
    return true;
}

static size_t format_access(const struct access_event *e, const struct warp *w, const char *opcode,
                            char line[LINE_BYTES])
{
    uint64_t room[WARP_LANES];
    const uint64_t *address = observer_addresses(e, room);
    const char *file;
    int64_t stride;
    int n = snprintf(line, LINE_BYTES, "%u %04x %08x 0 %s%s 0 %u",
                     observer_line(w->block->kernel, e->pc, &file), e->pc * PC_STEP, e->lanes,
                     opcode, width_of(e->bytes), e->bytes);
    if (has_stride(e, address, &stride)) {
        n += snprintf(line + n, LINE_BYTES - (size_t)n, " 1 0x%" PRIx64 " %" PRId64,
                      address[first_lane(e->lanes)], stride);
    } else {
        n += snprintf(line + n, LINE_BYTES - (size_t)n, " 0");
        for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
            n += snprintf(line + n, LINE_BYTES - (size_t)n, " 0x%" PRIx64,
                          address[first_lane(left)]);
        }
    }
    n += snprintf(line + n, LINE_BYTES - (size_t)n, " 0\n");
    return (size_t)n;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Blocks that are resident together take turns: mostly it is the one of the last time. */
static struct block_lines *lines_of(const struct block *b)
{
    if (trace.latest < trace.block_count && trace.blocks[trace.latest].number == b->number) {
        return &trace.blocks[trace.latest];
    }
    for (unsigned i = trace.block_count; i-- > 0;) {
        if (trace.blocks[i].number == b->number) {
            trace.latest = i;
            return &trace.blocks[i];
        }
    }
    return NULL;
}

static void on_access(void *state, struct warp *w, const struct access_event *e)
{
    (void)state;
    char line[LINE_BYTES];
    const char *opcode = opcode_of(e);
    if (trace.state != RUNNING || opcode == NULL) {
        return;
    }
    struct block_lines *b = lines_of(w->block);
    const size_t length = b != NULL ? format_access(e, w, opcode, line) : 0;
    if (b == NULL || trace.accesses_left_out > 0 || trace.bytes + length > MOST_BYTES) {
        trace.accesses_left_out++; /* and all that follow, so that the file has no holes */
        return;
    }
    struct warp_lines *to = &b->warps[w->number];
    while (to->length + length > to->room) {
        to->room = to->room > 0 ? 2 * to->room : LINE_BYTES;
        to->text = room_resized(to->text, to->room, 1);
    }
    memcpy(to->text + to->length, line, length);
    to->length += length;
    to->lines++;
    trace.bytes += length;
    trace.accesses++;
}

static void on_block_begin(void *state, struct block *b)
{
    (void)state;
    if (trace.state != RUNNING) {
        return;
    }
    const size_t bytes = BLOCK_BYTES + (size_t)b->warp_count * WARP_BYTES;
    if (trace.accesses_left_out > 0 || trace.bytes + bytes > MOST_BYTES) {
        trace.blocks_left_out++;
        return;
    }
    trace.bytes += bytes;
    ROOM_FOR_ONE(trace.blocks, trace.block_count, trace.block_room, 64);
    trace.blocks[trace.block_count++] =
        (struct block_lines){.number = b->number,
                             .index = b->index,
                             .warp_count = b->warp_count,
                             .thread_count = b->thread_count,
                             .warps = room_new(b->warp_count, sizeof(struct warp_lines))};
}

static bool is_chosen(const struct kernel *k)
{
    char name[1024];
    if (trace.state != WAITING) {
        return false;
    }
    demangle_name(k->name, name, sizeof name);
    return (trace.wanted == NULL || strcmp(trace.wanted, name) == 0) && ++trace.seen == trace.nth;
}

static void on_launch_begin(void *state, const struct launch_event *launch)
{
    (void)state;
    const bool chosen = is_chosen(launch->kernel);
    trace.state = chosen ? RUNNING : trace.state;
    trace.observer.wants = chosen ? OBSERVE_ACCESSES : 0;
    trace.observer.serial = chosen;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* What each of our files begins with: another one is not replaced. */
static const char mark[] = "-kernel name = ";

static void write_header(FILE *out, const struct launch_event *l)
{
    char name[1024];
    const struct simt_dim g = l->launch->grid, b = l->launch->block;
    const struct ptx_target target = l->kernel->module->target;
    const char suffix[2] = {target.suffix, '\0'};
    demangle_name(l->kernel->name, name, sizeof name);
    fprintf(out, "%s%s\n-kernel id = %" PRIu32 "\n", mark, name, l->grid_id);
    fprintf(out, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", g.x, g.y, g.z, b.x, b.y, b.z);
    fprintf(out, "-shmem = %u\n-nregs = 0\n-binary version = %u%s\n-cuda stream id = 0\n",
            l->kernel->static_shared_bytes + l->launch->dynamic_shared_bytes, target.arch, suffix);
    fprintf(out, "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64 "\n",
            WINDOW_BASE(WINDOW_SHARED), WINDOW_BASE(WINDOW_LOCAL));
    fprintf(out, "-nvbit version = none\n-accelsim tracer version = 5\n-enable lineinfo = 1\n");
    fprintf(out, "-accesses = %" PRIu64 "\n-accesses left out = %" PRIu64 "\n", trace.accesses,
            trace.accesses_left_out);
    fprintf(out, "\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num "
                 "[reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n");
}

static void write_block(FILE *out, const struct block_lines *b, unsigned exit_pc)
{
    fprintf(out, "\n#BEGIN_TB\n\nthread block = %u,%u,%u\n", b->index.x, b->index.y, b->index.z);
    for (unsigned i = 0; i < b->warp_count; i++) {
        const struct warp_lines *w = &b->warps[i];
        const unsigned left = b->thread_count - i * WARP_LANES;
        const lane_mask lanes = left < WARP_LANES ? ((lane_mask)1 << left) - 1 : ~(lane_mask)0;
        fprintf(out, "\nwarp = %u\ninsts = %u\n", i, w->lines + 1);
        if (w->length > 0) {
            fwrite(w->text, 1, w->length, out);
        }
        fprintf(out, "0 %04x %08x 0 EXIT 0 0 0\n", exit_pc, lanes);
    }
    fprintf(out, "\n#END_TB\n");
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = ((const struct block_lines *)a)->number;
    const uint64_t y = ((const struct block_lines *)b)->number;
    return (x > y) - (x < y);
}

static void forget_blocks(void)
{
    for (unsigned i = 0; i < trace.block_count; i++) {
        for (unsigned k = 0; k < trace.blocks[i].warp_count; k++) {
            free(trace.blocks[i].warps[k].text);
        }
        free(trace.blocks[i].warps);
    }
    free(trace.blocks);
    trace.blocks = NULL;
    trace.block_count = trace.block_room = 0;
}

static void say_what_is_missing(void)
{
    if (trace.accesses_left_out > 0 || trace.blocks_left_out > 0) {
        fflush(stdout);
        fprintf(stderr,
                "simt: SIMT_REPORT=%.300s: the trace is full at %d MB: it holds %" PRIu64
                " accesses, %" PRIu64 " are left out; launch a smaller grid\n",
                trace.path, MOST_BYTES >> 20, trace.accesses, trace.accesses_left_out);
    }
}

static void on_launch_end(void *state, const struct launch_event *launch)
{
    (void)state;
    if (trace.state != RUNNING) {
        return;
    }
    FILE *out = fopen(trace.path, "w");
    if (trace.block_count > 0) {
        qsort(trace.blocks, trace.block_count, sizeof *trace.blocks, by_number);
    }
    if (out != NULL) {
        write_header(out, launch);
    }
    for (unsigned i = 0; out != NULL && i < trace.block_count; i++) {
        write_block(out, &trace.blocks[i], launch->kernel->code_count * PC_STEP);
    }
    const bool bad = out == NULL || ferror(out) != 0;
    const bool closed = out == NULL || fclose(out) == 0;
    trace.error = !bad && closed ? 0 : errno != 0 ? errno : EIO;
    trace.state = trace.error == 0 ? WRITTEN : FAILED;
    say_what_is_missing();
    forget_blocks();
}

/* A report that did not arrive is no success. */
static void make_sure(void)
{
    if (trace.state == WRITTEN) {
        return;
    }
    fflush(stdout);
    fprintf(stderr, "simt: SIMT_REPORT=%.300s: the trace was not written: ", trace.path);
    if (trace.state == FAILED) {
        fprintf(stderr, "%s\n", strerror(trace.error));
    } else if (trace.wanted == NULL) {
        fprintf(stderr, "no kernel was launched\n");
    } else if (trace.seen == 0) {
        fprintf(stderr,
                "no kernel that was launched is called %.300s; SIMT_REPORT=- lists their names\n",
                trace.wanted);
    } else {
        fprintf(stderr,
                "launch %" PRIu64 " of %.300s was asked for, the last one was number %" PRIu64 "\n",
                trace.nth, trace.wanted, trace.seen);
    }
    _Exit(2);
}

/* ---- what report.c calls --------------------------------------------------------------------- */

/* Behind ".traceg"; NULL: that is not in it, or something else follows than a kernel's name. */
static const char *behind_suffix(const char *destination)
{
    static const char suffix[] = ".traceg";
    const char *at = strstr(destination, suffix);
    while (at != NULL && at[sizeof suffix - 1] != '\0' && at[sizeof suffix - 1] != ':') {
        at = strstr(at + 1, suffix);
    }
    return at != NULL ? at + sizeof suffix - 1 : NULL;
}

bool warp_trace_wanted(const char *destination) { return behind_suffix(destination) != NULL; }

/* KERNEL or KERNEL,N; "reduce<float, 256>" has a comma of its own. */
static bool read_choice(const char *choice, struct err *e)
{
    char *name = room_text(choice), *comma = strrchr(name, ',');
    trace.nth = 1;
    if (comma != NULL && comma[1] != '\0' && strspn(comma + 1, "0123456789") == strlen(comma + 1)) {
        *comma = '\0';
        trace.nth = strtoull(comma + 1, NULL, 10);
    }
    trace.wanted = name;
    return (name[0] != '\0' && trace.nth > 0) ||
           err_set(e, "SIMT_REPORT: behind .traceg: stands the name of a kernel, and where another "
                      "launch of it than the first is meant, a comma and its number from 1: "
                      "FILE.traceg:KERNEL,2");
}

bool warp_trace_open(const char *destination, struct err *e)
{
    const char *end = behind_suffix(destination);
    const int length = (int)(end - destination);
    if (snprintf(trace.path, sizeof trace.path, "%.*s", length, destination) >=
        (int)sizeof trace.path) {
        return err_set(e, "SIMT_REPORT: the file's name is too long");
    }
    trace.nth = 1;
    if ((*end == ':' && !read_choice(end + 1, e)) ||
        !own_file_may_be_written(trace.path, mark, "trace of accesses", e)) {
        return false;
    }
    atexit(make_sure);
    trace.observer = (struct observer){.launch_begin = on_launch_begin,
                                       .launch_end = on_launch_end,
                                       .block_begin = on_block_begin,
                                       .access = on_access};
    return simt_observe_runtime(&trace.observer) ||
           err_set(e, "SIMT_REPORT: too many others observe the launches");
}
