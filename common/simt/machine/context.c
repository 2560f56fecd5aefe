/* context.c - what one block needs while it runs: registers, shared and local memory. Kept from
 * block to block and from launch to launch while it is large enough. */
#include "machine/worker.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SLICE = 250,             /* warp instructions before another warp goes on */
    TURN = 10000,            /* of a warp, on the average, before another block has its turn */
    TURN_COOPERATIVE = 2000, /* blocks of such a grid wait for each other again and again */
    /* Behind the registers of a warp: five cache lines, so that the same register of the next warp
     * is in another set of the cache, also where frames are as long as a power of two. */
    WARP_GAP_BYTES = 320,
    RECURSION_FRAMES = 1 << 23 /* bytes of register frames of a warp that may recurse */
};

static void unmap_room(void *room, size_t bytes)
{
    if (room != NULL) {
        gaps_open(room, bytes);
        munmap(room, bytes);
    }
}

static void *map_room(void *old, size_t *room, size_t bytes)
{
    if (bytes <= *room) {
        gaps_open(old, *room);
        return old;
    }
    unmap_room(old, *room);
    *room = align_up(bytes, 1 << 16);
    void *p = mmap(NULL, *room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED) {
        *room = 0;
        return NULL;
    }
    return p;
}

static void room_for_warps(struct context *c, unsigned count)
{
    if (count <= c->warp_room) {
        return;
    }
    for (unsigned i = 0; i < c->warp_room; i++) {
        warp_free(&c->warps[i]);
    }
    free(c->warps);
    memset(&c->shape, 0, sizeof c->shape);
    c->warps = room_aligned(count, sizeof *c->warps);
    c->warp_room = count;
}

/* What the launch, the kernel and the settings say of every block. */
static void describe_block(struct block *b, struct launch_job *job, struct worker *worker,
                           atomic_bool *stop)
{
    const struct kernel *k = job->kernel;
    const struct simt_launch *l = job->launch;
    *b = (struct block){.output = job->settings->output,
                        .printed = job->settings->printed,
                        .memory = job->settings->memory,
                        .kernel = k,
                        .launch = l,
                        .params = l->params,
                        .sm_count = job->settings->sm_count,
                        .grid_id = job->settings->grid_id,
                        .workspace = job->settings->workspace,
                        .observers = job->settings->observers,
                        .repeats = worker->repeats,
                        .in_turn = job->turn,
                        .worker = worker->number,
                        .frees = memory_frees(job->settings->memory),
                        .frees_seen = &worker->frees_seen,
                        .allow_exited = job->settings->allow_exited,
                        .poison_shuffles = job->settings->poison_shuffles,
                        .max_instructions = job->settings->max_instructions,
                        .slice = SLICE,
                        .turn = l->cooperative ? TURN_COOPERATIVE : TURN,
                        .fault = job->fault,
                        .stop = job->turn != NULL ? stop : &job->stop};
    b->thread_count = l->block.x * l->block.y * l->block.z;
    b->warp_count = (b->thread_count + WARP_LANES - 1) / WARP_LANES;
    b->shared_bytes = l->dynamic_shared_bytes > 0
                          ? k->dynamic_shared_offset + l->dynamic_shared_bytes
                          : k->static_shared_bytes;
    b->reserved_offset = (uint32_t)align_up(b->shared_bytes, 16);
    if (k->uses_reserved) {
        b->shared_bytes = b->reserved_offset + RESERVED_SHARED_BYTES;
    }
    b->stack_limit = k->recursive        ? RECURSION_FRAMES
                     : k->func_count > 1 ? WARP_LANES * k->stack_bytes
                                         : k->stack_bytes;
    const uint32_t stack = (uint32_t)align_up(job->settings->stack_bytes, 16);
    b->stack_bytes = k->uses_stack ? stack : 0;
    b->local_stride =
        b->stack_bytes + (uint32_t)align_up(k->local_bytes, 16) + (k->recursive ? stack : 0);
}

/* What a warp's lanes may touch of its local memory and of its registers, and nothing else. */
static void close_gaps(struct context *c, size_t stack, size_t local)
{
    const struct block *b = &c->block;
    for (unsigned i = 0; i < b->warp_count && GAP_BYTES > 0; i++) {
        const struct warp *w = &c->warps[i];
        gap_close(w->stack + b->stack_limit, stack - b->stack_limit);
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            gap_close(warp_local(w, lane) + b->local_stride, GAP_BYTES);
        }
    }
    const size_t stacks = stack * b->warp_count, locals = local * b->warp_count;
    gap_close(c->registers + stacks, c->register_room - stacks);
    gap_close(c->local + locals, c->local_room - locals);
    gap_close(c->shared + b->shared_bytes, c->shared_room - b->shared_bytes);
}

static bool same_dim(const struct simt_dim *a, const struct simt_dim *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

/* Is the launch of another shape than the one before? It is remembered. */
static bool new_shape(struct context *c)
{
    const struct block *b = &c->block;
    const struct launch_shape shape = {.block = b->launch->block,
                                       .grid = b->launch->grid,
                                       .sm_count = b->sm_count,
                                       .dynamic_shared_bytes = b->launch->dynamic_shared_bytes,
                                       .shared_bytes = b->shared_bytes,
                                       .reserved_offset = b->reserved_offset,
                                       .workspace = b->workspace};
    const struct launch_shape *last = &c->shape;
    const bool is_same =
        same_dim(&shape.block, &last->block) && same_dim(&shape.grid, &last->grid) &&
        shape.sm_count == last->sm_count &&
        shape.dynamic_shared_bytes == last->dynamic_shared_bytes &&
        shape.shared_bytes == last->shared_bytes &&
        shape.reserved_offset == last->reserved_offset && shape.workspace == last->workspace;
    if (!is_same) {
        c->shape = shape;
    }
    return !is_same;
}

bool context_prepare(struct context *c, struct launch_job *job, struct worker *worker)
{
    struct block *b = &c->block;
    describe_block(b, job, worker, &c->stop);
    size_t stack = align_up(b->stack_limit, 64) + WARP_GAP_BYTES;
    size_t local = ((size_t)b->local_stride + GAP_BYTES) * WARP_LANES;
    c->registers = map_room(c->registers, &c->register_room, stack * b->warp_count);
    c->shared = map_room(c->shared, &c->shared_room, b->shared_bytes + 64u);
    c->local = map_room(c->local, &c->local_room, local * b->warp_count + 64u);
    if (c->registers == NULL || c->shared == NULL || c->local == NULL) {
        return false;
    }
    room_for_warps(c, b->warp_count);
    b->warps = c->warps;
    b->shared = c->shared;
    const bool is_new = new_shape(c);
    const struct kernel *const *copies = job->settings->copies;
    c->kernel = copies != NULL ? copies[worker->number] : job->kernel;
    for (unsigned i = 0; i < b->warp_count; i++) {
        struct warp *w = &c->warps[i];
        w->stack = c->registers + i * stack;
        w->local = c->local + i * local;
        w->sites = worker->sites;
        w->patterns = worker->patterns;
        w->kept = worker->kept;
        w->base[REF_FRAME] = w->stack;
        w->base[REF_SPECIAL] = (uint8_t *)w->special;
        w->base[REF_CONST] = job->kernel->constants;
        warp_prepare(w, b, i);
        if (is_new) {
            warp_shape(w, b, i);
        }
    }
    close_gaps(c, stack, local);
    return true;
}

void context_free(struct context *c)
{
    for (unsigned i = 0; i < c->warp_room; i++) {
        warp_free(&c->warps[i]);
    }
    free(c->warps);
    unmap_room(c->registers, c->register_room);
    unmap_room(c->shared, c->shared_room);
    unmap_room(c->local, c->local_room);
    free(c);
}
