/* test_repeats.c - requests that are counted and reported together (machine/repeats.h): an observer
 * that wants to hear of each request for new sectors in its turn does so, and can say which request
 * of its warp it is. One that reads a log of them finds there what it would be called for. */
#include "machine_fixture.h"
#include "machine/repeats.h"

enum { WARPS = 4, MOST_HEARD = 4096 };

struct heard {
    uint32_t pc;
    uint64_t apart; /* where it begins, from where its warp's first one did */
    uint32_t order; /* the number of the request among its warp's */
};

struct listener {
    bool counts_repeats;
    uint64_t first[WARPS];
    unsigned count[WARPS], told[WARPS];
    struct heard heard[WARPS][MOST_HEARD];
};

static void hear(struct listener *l, const struct warp *w, const struct access_event *e)
{
    const unsigned warp = (unsigned)w->block->number * 2 + w->number;
    const uint32_t ahead = l->counts_repeats ? repeats_ahead(w, e->pc) : 0;
    ck_assert_uint_lt(l->count[warp], MOST_HEARD);
    l->first[warp] = l->count[warp] == 0 ? e->start : l->first[warp];
    l->heard[warp][l->count[warp]++] =
        (struct heard){e->pc, e->start - l->first[warp], l->told[warp] - 1 + w->untold - ahead};
    if (e->again != NULL) {
        *e->again = true;
    }
}

static void on_access(void *state, struct warp *w, const struct access_event *e)
{
    struct listener *l = state;
    if (e->space == PTX_GLOBAL) {
        l->told[w->block->number * 2 + w->number]++;
        hear(l, w, e);
    }
}

static void on_touches(void *state, struct warp *w, const struct access_event *e)
{
    if (e->early) {
        *e->again = true; /* in its turn */
    } else {
        hear(state, w, e);
    }
}

/* Two leaders of global memory and one of shared memory, whose followers stand between each
 * other's: in the leader's sector, in others, and two in one of their own. */
static const char body[] =
    "mov.u32 %r4, 0; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd1; mov.u64 %rd4, %rd1;\n"
    "shl.b32 %r7, %r1, 2; mov.u32 %r8, sh; add.u32 %r7, %r7, %r8;\n"
    "LOOP: ld.global.u32 %r3, [%rd3]; ld.shared.u32 %r3, [%r7]; ld.global.u32 %r3, [%rd3];\n"
    "ld.global.u32 %r3, [%rd4]; ld.shared.u32 %r3, [%r7+256]; ld.global.u32 %r3, [%rd3+1024];\n"
    "ld.global.u32 %r3, [%rd4+64]; ld.global.u32 %r3, [%rd3+1024]; ld.shared.u32 %r3, [%r7+512];\n"
    "ld.global.u32 %r3, [%rd4+68]; add.u64 %rd3, %rd3, 16; add.u64 %rd4, %rd4, 4;\n"
    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 100; @%p1 bra LOOP;\n";

static struct listener *listen(bool counts_repeats)
{
    struct listener *l = calloc(1, sizeof *l);
    struct observer o = {.state = l,
                         .wants = OBSERVE_ACCESSES | OBSERVE_IN_ORDER,
                         .access = on_access,
                         .touches = on_touches};
    l->counts_repeats = counts_repeats;
    o.wants |= counts_repeats ? OBSERVE_PATTERNS : 0u;
    struct machine m = {.grid = {2, 1, 1},
                        .block = {64, 1, 1},
                        .functions = ".shared .align 4 .b8 sh[1024];",
                        .observer = &o};
    machine_run(&m, body);
    ck_assert_msg(m.good, "%s", m.e.text);
    return l;
}

START_TEST(each_request_is_heard_of_in_its_turn)
{
    struct listener *one_by_one = listen(false), *repeats = listen(true);
    for (unsigned w = 0; w < WARPS; w++) {
        ck_assert_uint_eq(one_by_one->count[w], 100 * 7 + 1);
        ck_assert_uint_eq(repeats->count[w], one_by_one->count[w]);
        ck_assert_uint_lt(repeats->told[w], 200);
        for (unsigned i = 0; i < one_by_one->count[w]; i++) {
            const struct heard *got = &repeats->heard[w][i], *want = &one_by_one->heard[w][i];
            ck_assert_uint_eq(want->order, i);
            ck_assert_uint_eq(got->order, i);
            ck_assert_uint_eq(got->pc, want->pc);
            ck_assert_uint_eq(got->apart, want->apart);
        }
    }
    free(one_by_one);
    free(repeats);
}
END_TEST

/* --- a log of first requests ------------------------------------------------------------------ */

enum { MOST_TOUCHED = 4096, NOTES = 5, SHIFT = 12345 };

struct reader {
    struct touch_log log;
    uint64_t first;
    unsigned count, noted, called, sampled; /* sampled: of those that were called */
    struct touch_note touched[MOST_TOUCHED];
};

/* A row's lines, or the one of an address that all lanes have. */
static bool is_sampled(uint64_t start)
{
    return line_is_sampled(start / REPEAT_LINE + SHIFT) ||
           line_is_sampled((start + REPEAT_LINE - 4) / REPEAT_LINE + SHIFT);
}

static void add_touched(struct reader *r, uint64_t start, uint32_t site)
{
    ck_assert_uint_lt(r->count, MOST_TOUCHED);
    r->first = r->count == 0 ? start : r->first;
    r->touched[r->count++] = (struct touch_note){start - r->first, site};
}

static void read_log(struct reader *r)
{
    ck_assert_uint_le(r->log.count, r->log.room);
    for (unsigned i = 0; i < r->log.count; i++) {
        ck_assert(!r->log.samples || !line_is_sampled(r->log.notes[i].start / REPEAT_LINE + SHIFT));
        add_touched(r, r->log.notes[i].start, r->log.notes[i].site);
        r->noted++;
    }
    r->log.count = 0;
}

/* All of memory moves by as many lines. */
static void say_area(const struct access_event *e)
{
    if (e->area != NULL) {
        *e->area = (struct touch_area){0, UINT64_MAX, SHIFT};
    }
}

static void reader_access(void *state, struct warp *w, const struct access_event *e)
{
    (void)w;
    read_log(state);
    say_area(e);
    if (e->space == PTX_GLOBAL) {
        add_touched(state, e->start, e->in->site);
    }
}

static void reader_touches(void *state, struct warp *w, const struct access_event *e)
{
    struct reader *r = state;
    (void)w;
    ck_assert(r->log.samples || r->log.count == r->log.room);
    r->sampled += r->log.count < r->log.room && is_sampled(e->start);
    read_log(r);
    say_area(e);
    add_touched(r, e->start, e->in->site);
    r->called++;
}

static void reader_block_end(void *state, struct block *b)
{
    (void)b;
    read_log(state);
}

static struct touch_log *reader_log(void *state, unsigned worker)
{
    ck_assert_uint_eq(worker, 0);
    return &((struct reader *)state)->log;
}

static struct reader *read_touched(const char *code, bool has_log, bool samples)
{
    struct reader *r = calloc(1, sizeof *r);
    const struct observer o = {.state = r,
                               .wants = OBSERVE_ACCESSES | OBSERVE_PATTERNS | OBSERVE_IN_ORDER,
                               .access = reader_access,
                               .touches = reader_touches,
                               .touch_log = has_log ? reader_log : NULL,
                               .block_end = reader_block_end};
    struct machine m = {.grid = {2, 1, 1},
                        .block = {64, 1, 1},
                        .functions = ".shared .align 4 .b8 sh[1024];",
                        .observer = &o};
    r->log.room = has_log ? samples ? TOUCH_NOTES : NOTES : 0;
    r->log.samples = samples;
    machine_run(&m, code);
    ck_assert_msg(m.good, "%s", m.e.text);
    return r;
}

/* Neither a load nor the stores behind it lead: rows that are read, and written further on. */
static const char alone[] =
    "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd1; mov.u32 %r4, 0;\n"
    "LOOP: ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd3+512], %r3; add.u64 %rd3, %rd3, 256;\n"
    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 12; @%p1 bra LOOP;\n";

START_TEST(notes_are_the_calls_they_replace)
{
    const char *const code[] = {body, alone};
    for (unsigned i = 0; i < 2; i++) {
        struct reader *calls = read_touched(code[i], false, false);
        struct reader *notes = read_touched(code[i], true, false);
        ck_assert_uint_eq(calls->noted, 0);
        ck_assert_uint_gt(calls->called, 2 * NOTES);
        ck_assert_uint_eq(notes->noted + notes->called, calls->called);
        ck_assert_uint_gt(notes->noted, notes->called);
        ck_assert_uint_eq(notes->count, calls->count);
        for (unsigned k = 0; k < calls->count; k++) {
            ck_assert_uint_eq(notes->touched[k].start, calls->touched[k].start);
            ck_assert_uint_eq(notes->touched[k].site, calls->touched[k].site);
        }
        free(calls);
        free(notes);
    }
}
END_TEST

/* Two rows, and one address for all lanes; followers in the next line, and two rows further on. */
static const char rows[] =
    "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd1; mov.u64 %rd4, %rd1; mov.u32 %r4, 0;\n"
    "LOOP: ld.global.u32 %r3, [%rd3]; ld.global.u32 %r3, [%rd3+128]; ld.global.u32 %r3, [%rd4];\n"
    "ld.global.u32 %r3, [%rd4+256]; add.u64 %rd3, %rd3, 32; add.u64 %rd4, %rd4, 32;\n"
    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 300; @%p1 bra LOOP;\n";

START_TEST(lines_of_the_sample_are_not_noted)
{
    struct reader *calls = read_touched(rows, false, false);
    struct reader *notes = read_touched(rows, true, true);
    ck_assert_uint_eq(notes->noted + notes->called, calls->called);
    ck_assert_uint_gt(notes->sampled, 10);
    ck_assert_uint_gt(notes->noted, calls->called / 2);
    ck_assert_uint_eq(notes->count, calls->count);
    for (unsigned k = 0; k < calls->count; k++) {
        ck_assert_uint_eq(notes->touched[k].start, calls->touched[k].start);
        ck_assert_uint_eq(notes->touched[k].site, calls->touched[k].site);
    }
    free(calls);
    free(notes);
}
END_TEST

/* --- patterns that alternate ------------------------------------------------------------------ */

struct counter {
    unsigned told, counted;
};

static void count_told(void *state, struct warp *w, const struct access_event *e)
{
    struct counter *c = state;
    (void)w;
    ck_assert_uint_lt(e->slot, PATTERN_SLOTS);
    c->told += e->space == PTX_SHARED;
}

static void count_repeats(void *state, unsigned worker, const struct access_event *e,
                          uint64_t count)
{
    struct counter *c = state;
    (void)worker;
    c->counted += e->space == PTX_SHARED ? (unsigned)count : 0;
}

/* Of 300 rounds in each of four warps, each has another stride than the one before: of so many. A
 * leader's, and a follower's that is counted with it. */
static struct counter alternate(unsigned strides, struct simt_counters *counters)
{
    struct counter c = {0, 0};
    char text[1024];
    const struct observer o = {.state = &c,
                               .wants = OBSERVE_ACCESSES | OBSERVE_PATTERNS,
                               .access = count_told,
                               .repeats = count_repeats};
    struct machine m = {.grid = {2, 1, 1},
                        .block = {64, 1, 1},
                        .functions = ".shared .align 4 .b8 sh[32768];",
                        .observer = counters == NULL ? &o : NULL};
    snprintf(text, sizeof text,
             "mov.u32 %%r4, 0; mov.u32 %%r8, sh; and.b32 %%r9, %%r1, 31;\n"
             "LOOP: rem.u32 %%r5, %%r4, %u; add.u32 %%r5, %%r5, 1; mul.lo.u32 %%r5, %%r5, %%r9;\n"
             "shl.b32 %%r5, %%r5, 2; add.u32 %%r5, %%r5, %%r8; ld.shared.u32 %%r3, [%%r5];\n"
             "ld.shared.u32 %%r3, [%%r5+256]; add.u32 %%r4, %%r4, 1;\n"
             "setp.lt.u32 %%p1, %%r4, 300; @%%p1 bra LOOP;\n",
             strides);
    machine_run(&m, text);
    ck_assert_msg(m.good, "%s", m.e.text);
    if (counters != NULL) {
        *counters = m.counters;
    }
    return c;
}

START_TEST(patterns_that_come_again_are_counted)
{
    const unsigned all = 4 * 300 * 2;
    const struct counter few = alternate(PATTERN_SLOTS, NULL);
    const struct counter many = alternate(PATTERN_SLOTS + 3, NULL);
    ck_assert_uint_eq(few.told + few.counted, all);
    ck_assert_uint_lt(few.told, 200);
    ck_assert_uint_eq(many.told + many.counted, all);
    ck_assert_uint_gt(many.told, all / 2);
}
END_TEST

/* Of words that lie n words apart, as many lanes share a bank as n and 32 have in common. */
START_TEST(what_a_pattern_costs_comes_back_with_it)
{
    static const unsigned share[] = {1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4};
    for (unsigned strides = 1; strides <= 12; strides++) {
        struct simt_counters c;
        uint64_t wavefronts = 0;
        alternate(strides, &c);
        for (unsigned i = 0; i < 300; i++) {
            wavefronts += 4 * 2 * share[i % strides];
        }
        ck_assert_uint_eq(c.shared_load_wavefronts, wavefronts);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("repeats");
    tcase_add_test(tests, each_request_is_heard_of_in_its_turn);
    tcase_add_test(tests, notes_are_the_calls_they_replace);
    tcase_add_test(tests, lines_of_the_sample_are_not_noted);
    tcase_add_test(tests, patterns_that_come_again_are_counted);
    tcase_add_test(tests, what_a_pattern_costs_comes_back_with_it);
    return run_suite("repeats", tests);
}
