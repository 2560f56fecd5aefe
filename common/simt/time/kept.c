/* kept.c - see kept.h. Of 10,000 launches of a small kernel all but the first find everything here:
 * with SIMT_MODEL=1 finding the chain was two fifths of such a launch's instructions, and what
 * instructions cost a tenth. */
#include "time/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "time/carried.h"
#include "time/fuse.h"
#include "time/hoist.h"

enum { MOST_INSNS = 4096 }; /* whose costs are kept: half a megabyte */

void kept_chain_free(struct kept_chain *c)
{
    free(c->sites);
    free(c->answers);
    *c = (struct kept_chain){.sites = NULL};
}

static void forget(struct kept_kernel *k)
{
    for (unsigned f = 0; k->costs != NULL && f < k->func_count; f++) {
        free(k->costs[f]);
    }
    free(k->costs);
    free(k->hoisted);
    free(k->carried);
    kept_chain_free(&k->chain);
    *k = (struct kept_kernel){.serial = 0};
}

void kept_free(struct kept_kernels *all)
{
    for (unsigned i = 0; i < KEPT_KERNELS; i++) {
        forget(&all->of[i]);
    }
}

static struct insn_cost *costs_of(const struct function_ir *ir)
{
    struct insn_cost *costs = room_raw(ir->insn_count + 1, sizeof *costs);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        costs[i] = fuse_cost(ir, i);
    }
    return costs;
}

static struct insn_cost **all_costs(const struct kernel *k)
{
    uint64_t insns = 0;
    for (unsigned f = 0; f < k->func_count; f++) {
        insns += k->funcs[f]->ir->insn_count;
    }
    if (insns > MOST_INSNS) {
        return NULL;
    }
    struct insn_cost **costs = room_raw(k->func_count + 1, sizeof *costs);
    for (unsigned f = 0; f < k->func_count; f++) {
        costs[f] = costs_of(k->funcs[f]->ir);
    }
    return costs;
}

struct kept_kernel *kept_find(struct kept_kernels *all, const struct kernel *k)
{
    struct kept_kernel *own = &all->of[k->serial % KEPT_KERNELS];
    if (own->serial != k->serial) {
        forget(own);
        own->serial = k->serial;
        own->hoisted = room_new(k->code_count + 1, sizeof *own->hoisted);
        own->carried = room_new(k->code_count + 1, sizeof *own->carried);
        hoist_find_codes(k, own->hoisted);
        carried_find_codes(k, own->carried);
        own->takes_tasks = carried_takes_tasks(k, own->carried);
        own->costs = all_costs(k);
        own->func_count = k->func_count;
    }
    return own;
}

/* --- the chain -------------------------------------------------------------------------------- */

/* Who answers while a chain is found. */
struct listener {
    struct kept_chain *kept;
    chain_latency latency;
    void *state;
};

static struct chain_wait answer_and_note(void *state, uint32_t pc, const struct ptx_insn *in)
{
    const struct listener *l = state;
    struct kept_chain *kept = l->kept;
    const struct chain_wait wait = l->latency(l->state, pc, in);
    ROOM_FOR_ONE(kept->answers, kept->answer_count, kept->answer_room, 16);
    kept->answers[kept->answer_count++] = (struct kept_answer){pc, in, wait};
    return wait;
}

/* The same counts, and the same answer to each question: the chain would come out the same. */
static bool is_still_true(const struct kept_chain *kept, const struct kernel *k,
                          const struct site *sites, double warps, double warps_a_block,
                          chain_latency latency, void *state)
{
    bool same = kept->sites != NULL && kept->warps == warps &&
                kept->warps_a_block == warps_a_block &&
                memcmp(kept->sites, sites, k->site_count * sizeof *sites) == 0;
    for (unsigned i = 0; same && i < kept->answer_count; i++) {
        const struct kept_answer *a = &kept->answers[i];
        const struct chain_wait now = latency(state, a->pc, a->in);
        same = memcmp(&now, &a->wait, sizeof now) == 0;
    }
    return same;
}

struct chain kept_chain_of(struct kept_chain *kept, const struct kernel *k,
                           const struct site *sites, double warps, double warps_a_block,
                           const struct gpu_rates *rates, chain_latency latency, void *state)
{
    if (kept == NULL) {
        return chain_of(k, sites, warps, warps_a_block, rates, latency, state);
    }
    if (!is_still_true(kept, k, sites, warps, warps_a_block, latency, state)) {
        struct listener listener = {kept, latency, state};
        kept_chain_free(kept);
        kept->chain = chain_of(k, sites, warps, warps_a_block, rates, answer_and_note, &listener);
        kept->sites = room_copy(sites, k->site_count, sizeof *sites);
        kept->warps = warps;
        kept->warps_a_block = warps_a_block;
    }
    return kept->chain;
}
