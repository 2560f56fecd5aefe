/* standstill.c - is it certain that a block will wait forever, and whom does it wait for?
 *
 * A block's next steps follow from its warps' registers and places, its shared memory and what it
 * reads of global memory. When all of the first come back as they were, and nobody has stored
 * anything in between, they will come back again and again. Called by turns.c, between turns. */
#include "machine/standstill.h"

#include "machine/cluster.h"
#include "machine/split.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * HASH_MULTIPLIER;
    return hash ^ hash >> 29;
}

/* bytes: a multiple of 8 is looked at, and the rest with zeros. */
static uint64_t mix_bytes(uint64_t hash, const uint8_t *at, size_t bytes)
{
    uint64_t word;
    for (; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, at, bytes);
    return mix(hash, word);
}

static uint32_t frames_end(const struct warp *w)
{
    uint32_t end = 0;
    for (unsigned i = 0; i < w->split_count; i++) {
        const struct split *s = &w->splits[i];
        const uint32_t own = s->frame + w->block->kernel->funcs[s->func]->frame_bytes;
        end = s->state != SPLIT_FREE && own > end ? own : end;
    }
    return end;
}

/* false: lanes that wait behind a loop may yet be let go past it, however often it looks the same.
 */
static bool mix_warp(const struct warp *w, uint64_t *hash)
{
    bool certain = true;
    *hash = mix(*hash, (uint64_t)(uintptr_t)w->resume);
    *hash = mix(*hash, (uint64_t)w->current << 32 | w->active);
    for (unsigned i = 0; i < w->split_count; i++) {
        const struct split *s = &w->splits[i];
        if (s->state != SPLIT_FREE) {
            certain &= s->state != SPLIT_PARENT || s->mask == 0 || s->is_call;
            *hash = mix(*hash, (uint64_t)s->pc << 32 | s->mask);
            *hash = mix(*hash, (uint64_t)s->state << 32 | i);
        }
    }
    for (unsigned i = 0; i < w->ready_count; i++) {
        *hash = mix(*hash, w->ready[i]);
    }
    *hash = mix_bytes(*hash, w->stack, frames_end(w));
    return certain;
}

/* Managed and pinned memory has one pointer for both sides: the host may store there any time. */
static bool asks_host(const struct warp *w)
{
    return (uint64_t)(uintptr_t)w->question.host == w->question.address && w->question.host != NULL;
}

bool block_stands_still(struct standstill *s, const struct block *b)
{
    uint64_t hash = mix(0, b->warps_done);
    const bool is_by_chance = block_shuffles(b) || b->asking_turns < TURNS_BY_CHANCE;
    bool certain = !b->kernel->recursive && !b->keeps && !is_by_chance;
    for (unsigned i = 0; i < b->warp_count && certain; i++) {
        const struct warp *w = &b->warps[i];
        hash = mix(hash, w->state);
        if (w->state == WARP_READY) {
            certain = mix_warp(w, &hash) && !asks_host(w);
        }
    }
    s->asks_others |= b->asks_others;
    if (!certain) {
        s->turns = 0;
        return false;
    }
    hash = mix_bytes(hash, b->shared, b->shared_bytes);
    if (s->turns > 0 && hash == s->mark) {
        return true;
    }
    s->turns++;
    if ((s->turns & (s->turns - 1)) == 0) { /* Brent: a cycle of any length is found */
        s->mark = hash;
    }
    return false;
}

const struct warp *block_asking(const struct block *b)
{
    for (unsigned i = 0; i < b->warp_count; i++) {
        const struct warp *w = &b->warps[i];
        if (w->state == WARP_READY && w->question.in != NULL) {
            return w;
        }
    }
    return NULL;
}

static uint64_t value_at(const uint8_t *host, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, host, bytes < sizeof value ? bytes : sizeof value);
    return value;
}

void question_describe(const struct warp *w, char *text, size_t size)
{
    const struct question *q = &w->question;
    char place[400];
    if (q->is_phase) {
        cluster_describe_phase(w->block, q->address, text, size);
        return;
    }
    const uint8_t *shared = w->block->shared;
    const unsigned bytes = q->in->elements > 0 ? q->in->bytes / q->in->elements : q->in->bytes;
    if (q->host >= shared && q->host < shared + w->block->shared_bytes) {
        snprintf(place, sizeof place, "byte %td of shared memory", q->host - shared);
    } else {
        fault_place(w->block->memory, q->address, place, sizeof place);
    }
    snprintf(text, size, "another value than %" PRIu64 " in %s", value_at(q->host, bytes), place);
}
