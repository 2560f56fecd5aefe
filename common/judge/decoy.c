/* decoy.c - see learner.h. Host code that is to have something computed by the GPU gets arrays
 * whose values are in another order than the GPU's. Bytes that it copies to the GPU as they are
 * become the true ones on their way; what it makes of them itself is of no use. On the way back
 * true inputs become decoys again, and everything else is remembered, since a result must consist
 * of what was fetched. */
#include "common/judge/learner.h"

#include <cuda_runtime.h>

#include <stdlib.h>
#include <string.h>

enum {
    MOST_DECOYS = 16,
    MOST_TAINTS = 4096,
    LEAST = 64, /* shorter copies may be like an array's part by chance */
    MOST_FETCHED = 4096,
    MOST_FETCHED_BYTES = 1 << 28
};

struct decoy {
    unsigned char *seen, *meant;
    size_t bytes;
};
static struct decoy decoys[MOST_DECOYS];
static unsigned decoy_count;

struct taint {
    uint64_t address;
    size_t bytes, offset; /* in the decoy */
    unsigned decoy;
};
static struct taint taints[MOST_TAINTS];
static unsigned taint_count;

static struct {
    unsigned char *bytes;
    size_t count;
} fetched[MOST_FETCHED];
static unsigned fetched_count;
static size_t fetched_bytes;

/* `seen` holds the true values and gets them in another order. */
void decoy_add(struct judge *j, void *seen, const void *true_values, size_t bytes)
{
    uint32_t *const values = seen;
    struct decoy *const d = &decoys[decoy_count];
    struct rng rng = rng_start(j->seed * 31 + (uint64_t)j->number * 7 + decoy_count);
    if (decoy_count == MOST_DECOYS || bytes < 8) {
        return;
    }
    for (size_t i = bytes / 4 - 1; i > 0; i--) {
        const size_t other = (size_t)rng_between(&rng, 0, (int64_t)i);
        const uint32_t value = values[i];
        values[i] = values[other];
        values[other] = value;
    }
    d->seen = malloc(bytes);
    d->meant = malloc(bytes);
    if (d->seen != NULL && d->meant != NULL) {
        memcpy(d->seen, seen, bytes);
        memcpy(d->meant, true_values, bytes);
        d->bytes = bytes;
        decoy_count++;
    }
}

/* Where on the GPU true values lie. */
static void taint(uint64_t address, size_t bytes, unsigned decoy, size_t offset)
{
    if (taint_count < MOST_TAINTS) {
        taints[taint_count++] = (struct taint){address, bytes, offset, decoy};
    }
}

void decoy_lies(struct judge *j, uint64_t address, const void *true_values, size_t bytes)
{
    const unsigned before = decoy_count;
    unsigned char *const seen = malloc(bytes + 1);
    if (seen != NULL) {
        memcpy(seen, true_values, bytes);
        decoy_add(j, seen, true_values, bytes);
        free(seen);
    }
    if (decoy_count > before) {
        taint(address, bytes, before, 0);
    }
}

void decoy_forget(void)
{
    for (unsigned i = 0; i < decoy_count; i++) {
        free(decoys[i].seen);
        free(decoys[i].meant);
    }
    for (unsigned i = 0; i < fetched_count; i++) {
        free(fetched[i].bytes);
    }
    decoy_count = fetched_count = taint_count = 0;
    fetched_bytes = 0;
}

/* Parts of at least LEAST bytes, or a whole array, become what they mean. */
static void exchange(unsigned decoy, unsigned char *bytes, size_t count, uint64_t address)
{
    const struct decoy *const d = &decoys[decoy];
    const size_t least = d->bytes < LEAST ? d->bytes : LEAST;
    for (size_t at = 0; at + least <= count;) {
        const unsigned char *const found = memmem(d->seen, d->bytes, bytes + at, least);
        const size_t offset = found != NULL ? (size_t)(found - d->seen) : 1;
        size_t length = least;
        if (offset % 4 != 0) {
            at += 4;
            continue;
        }
        while (at + length < count && offset + length < d->bytes &&
               bytes[at + length] == d->seen[offset + length]) {
            length++;
        }
        length -= length % 4;
        memcpy(bytes + at, d->meant + offset, length);
        taint(address + at, length, decoy, offset);
        at += length;
    }
}

void decoy_to_gpu(unsigned char *bytes, size_t count, uint64_t address)
{
    for (unsigned i = 0; i < decoy_count; i++) {
        exchange(i, bytes, count, address);
    }
}

void decoy_moved(uint64_t to, uint64_t from, size_t count)
{
    const unsigned before = taint_count;
    for (unsigned i = 0; i < before; i++) {
        const struct taint *const t = &taints[i];
        const uint64_t begin = t->address > from ? t->address : from;
        const uint64_t end =
            t->address + t->bytes < from + count ? t->address + t->bytes : from + count;
        if (begin < end) {
            taint(to + (begin - from), (size_t)(end - begin), t->decoy,
                  t->offset + (size_t)(begin - t->address));
        }
    }
}

static void keep_fetched(const unsigned char *bytes, size_t count)
{
    if (decoy_count > 0 && fetched_count < MOST_FETCHED &&
        fetched_bytes + count < MOST_FETCHED_BYTES &&
        (fetched[fetched_count].bytes = malloc(count + 1)) != NULL) {
        memcpy(fetched[fetched_count].bytes, bytes, count);
        fetched[fetched_count++].count = count;
        fetched_bytes += count;
    }
}

/* Are these still the inputs that were brought? A kernel that works in place leaves some values as
 * they were: zeros, for instance. */
static bool still_inputs(const struct taint *t)
{
    const unsigned char *const meant = decoys[t->decoy].meant + t->offset;
    unsigned char *const now = malloc(t->bytes);
    size_t same = 0;
    if (now != NULL && cudaMemcpy(now, (const void *)(uintptr_t)t->address, t->bytes,
                                  cudaMemcpyDeviceToHost) == cudaSuccess) {
        for (size_t k = 0; k + 4 <= t->bytes; k += 4) {
            same += memcmp(now + k, meant + k, 4) == 0;
        }
    }
    free(now);
    return 16 * 4 * same > 15 * t->bytes;
}

/* What is still a true value where one was brought is shown as its decoy. */
void decoy_from_gpu(unsigned char *bytes, size_t count, uint64_t address)
{
    keep_fetched(bytes, count);
    for (unsigned i = 0; i < taint_count; i++) {
        const struct taint *const t = &taints[i];
        const struct decoy *const d = &decoys[t->decoy];
        if (t->address >= address + count || address >= t->address + t->bytes || !still_inputs(t)) {
            continue;
        }
        for (size_t k = 0; k + 4 <= t->bytes; k += 4) {
            const uint64_t at = t->address + k - address; /* wraps round in front of it */
            if (at < count && at + 4 <= count &&
                memcmp(bytes + at, d->meant + t->offset + k, 4) == 0) {
                memcpy(bytes + at, d->seen + t->offset + k, 4);
            }
        }
    }
}

/* The longest beginning of `bytes` that is part of something fetched. */
static size_t longest(const unsigned char *bytes, size_t count)
{
    size_t most = 0;
    for (unsigned i = 0; i < fetched_count; i++) {
        const unsigned char *const from = fetched[i].bytes;
        const size_t whole = fetched[i].count, probe = count < LEAST ? count : LEAST;
        const size_t least = probe < whole ? probe : whole;
        const unsigned char *found = least > 0 ? memmem(from, whole, bytes, least) : NULL;
        if (found == NULL) {
            continue;
        }
        size_t offset = (size_t)(found - from), length = least;
        while (length < count && offset + length < whole &&
               bytes[length] == from[offset + length]) {
            length++;
        }
        most = length > most ? length : most;
    }
    return most;
}

int64_t decoy_not_fetched(const unsigned char *bytes, size_t count)
{
    for (size_t at = 0; at < count;) {
        const size_t length = longest(bytes + at, count - at) / 4 * 4;
        if (length == 0) {
            return (int64_t)(at / 4);
        }
        at += length;
    }
    return -1;
}
