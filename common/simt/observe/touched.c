/* touched.c - see touched.h. */
#include "observe/touched.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "machine/memory.h"

enum {
    PAGE_LINES = 512, /* of 128 bytes: 64 KB */
    SLOTS = 1 << 18,  /* pages that fit: 16 GB */
    SECTOR_BYTES = 32,
    LINE_SHIFT = 7
};

struct page {
    uint64_t number;
    _Atomic uint8_t lines[PAGE_LINES]; /* low half: read first; high half: written */
};

struct touched {
    struct page *_Atomic slots[SLOTS];
    struct page *_Atomic lost; /* a page for everybody when there is no room for one's own */
};

struct touched *touched_open(void) { return calloc(1, sizeof(struct touched)); }

void touched_clear(struct touched *t)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        free(t->slots[i]);
        t->slots[i] = NULL;
    }
}

void touched_close(struct touched *t)
{
    if (t != NULL) {
        touched_clear(t);
        free(t->lost);
        free(t);
    }
}

static struct page *page_of(struct touched *t, uint64_t number)
{
    unsigned slot = (unsigned)(number * 0x9e3779b97f4a7c15u >> 46);
    for (unsigned tries = 0; tries < SLOTS; tries++, slot = (slot + 1) % SLOTS) {
        struct page *p = atomic_load_explicit(&t->slots[slot], memory_order_acquire);
        if (p == NULL) {
            struct page *own = calloc(1, sizeof *own);
            if (own == NULL) {
                return NULL;
            }
            own->number = number;
            if (atomic_compare_exchange_strong(&t->slots[slot], &p, own)) {
                return own;
            }
            free(own); /* p is now what another worker put there */
        }
        if (p->number == number) {
            return p;
        }
    }
    return NULL;
}

void touched_add(struct touched *t, const uint64_t *lines, const uint8_t *masks, unsigned count,
                 bool reads, bool writes)
{
    struct page *p = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (p == NULL || p->number != lines[i] / PAGE_LINES) {
            p = page_of(t, lines[i] / PAGE_LINES);
        }
        if (p == NULL) {
            return;
        }
        _Atomic uint8_t *line = &p->lines[lines[i] % PAGE_LINES];
        uint8_t old = atomic_load_explicit(line, memory_order_relaxed);
        uint8_t add =
            (uint8_t)((reads ? masks[i] & ~(old >> 4) : 0) | (writes ? masks[i] << 4 : 0));
        if ((old | add) != old) {
            atomic_fetch_or_explicit(line, add, memory_order_relaxed);
        }
    }
}

static void add_bits(struct touched_bytes *sum, unsigned bits)
{
    sum->read += SECTOR_BYTES * (unsigned)__builtin_popcount(bits & 15u);
    sum->written += SECTOR_BYTES * (unsigned)__builtin_popcount(bits >> 4);
    sum->all += SECTOR_BYTES * (unsigned)__builtin_popcount((bits | bits >> 4) & 15u);
}

struct touched_bytes touched_sum(const struct touched *t)
{
    struct touched_bytes sum = {0, 0, 0};
    for (unsigned i = 0; i < SLOTS; i++) {
        const struct page *p = t->slots[i];
        for (unsigned k = 0; p != NULL && k < PAGE_LINES; k++) {
            add_bits(&sum, p->lines[k]);
        }
    }
    return sum;
}

/* Sums by allocation. */
struct share {
    const struct allocation *allocation;
    struct touched_bytes bytes;
};
enum { MOST_SHARES = 64 };

static struct share *share_of(struct share *shares, unsigned *count, const struct allocation *a)
{
    for (unsigned i = 0; i < *count; i++) {
        if (shares[i].allocation == a) {
            return &shares[i];
        }
    }
    if (*count == MOST_SHARES) {
        return &shares[MOST_SHARES - 1];
    }
    shares[*count] = (struct share){a, {0, 0, 0}};
    return &shares[(*count)++];
}

static uint64_t least(double scaled, uint64_t most)
{
    return scaled < (double)most ? (uint64_t)scaled : most;
}

struct touched_bytes touched_scaled(const struct touched *t, struct memory *memory, double scale)
{
    struct share shares[MOST_SHARES];
    struct touched_bytes sum = {0, 0, 0};
    unsigned count = 0;
    for (unsigned i = 0; i < SLOTS; i++) {
        const struct page *p = t->slots[i];
        for (unsigned k = 0; p != NULL && k < PAGE_LINES; k++) {
            const unsigned bits = p->lines[k];
            if (bits != 0) {
                const uint64_t address = (p->number * PAGE_LINES + k) << LINE_SHIFT;
                struct share *s = share_of(shares, &count, memory_find(memory, address));
                add_bits(&s->bytes, bits);
            }
        }
    }
    for (unsigned i = 0; i < count; i++) {
        const struct touched_bytes *b = &shares[i].bytes;
        const uint64_t most = shares[i].allocation != NULL ? shares[i].allocation->bytes : b->all;
        sum.read += least(scale * (double)b->read, most);
        sum.written += least(scale * (double)b->written, most);
        sum.all += least(scale * (double)b->all, most);
    }
    return sum;
}

/* Lanes mostly go upwards, so the last few lines are where the next lane's is. */
static unsigned find_line(const uint64_t *lines, unsigned count, uint64_t line)
{
    for (unsigned back = 1; back <= 4 && back <= count; back++) {
        if (lines[count - back] == line) {
            return count - back;
        }
    }
    return count;
}

unsigned touched_lines(const uint64_t *address, lane_mask lanes, unsigned bytes, uint64_t *lines,
                       uint8_t *masks)
{
    unsigned count = 0;
    uint64_t known_first = UINT64_MAX, known_last = UINT64_MAX; /* sectors of the lane before */
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        const uint64_t first = address[__builtin_ctz(left)], last = first + bytes - 1;
        const uint64_t line = first >> LINE_SHIFT;
        if (first / SECTOR_BYTES == known_first && last / SECTOR_BYTES == known_last) {
            continue;
        }
        known_first = first / SECTOR_BYTES;
        known_last = last / SECTOR_BYTES;
        const unsigned from = (unsigned)(first / SECTOR_BYTES & 3),
                       to = (unsigned)(last / SECTOR_BYTES & 3);
        const unsigned at = find_line(lines, count, line);
        if (at == count) {
            lines[count] = line;
            masks[count++] = 0;
        }
        masks[at] |= (uint8_t)((2u << to) - (1u << from));
    }
    return count;
}
