/* test_repeats.c - requests that are counted and reported together (machine/repeats.h): an observer
 * that wants to hear of each request for new sectors in its turn does so, and can say which request
 * of its warp it is. */
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

int main(void)
{
    TCase *tests = tcase_create("repeats");
    tcase_add_test(tests, each_request_is_heard_of_in_its_turn);
    return run_suite("repeats", tests);
}
