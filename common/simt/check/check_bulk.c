/* check_bulk.c - shared memory that the bulk engine fills and reads beside the block's threads: the
 * asynchronous proxy.
 *
 * Each word remembers the copy that fills it, until some thread has seen the end of the phase of
 * its mbarrier; the copy or the product (wgmma) that reads it, until its thread or warp has waited
 * for the group, or some thread has seen the end of the phase in which the copy
 * arrives elsewhere; and the thread that wrote it last. Blocks of a cluster copy into each other's
 * memory, and touch it there. Steps count the block's events, so that "behind" has a meaning:
 * nothing is reported that could not have been too early. */
#include "check/check_state.h"

#include "base/demangle.h"
#include "base/room.h"
#include "watch/describe_access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4, NOBODY = 0xffffffffu };

/* Who tells that a word has been read: the reader's group of copies, its group of products (wgmma;
 * the reader is the first thread of its warp), or the mbarrier where the copy arrives (`group`, of
 * the block of rank `reader`). */
enum read_until { UNTIL_COPIED, UNTIL_MULTIPLIED, UNTIL_ARRIVED };

struct bulk_word {
    uint64_t filled, read, written; /* steps; 0: none */
    uint32_t fill_pc, read_pc, write_pc;
    uint8_t until, until_phase;
    uint32_t reader, writer; /* threads */
    uint32_t group;          /* of the copy that reads it */
    uint32_t mbarrier;
    uint8_t phase;
};

struct bulk_state {
    struct bulk_word *words;
    uint32_t word_count;
    uint64_t step;
    uint64_t *fenced;    /* per thread: the step of its last fence.proxy.async */
    uint32_t *committed; /* per thread: groups of its copies */
    uint32_t *products;  /* the same of products; of a warp's first thread */
    uint32_t thread_count;
    bool sends; /* some word is read until its copy arrives */
};

void bulk_block_begin(struct checked_block *own, const struct block *b)
{
    struct bulk_state *s = own->bulk;
    if (!b->kernel->shares_memory && !b->kernel->multiplies_shared) {
        bulk_block_free(own);
        return;
    }
    if (s == NULL) {
        s = own->bulk = room_new(1, sizeof *s);
    }
    s->word_count = (b->shared_bytes + WORD - 1) / WORD;
    s->thread_count = b->thread_count;
    s->step = 1;
    s->sends = false;
    s->words = room_resized(s->words, s->word_count + 1, sizeof *s->words);
    s->fenced = room_resized(s->fenced, s->thread_count, sizeof *s->fenced);
    s->committed = room_resized(s->committed, s->thread_count, sizeof *s->committed);
    s->products = room_resized(s->products, s->thread_count, sizeof *s->products);
    memset(s->words, 0, (s->word_count + 1) * sizeof *s->words);
    memset(s->fenced, 0, s->thread_count * sizeof *s->fenced);
    memset(s->committed, 0, s->thread_count * sizeof *s->committed);
    memset(s->products, 0, s->thread_count * sizeof *s->products);
}

void bulk_block_free(struct checked_block *own)
{
    if (own->bulk != NULL) {
        free(own->bulk->words);
        free(own->bulk->fenced);
        free(own->bulk->committed);
        free(own->bulk->products);
        free(own->bulk);
        own->bulk = NULL;
    }
}

/* --- findings --------------------------------------------------------------------------------- */

enum bulk_mistake {
    READ_TOO_EARLY,
    WRITTEN_WHILE_FILLED,
    WRITTEN_WHILE_READ,
    WRITTEN_WHILE_SENT,
    NOT_FENCED,
    MULTIPLIED_TOO_EARLY,
    WRITTEN_WHILE_MULTIPLIED,
    FILLED_WHILE_MULTIPLIED,
    FILLED_TWICE,
    NOT_FENCED_FOR_PRODUCT
};

static const struct {
    const char *deed, *copy, *why, *cure;
} mistakes[] = {
    [READ_TOO_EARLY] = {"read", "filled by a bulk copy",
                        "no thread has seen the end of the phase in which the copy completes",
                        "mbarrier.try_wait for that phase, before the data is used"},
    [WRITTEN_WHILE_FILLED] = {"written", "filled by a bulk copy",
                              "no thread has seen the end of the phase in which the copy completes",
                              "mbarrier.try_wait for that phase, before the array is used again"},
    [WRITTEN_WHILE_READ] =
        {"written", "read by a bulk copy", "the copy may still be reading it",
         "cp.async.bulk.wait_group.read by the thread that made the copy, then a "
         "barrier"},
    [WRITTEN_WHILE_SENT] =
        {"written", "read by a bulk copy to shared memory",
         "no thread has seen the end of the phase in which the copy completes",
         "where the copy arrives mbarrier.try_wait for that phase, then barrier.cluster or an "
         "arrival at an mbarrier of this block"},
    [NOT_FENCED] =
        {"written", "read by a bulk copy", "the copy engine need not see what threads have stored",
         "fence.proxy.async.shared::cta behind the store, then a barrier, then the copy"},
    [MULTIPLIED_TOO_EARLY] = {"read by wgmma", "filled by a bulk copy",
                              "no thread has seen the end of the phase in which the copy completes",
                              "mbarrier.try_wait for that phase, before wgmma.mma_async"},
    [WRITTEN_WHILE_MULTIPLIED] = {"written", "read by wgmma", "the product may still be reading it",
                                  "wgmma.commit_group and wgmma.wait_group by the warps that "
                                  "multiply, then a barrier, then the store"},
    [FILLED_WHILE_MULTIPLIED] = {"filled by a bulk copy", "read by wgmma",
                                 "the product may still be reading it",
                                 "wgmma.commit_group and wgmma.wait_group by the warps that "
                                 "multiply, then a barrier, then the copy"},
    [FILLED_TWICE] = {"filled by a bulk copy", "filled by a bulk copy",
                      "no thread has seen the end of the phase in which the first one completes, "
                      "so nobody can have used what it brings",
                      "before the second copy a wait for those that use the array: they arrive at "
                      "an mbarrier of their own when they have read it"},
    [NOT_FENCED_FOR_PRODUCT] = {"written", "read by wgmma",
                                "tensor cores need not see what threads have stored",
                                "fence.proxy.async.shared::cta behind the store, then a barrier, "
                                "then wgmma.mma_async"}};

static void report(struct check *c, const struct warp *w, enum bulk_mistake what, uint64_t offset,
                   uint32_t thread_pc, uint32_t thread, uint32_t copy_pc)
{
    const struct kernel *k = c->launch.kernel;
    const uint64_t key = k->serial << 8 | 0x80u | (uint64_t)what;
    if (findings_count(c->findings, key, thread_pc, copy_pc)) {
        return;
    }
    char kernel[256], array[448], line[256], copy_line[256], who[96], identity[1024], text[2048];
    demangle_signature(k->name, kernel, sizeof kernel);
    describe_line_of(k, thread_pc, line, sizeof line);
    describe_line_of(k, copy_pc, copy_line, sizeof copy_line);
    describe_array(&c->launch, PTX_SHARED, offset, array, sizeof array);
    describe_thread(c->launch.launch, (uint32_t)w->block->number, thread, who, sizeof who);
    snprintf(identity, sizeof identity, "bulk %s|%s|%s|%d", kernel, line, copy_line, (int)what);
    snprintf(text, sizeof text,
             "simt: race in kernel %s: %s: %s at %s by %s, %s at %s: %s. Cure: %s", kernel, array,
             mistakes[what].deed, line, who, mistakes[what].copy, copy_line, mistakes[what].why,
             mistakes[what].cure);
    findings_add(c->findings, key, thread_pc, copy_pc, identity, text);
}

/* --- what threads do -------------------------------------------------------------------------- */

static void thread_touches(struct check *c, struct bulk_state *s, const struct warp *w,
                           const struct access_event *e, unsigned lane, struct bulk_word *word,
                           bool from_afar)
{
    const uint32_t thread = w->number * WARP_LANES + lane;
    const uint64_t offset = (uint64_t)(word - s->words) * WORD;
    const bool writes = e->kind != ACCESS_LOAD;
    if (word->filled != 0) {
        report(c, w, writes ? WRITTEN_WHILE_FILLED : READ_TOO_EARLY, offset, e->pc, thread,
               word->fill_pc);
    }
    if (writes && word->read != 0) {
        static const enum bulk_mistake mistake_of[] = {[UNTIL_COPIED] = WRITTEN_WHILE_READ,
                                                       [UNTIL_MULTIPLIED] =
                                                           WRITTEN_WHILE_MULTIPLIED,
                                                       [UNTIL_ARRIVED] = WRITTEN_WHILE_SENT};
        report(c, w, mistake_of[word->until], offset, e->pc, thread, word->read_pc);
    }
    if (writes && !from_afar) { /* fences are counted for the block's own threads */
        word->written = s->step;
        word->write_pc = e->pc;
        word->writer = thread;
    }
}

void bulk_access(struct check *c, struct checked_block *owner, const struct warp *w,
                 const struct access_event *e)
{
    struct bulk_state *s = owner->bulk;
    uint64_t room[WARP_LANES];
    if (s == NULL || e->space != PTX_SHARED) {
        return;
    }
    const bool from_afar = owner->block != w->block;
    const uint64_t *address = observer_addresses(e, room);
    s->step++;
    for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        for (uint64_t at = address[lane] / WORD;
             at < (address[lane] + e->bytes + WORD - 1) / WORD && at < s->word_count; at++) {
            thread_touches(c, s, w, e, lane, &s->words[at], from_afar);
        }
    }
}

void bulk_fence(struct checked_block *own, const struct warp *w, lane_mask lanes)
{
    struct bulk_state *s = own->bulk;
    if (s != NULL) {
        s->step++;
        for (; lanes != 0; lanes &= lanes - 1) {
            s->fenced[w->number * WARP_LANES + first_lane(lanes)] = s->step;
        }
    }
}

void bulk_arrived(struct checked_block *sender, uint32_t rank, uint64_t mbarrier, unsigned phase)
{
    struct bulk_state *s = sender->bulk;
    for (uint32_t i = 0; s != NULL && s->sends && i < s->word_count; i++) {
        struct bulk_word *word = &s->words[i];
        if (word->read != 0 && word->until == UNTIL_ARRIVED && word->reader == rank &&
            word->group == mbarrier && word->until_phase == phase) {
            word->read = 0;
        }
    }
}

void bulk_passed(struct checked_block *own, uint64_t mbarrier, unsigned phase)
{
    struct bulk_state *s = own->bulk;
    for (uint32_t i = 0; s != NULL && i < s->word_count; i++) {
        struct bulk_word *word = &s->words[i];
        if (word->filled != 0 && word->mbarrier == mbarrier && word->phase == phase) {
            word->filled = 0;
        }
    }
}

/* --- what copies do --------------------------------------------------------------------------- */

static bool is_unfenced(const struct bulk_state *s, const struct bulk_word *word, uint32_t reader)
{
    return word->written > s->fenced[word->writer] && word->written > s->fenced[reader];
}

static void copy_reads(struct check *c, struct bulk_state *s, const struct warp *w, uint32_t pc,
                       uint32_t thread, const struct bulk_event *e)
{
    for (uint64_t at = e->offset / WORD; at < (e->offset + e->bytes) / WORD; at++) {
        struct bulk_word *word = &s->words[at];
        if (is_unfenced(s, word, thread)) {
            report(c, w, NOT_FENCED, at * WORD, word->write_pc, word->writer, pc);
        }
        if (e->in_group || e->notified != NULL) {
            word->read = s->step;
            word->read_pc = pc;
            word->until = e->in_group ? UNTIL_COPIED : UNTIL_ARRIVED;
            word->reader = e->in_group ? thread : e->notified->rank;
            word->group = e->in_group ? s->committed[thread] : (uint32_t)e->mbarrier;
            word->until_phase = (uint8_t)e->phase;
            s->sends |= !e->in_group;
        }
    }
}

static void product_reads(struct check *c, struct bulk_state *s, const struct warp *w, uint32_t pc,
                          uint32_t thread, const struct bulk_event *e)
{
    for (uint64_t at = e->offset / WORD; at < (e->offset + e->bytes) / WORD; at++) {
        struct bulk_word *word = &s->words[at];
        if (is_unfenced(s, word, thread)) {
            report(c, w, NOT_FENCED_FOR_PRODUCT, at * WORD, word->write_pc, word->writer, pc);
        }
        if (word->filled != 0) {
            report(c, w, MULTIPLIED_TOO_EARLY, at * WORD, pc, thread, word->fill_pc);
        }
        word->read = s->step;
        word->read_pc = pc;
        word->until = UNTIL_MULTIPLIED;
        word->reader = thread;
        word->group = s->products[thread];
    }
}

static void copy_fills(struct check *c, struct bulk_state *s, const struct warp *w, uint32_t pc,
                       uint32_t thread, const struct bulk_event *e)
{
    for (uint64_t at = e->offset / WORD; at < (e->offset + e->bytes) / WORD; at++) {
        struct bulk_word *word = &s->words[at];
        if (word->read != 0 && word->until == UNTIL_MULTIPLIED) {
            report(c, w, FILLED_WHILE_MULTIPLIED, at * WORD, pc, thread, word->read_pc);
        }
        if (word->filled != 0 && !e->adds) {
            report(c, w, FILLED_TWICE, at * WORD, pc, thread, word->fill_pc);
        }
        word->filled = s->step;
        word->fill_pc = pc;
        word->mbarrier = (uint32_t)e->mbarrier;
        word->phase = (uint8_t)e->phase;
        word->written = 0;
    }
}

/* The thread's groups of copies, or its warp's of products, but the latest `left` have been read.
 */
static void waits(struct bulk_state *s, uint32_t thread, bool for_products, uint64_t left)
{
    const enum read_until until = for_products ? UNTIL_MULTIPLIED : UNTIL_COPIED;
    const uint32_t committed = for_products ? s->products[thread] : s->committed[thread];
    for (uint32_t i = 0; i < s->word_count; i++) {
        struct bulk_word *word = &s->words[i];
        if (word->read != 0 && word->reader == thread && word->until == until &&
            word->group + left < committed) {
            word->read = 0;
        }
    }
}

/* For threads that must not use the array yet, the store of a copy counts as one of the thread that
 * made it, or as an atomic, where the copy adds. A thread that sees the end of its phase comes
 * behind it. */
static void race_with_earlier(struct checked_block *own, struct checked_block *owner,
                              const struct warp *w, uint32_t pc, unsigned lane,
                              const struct bulk_event *e)
{
    const uint64_t piece = e->bytes < 16 ? e->bytes : 16;
    uint64_t address[WARP_LANES] = {0};
    struct order_warp *order = &own->order.warps[w->number];
    for (uint64_t at = e->offset; at < e->offset + e->bytes; at += piece) {
        address[lane] = at;
        const struct touch t = {.pc = pc,
                                .what = e->adds ? TOUCH_ATOMIC | TOUCH_STRONG : TOUCH_STORE,
                                .scope = e->adds ? ORDER_DEVICE : ORDER_BLOCK,
                                .space = PTX_SHARED,
                                .bytes = (uint8_t)piece,
                                .lanes = 1u << lane,
                                .time = order->time,
                                .low = at,
                                .high = at + piece,
                                .address = address};
        if (owner == own) {
            race_access(own->worker->race, &own->race, w->number, &t);
        } else {
            race_remote_access(own->worker->race, &own->race, &owner->race, w->number, &t);
        }
    }
    if (owner == own) {
        order_phase_arrive(order, e->mbarrier, e->phase);
    } /* else cluster_arrives() */
}

void bulk_copy(struct check *c, struct checked_block *own, struct checked_block *owner,
               const struct warp *w, uint32_t pc, unsigned lane, const struct bulk_event *e)
{
    const uint32_t thread = w->number * WARP_LANES + lane;
    if (owner == NULL || owner->bulk == NULL) {
        return;
    }
    struct bulk_state *s = owner->bulk;
    s->step++;
    switch (e->kind) {
    case BULK_READS:
        if (e->block == w->block) {
            copy_reads(c, s, w, pc, thread, e);
        }
        break;
    case BULK_FILLS:
        race_with_earlier(own, owner, w, pc, lane, e);
        copy_fills(c, s, w, pc, thread, e);
        break;
    case BULK_COMMITS:
        s->committed[thread]++;
        break;
    case BULK_WAITS:
        waits(s, thread, false, e->bytes);
        break;
    case PRODUCT_BEGINS: /* its registers: check_products.c */
        break;
    case PRODUCT_READS:
        product_reads(c, s, w, pc, thread, e);
        break;
    case PRODUCT_COMMITS:
        s->products[thread]++;
        break;
    case PRODUCT_WAITS:
        waits(s, thread, true, e->bytes);
        break;
    }
}
