/* touched.c - see touched.h. */
#include "time/touched.h"
#include "base/map.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

#include "machine/memory.h"

enum {
    PAGE_LINES = 512, /* of 128 bytes: 64 KB */
    RECENT = 16,      /* pages that are found without a search */
    SECTOR_BYTES = 32,
    LINE_SHIFT = 7
};

/* What is known of a line, four bits a sector: of the launch up to now, */
struct touched_line {
    uint8_t needed;  /* a block has read it before it wrote it itself */
    uint8_t written; /* a block has written it */
    uint8_t made;    /* a block has written it that had not read it */
    uint8_t own;     /* and of this block: low half: read; high half: written */
    uint32_t block;
};

struct page {
    uint64_t number;
    struct page *next; /* of the worker's, in any order */
    struct touched_line lines[PAGE_LINES];
};

struct table { /* of one worker */
    struct map by_number;
    struct page *pages, *spare;
    struct recent_page {
        uint64_t number;
        struct page *page; /* NULL: nothing is here */
    } recent[RECENT];      /* by number: so the page itself need not be looked at */
};

struct touched {
    struct table *tables;
    unsigned count, room; /* workers of this launch, of all launches */
};

struct touched *touched_open(void) { return room_new(1, sizeof(struct touched)); }

static void free_pages(struct page *p)
{
    while (p != NULL) {
        struct page *next = p->next;
        free(p);
        p = next;
    }
}

void touched_close(struct touched *t)
{
    for (unsigned i = 0; t != NULL && i < t->room; i++) {
        free_pages(t->tables[i].pages);
        free_pages(t->tables[i].spare);
        map_free(&t->tables[i].by_number);
    }
    if (t != NULL) {
        free(t->tables);
    }
    free(t);
}

static void clear(struct table *t)
{
    while (t->pages != NULL) {
        struct page *p = t->pages;
        t->pages = p->next;
        p->next = t->spare;
        t->spare = p;
    }
    map_clear(&t->by_number);
    memset(t->recent, 0, sizeof t->recent);
}

void touched_begin(struct touched *t, unsigned workers)
{
    if (workers > t->room) {
        t->tables = room_resized(t->tables, workers, sizeof *t->tables);
        memset(t->tables + t->room, 0, (workers - t->room) * sizeof *t->tables);
        t->room = workers;
    }
    for (unsigned i = 0; i < t->room; i++) {
        clear(&t->tables[i]);
    }
    t->count = workers;
}

static struct page *find_page(const struct table *t, uint64_t number)
{
    return map_pointer(&t->by_number, number);
}

/* The page, made now if need be. */
static struct page *page_of(struct table *t, uint64_t number)
{
    struct page *p = find_page(t, number);
    if (p == NULL) {
        p = t->spare != NULL ? t->spare : room_raw(1, sizeof *p);
        t->spare = t->spare != NULL ? p->next : NULL;
        memset(p->lines, 0, sizeof p->lines);
        p->number = number;
        p->next = t->pages;
        t->pages = p;
        map_put_pointer(&t->by_number, number, p);
    }
    t->recent[number % RECENT] = (struct recent_page){number, p};
    return p;
}

static inline void touch_line(struct touched_line *c, uint32_t block, unsigned mask,
                              enum sector_use how)
{
    unsigned own = c->block == block ? c->own : 0;
    const unsigned both = mask | mask << 4;
    if ((how == SECTOR_READ && (own & mask) == mask) || (own & both) == both) {
        return; /* this block has done that already */
    }
    if (how != SECTOR_WRITTEN) {
        c->needed |= (uint8_t)(mask & ~(own >> 4));
        own |= mask;
    }
    if (how != SECTOR_READ) {
        c->written |= (uint8_t)mask;
        c->made |= (uint8_t)(mask & ~own);
        own |= mask << 4;
    }
    c->own = (uint8_t)own;
    c->block = block;
}

void touched_add(struct touched *t, unsigned worker, uint64_t block, uint64_t first,
                 const uint64_t *lines, const uint8_t *masks, unsigned count, enum sector_use how)
{
    struct table *own = &t->tables[worker];
    for (unsigned i = 0; i < count; i++) {
        const uint64_t line = first + lines[i], number = line / PAGE_LINES;
        const struct recent_page *recent = &own->recent[number % RECENT];
        struct page *p =
            recent->page != NULL && recent->number == number ? recent->page : page_of(own, number);
        touch_line(&p->lines[line % PAGE_LINES], (uint32_t)block, masks[i], how);
    }
}

/* --- sums ------------------------------------------------------------------------------------- */

static void add_line(struct touched_bytes *sum, const struct touched_line *c)
{
    const unsigned read = c->needed & ~c->made & 15u;
    sum->read += SECTOR_BYTES * lanes_in(read);
    sum->written += SECTOR_BYTES * lanes_in(c->written);
    sum->all += SECTOR_BYTES * lanes_in(c->needed | c->written);
}

/* What all workers know of a page that this one has, and none before it; NULL: one has it. room:
 * for the lines of a page that several have. */
static const struct touched_line *join_pages(const struct touched *t, unsigned worker,
                                             const struct page *p, struct touched_line *room)
{
    const struct touched_line *lines = p->lines;
    for (unsigned w = 0; w < worker; w++) {
        if (find_page(&t->tables[w], p->number) != NULL) {
            return NULL;
        }
    }
    for (unsigned w = worker + 1; w < t->count; w++) {
        const struct page *other = find_page(&t->tables[w], p->number);
        if (other != NULL && lines == p->lines) {
            memcpy(room, p->lines, sizeof p->lines);
            lines = room;
        }
        for (unsigned i = 0; other != NULL && i < PAGE_LINES; i++) {
            room[i].needed |= other->lines[i].needed;
            room[i].written |= other->lines[i].written;
            room[i].made |= other->lines[i].made;
        }
    }
    return lines;
}

/* Calls visit for every page, with what all workers know of its lines. */
static void visit_pages(const struct touched *t,
                        void (*visit)(void *state, uint64_t number,
                                      const struct touched_line *lines),
                        void *state)
{
    struct touched_line room[PAGE_LINES];
    for (unsigned w = 0; w < t->count; w++) {
        for (const struct page *p = t->tables[w].pages; p != NULL; p = p->next) {
            const struct touched_line *lines = join_pages(t, w, p, room);
            if (lines != NULL) {
                visit(state, p->number, lines);
            }
        }
    }
}

enum { GROUP = 8 }; /* lines that are looked at together: small launches touch few of a page */

static bool is_untouched(const struct touched_line *group)
{
    uint64_t words[GROUP], any = 0;
    _Static_assert(sizeof words == GROUP * sizeof *group, "a line is one word");
    memcpy(words, group, sizeof words);
    for (unsigned i = 0; i < GROUP; i++) {
        any |= words[i];
    }
    return any == 0;
}

static void add_page(void *state, uint64_t number, const struct touched_line *lines)
{
    (void)number;
    for (unsigned first = 0; first < PAGE_LINES; first += GROUP) {
        if (is_untouched(&lines[first])) {
            continue;
        }
        for (unsigned i = 0; i < GROUP; i++) {
            add_line(state, &lines[first + i]);
        }
    }
}

struct touched_bytes touched_sum(const struct touched *t)
{
    struct touched_bytes sum = {0, 0, 0};
    visit_pages(t, add_page, &sum);
    return sum;
}

/* Sums by allocation. */
struct shares {
    struct memory *memory;
    struct share {
        const struct allocation *allocation;
        struct touched_bytes bytes;
    } * of;
    size_t count, room;
};

static struct share *share_of(struct shares *s, const struct allocation *a)
{
    for (size_t i = s->count; i-- > 0;) {
        if (s->of[i].allocation == a) {
            return &s->of[i];
        }
    }
    ROOM_FOR_ONE(s->of, s->count, s->room, 16);
    s->of[s->count] = (struct share){a, {0, 0, 0}};
    return &s->of[s->count++];
}

static void share_page(void *state, uint64_t number, const struct touched_line *lines)
{
    struct shares *s = state;
    for (unsigned i = 0; i < PAGE_LINES; i++) {
        if ((lines[i].needed | lines[i].written) != 0) {
            const uint64_t address = (number * PAGE_LINES + i) << LINE_SHIFT;
            add_line(&share_of(s, memory_find(s->memory, address))->bytes, &lines[i]);
        }
    }
}

static uint64_t least(double scaled, uint64_t most)
{
    return scaled < (double)most ? (uint64_t)scaled : most;
}

struct touched_bytes touched_scaled(const struct touched *t, struct memory *memory, double scale)
{
    struct shares shares = {.memory = memory};
    struct touched_bytes sum = {0, 0, 0};
    visit_pages(t, share_page, &shares);
    for (size_t i = 0; i < shares.count; i++) {
        const struct touched_bytes *b = &shares.of[i].bytes;
        const uint64_t most =
            shares.of[i].allocation != NULL ? shares.of[i].allocation->bytes : b->all;
        sum.read += least(scale * (double)b->read, most);
        sum.written += least(scale * (double)b->written, most);
        sum.all += least(scale * (double)b->all, most);
    }
    free(shares.of);
    return sum;
}

/* Which line is where in the list, by hash: of random addresses each lane has another line, and to
 * look for it among those before took a quarter of a sparse product's time. */
struct line_finder {
    uint8_t at[4 * TOUCHED_LINES]; /* number + 1; 0: nothing is here */
};

/* The number of the line, which is added if it is not there. */
static unsigned number_of(struct line_finder *f, uint64_t *lines, unsigned *count, uint64_t line)
{
    if (*count > 0 && lines[*count - 1] == line) {
        return *count - 1; /* lanes mostly go upwards */
    }
    unsigned slot = (unsigned)(line * HASH_MULTIPLIER >> 57);
    while (f->at[slot] != 0 && lines[f->at[slot] - 1] != line) {
        slot = (slot + 1) % ARRAY_LENGTH(f->at);
    }
    if (f->at[slot] == 0) {
        lines[*count] = line;
        f->at[slot] = (uint8_t)(*count + 1);
        ++*count;
    }
    return f->at[slot] - 1u;
}

unsigned touched_lines(const uint64_t *address, lane_mask lanes, unsigned bytes, uint64_t *lines,
                       uint8_t *masks)
{
    struct line_finder finder = {{0}};
    unsigned count = 0;
    uint64_t known_first = UINT64_MAX, known_last = UINT64_MAX; /* sectors of the lane before */
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        const uint64_t first = address[__builtin_ctz(left)], last = first + bytes - 1;
        if (first / SECTOR_BYTES == known_first && last / SECTOR_BYTES == known_last) {
            continue;
        }
        known_first = first / SECTOR_BYTES;
        known_last = last / SECTOR_BYTES;
        const unsigned from = (unsigned)(first / SECTOR_BYTES & 3),
                       to = (unsigned)(last / SECTOR_BYTES & 3), before = count;
        const unsigned at = number_of(&finder, lines, &count, first >> LINE_SHIFT);
        masks[at] = (uint8_t)((at == before ? 0u : masks[at]) | ((2u << to) - (1u << from)));
    }
    return count;
}

unsigned touched_range(uint64_t address, uint64_t bytes, uint64_t *lines, uint8_t *masks)
{
    enum { LINE = 128, SECTOR = 32 };
    const uint64_t first = address / LINE, end = address + bytes;
    const unsigned count = (unsigned)((end - 1) / LINE - first + 1);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t begin = (first + i) * LINE;
        const unsigned low = begin < address ? (unsigned)(address - begin) / SECTOR : 0;
        const unsigned high = end - begin < LINE ? (unsigned)(end - begin - 1) / SECTOR : 3;
        lines[i] = first + i;
        masks[i] = (uint8_t)((2u << high) - (1u << low));
    }
    return count;
}
