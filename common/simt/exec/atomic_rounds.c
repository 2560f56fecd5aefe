/* atomic_rounds.c - what atomics cost that are loops in machine code, where the values decide how
 * many rounds there are. The loops were read from ptxas's code for sm_90; tests/fidelity/variants
 * has what an H200 counts. Exact for one warp alone: others on the same words cost further rounds.
 */
#include "exec/atomic_rounds.h"

#include "common/gpu/access.h"

#include <string.h>

void atomic_loop_begins(struct warp *w, const struct insn *in, struct atomic_loop *l)
{
    const u32 *narrow_x = warp_ref(w, in->b),
              *narrow_swap = warp_ref(w, in->c != NO_REF ? in->c : in->b);
    const u64 *wide_x = warp_ref(w, in->b);
    l->lanes = w->active;
    for (lane_mask left = l->lanes; left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        l->address[i] = l->reach->start + l->reach->relative[i];
        l->value[i] = 0;
        memcpy(&l->value[i], reach_lane(l->reach, i), in->bytes);
        l->x[i] = in->bytes == 8 ? wide_x[i] : narrow_x[i];
        l->swap[i] = in->bytes == 8 ? 0 : narrow_swap[i];
    }
}

/* --- minima and maxima of 64 bits: LDS, a comparison, ATOMS.CAST.SPIN ------------------------- */

/* Lanes whose update would leave what the last load has brought as it is. */
static lane_mask without_change(const struct atomic_loop *l, lane_mask lanes)
{
    lane_mask same = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned i = first_lane(lanes);
        same |= (lane_mask)(l->next(l->value[i], l->x[i]) == l->value[i]) << i;
    }
    return same;
}

/* All lanes' memory has what those of `through` have written. */
static void write_least(struct atomic_loop *l, lane_mask through)
{
    for (; through != 0; through &= through - 1) {
        const unsigned winner = first_lane(through);
        for (lane_mask left = l->lanes; left != 0; left &= left - 1) {
            const unsigned i = first_lane(left);
            if (l->address[i] == l->address[winner]) {
                l->value[i] = l->x[winner];
            }
        }
    }
}

void atomic_count_least(struct atomic_loop *l, struct site *atomic, struct site *load)
{
    u32 offset[WARP_LANES];
    LANES { offset[i] = (l->lanes >> i & 1u) != 0 ? (u32)l->address[i] : 0; }
    for (lane_mask left = l->lanes; left != 0;) {
        const struct access_shared cost = access_shared_load(offset, left, 8);
        unsigned wavefronts = 0;
        load->a++;
        load->b += cost.wavefronts;
        load->c += cost.conflicts;
        left &= ~without_change(l, left);
        const lane_mask through = access_shared_round(offset, left, 8, &wavefronts);
        write_least(l, through);
        atomic->a += left != 0;
        atomic->b += wavefronts;
        left &= ~through;
    }
}

/* --- 16 bits: the word around is loaded once, then CAS until none has lost -------------------- */

/* Of a lane: where its word is kept, which half of the word is its own, and the word as it was last
 * seen. */
struct word_lane {
    unsigned owner; /* the first lane of the same word */
    unsigned half;
    u16 seen[2];
};

/* Words that lie in `word` of their owners: halves that no lane touches are zeros, since nobody
 * changes them. */
static void find_words(const struct atomic_loop *l, struct word_lane *lane, u16 (*word)[2])
{
    for (lane_mask left = l->lanes; left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        lane[i] = (struct word_lane){.owner = i, .half = l->address[i] >> 1 & 1};
        for (lane_mask before = l->lanes; first_lane(before) < i; before &= before - 1) {
            if (l->address[first_lane(before)] >> 2 == l->address[i] >> 2) {
                lane[i].owner = first_lane(before);
                break;
            }
        }
        word[lane[i].owner][lane[i].half] = (u16)l->value[i];
    }
    for (lane_mask left = l->lanes; left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        memcpy(lane[i].seen, word[lane[i].owner], sizeof lane[i].seen);
    }
}

/* One lane's compare-and-swap of its word. Has it come through? A 16-bit compare-and-swap is tried
 * again only if the other half has changed. */
static bool swap_word(const struct atomic_loop *l, unsigned i, bool compares, struct word_lane *own,
                      u16 word[2])
{
    u16 expected[2], now[2];
    memcpy(expected, own->seen, sizeof expected);
    memcpy(now, word, sizeof now);
    expected[own->half] = compares ? (u16)l->x[i] : expected[own->half];
    if (memcmp(now, expected, sizeof now) == 0) {
        const u64 update = compares ? l->swap[i] : l->next(now[own->half], l->x[i]);
        word[own->half] = (u16)update;
    }
    memcpy(own->seen, now, sizeof now);
    const unsigned other = 1 - own->half;
    return now[other] == expected[other] && (compares || now[own->half] == expected[own->half]);
}

/* Counts an access of 4 bytes to the words of these lanes. */
static void count_words(struct warp *w, const struct insn *in, const u64 *address, lane_mask lanes,
                        enum ptx_space space, bool load)
{
    const unsigned generic = in->space == PTX_GENERIC, loads = in->site + (generic ? 3 : 1);
    if (space == PTX_SHARED) {
        struct site *s = &w->sites[load ? loads : in->site + generic];
        u32 offset[WARP_LANES];
        LANES { offset[i] = (u32)address[i]; }
        const struct access_shared cost =
            load ? access_shared_load(offset, lanes, 4) : access_shared_cas(offset, lanes, 4);
        s->a++;
        s->b += cost.wavefronts;
        s->c += cost.conflicts;
        return;
    }
    struct site *s = &w->sites[load ? loads + 1 : in->site];
    s->a++;
    s->b += load ? access_global_sectors(address, lanes, 4)
                 : access_global_atomic(address, lanes, 4).sectors;
}

unsigned atomic_count_words(struct warp *w, const struct insn *in, struct atomic_loop *l,
                            enum ptx_space space)
{
    struct word_lane lane[WARP_LANES];
    u16 word[WARP_LANES][2] = {{0}};
    u64 address[WARP_LANES] = {0};
    unsigned rounds = 0;
    find_words(l, lane, word);
    for (lane_mask left = l->lanes; left != 0; left &= left - 1) {
        address[first_lane(left)] = l->address[first_lane(left)] & ~(u64)3;
    }
    count_words(w, in, address, l->lanes, space, true);
    for (lane_mask turn = l->lanes; turn != 0;) {
        lane_mask lost = 0;
        count_words(w, in, address, turn, space, false);
        for (lane_mask left = turn; left != 0; left &= left - 1) {
            const unsigned i = first_lane(left);
            const bool through = swap_word(l, i, in->c != NO_REF, &lane[i], word[lane[i].owner]);
            lost |= through ? 0 : (lane_mask)1 << i;
        }
        turn = lost;
        rounds++;
    }
    return rounds;
}
