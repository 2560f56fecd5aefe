/* model.c - see model.h. */
#include "time/model.h"
#include "base/room.h"
#include "time/latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/gpu/occupancy.h"
#include "ir/ops.h"
#include "time/balance.h"

enum { SECTOR_BYTES = 32, MOST_WARPS = 64, TENSOR_CORES = 4 };

/* --- what fits -------------------------------------------------------------------------------- */

static struct occupancy occupancy_for(const struct gpu_limits *g, const struct simt_launch *l,
                                      const struct kernel *k, unsigned registers)
{
    const struct occupancy_request request = {.threads_per_block =
                                                  l->block.x * l->block.y * l->block.z,
                                              .registers_per_thread = registers,
                                              .static_shared_bytes = k->static_shared_bytes,
                                              .dynamic_shared_bytes = l->dynamic_shared_bytes};
    struct occupancy o;
    occupancy_compute(g, &request, &o);
    return o;
}

unsigned model_resident(const struct gpu_limits *g, const struct simt_launch *l,
                        const struct kernel *k, unsigned registers)
{
    const unsigned blocks = occupancy_for(g, l, k, registers).blocks_per_sm;
    return blocks > 0 ? blocks : 1;
}

/* The driver gives shared memory the smallest of its sizes that holds all resident blocks. L1 and
 * shared memory together are 256 KB on Hopper, 28 KB more than what shared memory can have. */
uint64_t model_l1_bytes(const struct gpu_limits *g, const struct simt_launch *l,
                        const struct kernel *k, unsigned resident)
{
    static const unsigned sizes_kb[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    const uint64_t each = k->static_shared_bytes + l->dynamic_shared_bytes;
    const uint64_t wanted = each > 0 ? resident * (each + g->shared_bytes_reserved) : 0;
    const uint64_t both = g->shared_bytes_per_sm + 28 * 1024;
    for (unsigned i = 0; i < sizeof sizes_kb / sizeof sizes_kb[0]; i++) {
        if (wanted <= sizes_kb[i] * 1024u && sizes_kb[i] * 1024u <= g->shared_bytes_per_sm) {
            return both - sizes_kb[i] * 1024u;
        }
    }
    return both - g->shared_bytes_per_sm;
}

/* --- traffic ---------------------------------------------------------------------------------- */

/* The share of what a launch touches that an L2 still has from the launch before: all if it fits
 * well, nothing if it is a fifth more than the L2. */
static double kept_in_l2(const struct gpu_rates *r, double bytes, bool cold)
{
    const double fill = bytes / (double)r->l2_effective_bytes;
    return cold || bytes == 0
               ? 0
               : fmin(1, fmax(0, (gpu_model.l2_keeps_until - fill) / gpu_model.l2_keeps_over));
}

static void find_traffic(struct model *m, const struct model_input *in, double kept)
{
    const struct launch_work *w = in->work;
    const struct cache_result *h = in->hits;
    const double touched = (double)in->bytes.read;
    m->l1_hit = h->l1_load_sectors > 0 ? h->l1_load_hits / h->l1_load_sectors : NAN;
    const double misses = w->load_sectors * (isnan(m->l1_hit) ? 1 : 1 - m->l1_hit);
    m->l2_sectors = fmax(misses + w->bulk_load_sectors, touched / SECTOR_BYTES) + w->store_sectors +
                    w->atomic_sectors + w->local_store_sectors + w->bulk_store_sectors;
    m->dram_read_bytes = touched * (h->dram_read_ratio - kept) + h->partial_bytes;
    m->dram_write_bytes = in->cold
                              ? h->dram_write_bytes
                              : fmax(h->dram_write_bytes, (1 - kept) * (double)in->bytes.written);
    m->dram_read_bytes = fmax(0, m->dram_read_bytes);
}

/* --- together --------------------------------------------------------------------------------- */

/* The L1's wavefronts: those of shared memory and of global memory, a store's with one more; and
 * the cycles in which textures come through it. */
static double l1_wavefronts(const struct launch_work *w)
{
    return w->shared_wavefronts + w->load_wavefronts + w->store_wavefronts + w->store_requests +
           w->atomic_requests + w->local_wavefronts + w->texture_cycles;
}

/* What either pipe can do goes to the one that is free earlier. */
static void balance_pipes(struct cost *c, const struct gpu_pipes *p)
{
    const double fma = c->fma + c->heavy;
    const double even = ((fma + c->either) / p->fma - c->alu / p->alu) / (1 / p->alu + 1 / p->fma);
    const double to_alu = fmin(c->either, fmax(0, even));
    c->alu += to_alu;
    c->fma += c->either - to_alu;
    c->either = 0;
}

/* To other blocks' shared memory each sector goes by itself, and the slower, the more SMs send. */
static double cluster_cycles(const struct launch_work *w, double sms)
{
    const double sending = fmin(1, w->blocks / sms);
    const double one_store = gpu_model.cluster_store_cycles +
                             sending * gpu_model.cluster_store_queue_cycles,
                 one_atomic = gpu_model.cluster_atomic_cycles +
                              sending * gpu_model.cluster_atomic_queue_cycles;
    return w->cluster_load_sectors * gpu_model.cluster_load_cycles +
           w->cluster_store_sectors * one_store + w->cluster_atomic_sectors * one_atomic;
}

static void find_parts(struct model *m, const struct model_input *in, const struct gpu_rates *r,
                       const struct chain *chain)
{
    const struct launch_work *w = in->work;
    struct cost done = w->likely, *c = &done;
    const double sms = in->limits->sm_count;
    /* tensor cores in use slow the clock down */
    const double cycle_us = 1e-3 / r->clock_ghz * (w->slows_clock ? gpu_model.tensor_clock : 1);
    const double per_sm = ceil(w->blocks / sms); /* blocks of the SM that has most */
    const struct balance uneven =
        balance_of(in->block_work, in->block_count, in->limits->sm_count, m->blocks_per_sm);
    /* Of the work, on that SM. Where blocks differ it runs full as long as it has many, and at the
     * pace of one when the last ones are left: between the two. */
    const double share = per_sm / w->blocks * sqrt(uneven.fullest * uneven.longest);
    const double warps = w->warps / w->blocks;
    const double schedulers = fmin(4, per_sm * warps) / 4; /* in use */
    double *us = m->part_us;
    cost_add(&done, &chain->guarded, w->warps);
    m->share_of_sms = 1 / (share * sms);
    m->l1_wavefronts = l1_wavefronts(w);
    m->product_share = w->product_wavefronts / fmax(1, m->l1_wavefronts);
    m->phases = w->phases;
    m->shared_load_wavefronts = w->shared_load_wavefronts / w->warps;
    m->shared_store_wavefronts = w->shared_store_wavefronts / w->warps;
    m->global_wavefronts = (l1_wavefronts(w) - w->shared_wavefronts) / w->warps;
    m->instructions = cost_issue(c);
    us[FLOOR_ISSUE] = m->instructions * share / (r->pipes.issue * schedulers) * cycle_us;
    balance_pipes(c, &r->pipes);
    us[FLOOR_FMA] = (c->fma + c->heavy) * share / (r->pipes.fma * schedulers) * cycle_us;
    us[FLOOR_ALU] = c->alu * share / (r->pipes.alu * schedulers) * cycle_us;
    us[FLOOR_FP64] = c->fp64 * share / (r->pipes.fp64 * schedulers) * cycle_us;
    us[FLOOR_XU] = c->xu * share / (r->pipes.xu * schedulers) * cycle_us;
    us[FLOOR_TENSOR] = w->tensor_cycles * share / (TENSOR_CORES * schedulers) * cycle_us;
    us[FLOOR_LSU] = (c->lsu + 2 * w->constant_replays) * share / r->pipes.lsu * cycle_us;
    us[FLOOR_L1] = l1_wavefronts(w) * share / r->l1_wavefronts_per_cycle * cycle_us;
    const double lonely =
        w->lonely_loads * (isnan(m->l1_hit) ? 1 : 1 - m->l1_hit) + w->lonely_stores;
    const double l2_bytes =
        (m->l2_sectors + r->l2_lonely * lonely + r->l2_atomic * w->atomic_sectors) * SECTOR_BYTES;
    const double partial_bytes = w->partial_stores * SECTOR_BYTES;
    m->l2_plain_us = l2_bytes / (r->l2_reached_gb_per_s * 1e3) +
                     (double)(in->bytes.read + in->bytes.written) / (r->l2_fill_gb_per_s * 1e3);
    us[FLOOR_L2] = fmax(m->l2_plain_us + partial_bytes / (r->l2_reached_gb_per_s * 1e3),
                        (l2_bytes + partial_bytes) * share / r->l2_sm_bytes_per_cycle * cycle_us);
    us[FLOOR_DRAM] = m->dram_read_bytes / (r->dram_read_gb_per_s * 1e3) +
                     m->dram_write_bytes / (r->dram_write_gb_per_s * 1e3);
    const double rounds = fmax(1, ceil(w->blocks / (sms * m->blocks_per_sm) - gpu_model.last_wave));
    m->stall_share = fmax(0, 1 - chain->issue / (chain->cycles + r->block_start_cycles));
    us[MODEL_LATENCY] =
        (chain->cycles + r->block_start_cycles) * rounds * uneven.longest * cycle_us;
    us[MODEL_BARRIERS] = chain->barriers * w->warps * share / r->pipes.barrier * cycle_us;
    us[FLOOR_BLOCKS] = w->blocks / r->blocks_per_us;
    us[MODEL_ATOMICS] = fmax(in->hits->hottest_turns / r->atomics_per_cycle,
                             in->hits->fullest_turns / r->unit_atomics_per_cycle) *
                        cycle_us;
    us[MODEL_CLUSTER] = cluster_cycles(w, sms) * share * cycle_us;
}

/* Those that are close add up: a norm of a power between the sum (1) and the largest (infinite), to
 * that power, of all that the GPU works. */
static double sum_of_resources(const double us[MODEL_PARTS])
{
    double sum = 0;
    for (unsigned p = FLOOR_BLOCKS; p < MODEL_PARTS; p++) {
        sum += p == MODEL_LATENCY ? 0 : pow(us[p], gpu_model.among_resources);
    }
    return sum;
}

/* Memory and the SMs fill up when a launch begins and run empty when it ends. One of few blocks
 * fills nothing: what its warps wait for is all that it takes beside an empty launch. */
static double launch_us(const struct model *m, const struct gpu_rates *r)
{
    const double work = pow(sum_of_resources(m->part_us), 1 / gpu_model.among_resources);
    return r->least_launch_us +
           (r->launch_us - r->least_launch_us) * fmin(1, work / gpu_model.full_launch_us);
}

/* What is waited for adds to what is worked the more, the fewer warps there are: those of one
 * block, or of few, wait and work at the same time, and many do one while others do the other. */
static double combine(const struct model *m, double warps)
{
    const double among_resources = gpu_model.among_resources,
                 with_latency = 1 + gpu_model.with_latency * warps / MOST_WARPS;
    const double stalls = m->part_us[MODEL_LATENCY] * m->stall_share;
    double us[MODEL_PARTS];
    memcpy(us, m->part_us, sizeof us);
    /* wgmma reads its operands while it multiplies */
    const double operands = us[FLOOR_L1] * m->product_share;
    us[FLOOR_TENSOR] = fmax(us[FLOOR_TENSOR], operands);
    us[FLOOR_L1] -= operands;
    const double sum = sum_of_resources(us);
    const double together =
        pow(pow(sum, with_latency / among_resources) + pow(stalls, with_latency), 1 / with_latency);
    /* products wait for each other: a launch takes as long as one warp at least */
    return us[FLOOR_TENSOR] > 0 ? fmax(together, us[MODEL_LATENCY]) : together;
}

/* The resource that is busy for most of the time, as a profiler has it: in shares of its peak.
 * Where none is for half of it, what is waited for. */
static unsigned limiter_of(const struct model *m, const struct gpu_rates *r)
{
    double busy[MODEL_PARTS];
    unsigned best = FLOOR_ISSUE;
    memcpy(busy, m->part_us, sizeof busy);
    busy[FLOOR_DRAM] = (m->dram_read_bytes + m->dram_write_bytes) / (r->dram_gb_per_s * 1e3);
    busy[FLOOR_L2] = fmax(busy[FLOOR_L2], gpu_model.l2_crossing * m->l2_plain_us);
    for (unsigned p = FLOOR_ISSUE; p < FLOOR_L2; p++) {
        busy[p] *= m->share_of_sms; /* ncu has the average of all SMs */
    }
    busy[FLOOR_LSU] *=
        gpu_model.behind_l1; /* L1 behind it is the better name where both are busy */
    for (unsigned p = FLOOR_ISSUE; p < MODEL_LATENCY; p++) {
        best = busy[p] > busy[best] ? p : best;
    }
    if (busy[best] >= gpu_model.limits_from * m->us) {
        return best;
    }
    best = MODEL_LATENCY;
    for (unsigned p = MODEL_ATOMICS; p < MODEL_PARTS; p++) {
        best = m->part_us[p] > m->part_us[best] ? p : best;
    }
    return m->part_us[FLOOR_BLOCKS] > m->part_us[best] ? FLOOR_BLOCKS : best;
}

static unsigned blocks_asked_for(const struct model_input *in, unsigned fit)
{
    const int asked = (int)(fit * (in->times_blocks > 0 ? in->times_blocks : 1)) + in->more_blocks;
    return asked > 1 ? (unsigned)asked : 1;
}

/* What each of the pieces takes of it; none: nothing. */
static double each(double cycles, double pieces) { return pieces > 0 ? cycles / pieces : 0; }

void model_sm_view(const struct model_input *in, const struct model *m, struct sm_view *out)
{
    const struct gpu_rates rates = gpu_rates(in->limits);
    const struct launch_work *w = in->work;
    struct latency_state state = {in, &rates, kept_in_l2(&rates, (double)in->bytes.all, in->cold)};
    const double blocks = ceil(w->blocks / in->limits->sm_count);
    const double cycles = rates.clock_ghz * 1e3, requested = w->load_sectors + w->store_sectors;
    const double share = 1 / (m->share_of_sms * in->limits->sm_count);
    const double sectors = m->l2_sectors * share, atomics = w->atomic_requests * share;
    const double wavefronts = w->load_wavefronts + w->store_wavefronts;
    const struct sm_view_input line = {
        .k = in->launch->kernel,
        .sites = in->launch->sites,
        .warps = w->warps,
        .warps_a_block = (unsigned)ceil(w->warps / w->blocks),
        .resident = (unsigned)fmin(m->blocks_per_sm, blocks),
        .blocks = (unsigned)blocks,
        .rates = &rates,
        .latency = memory_latency,
        .state = &state,
        .start_cycles = rates.block_start_cycles,
        .l1_wavefronts_a_sector = requested > 0 ? wavefronts / requested : 0.25,
        .l2_share = isnan(m->l1_hit) ? 1 : 1 - m->l1_hit,
        .l2_cycles = each(m->part_us[FLOOR_L2] * cycles, sectors),
        .dram_cycles = each(m->part_us[FLOOR_DRAM] * cycles, sectors),
        .atomic_cycles = each(m->part_us[MODEL_ATOMICS] * cycles, atomics),
        .block_cycles = m->part_us[FLOOR_BLOCKS] * cycles / blocks};
    sm_view_make(&line, out);
}

struct model model_of(const struct model_input *in)
{
    const struct gpu_rates rates = gpu_rates(in->limits);
    const struct kernel *k = in->launch->kernel;
    const struct occupancy o = occupancy_for(in->limits, in->launch->launch, k, in->registers);
    const double kept = kept_in_l2(&rates, (double)in->bytes.all, in->cold);
    struct latency_state state = {in, &rates, kept};
    struct model m = {.us = NAN, .l1_hit = NAN};
    m.blocks_per_sm = blocks_asked_for(in, o.blocks_per_sm);
    m.sm_count = in->limits->sm_count;
    m.warps_per_sm =
        o.blocks_per_sm > 0 ? o.warps_per_sm / o.blocks_per_sm * m.blocks_per_sm : o.warps_per_sm;
    m.occupancy = o.occupancy;
    const struct chain chain =
        kept_chain_of(in->kept, k, in->launch->sites, in->work->warps,
                      in->work->warps / in->work->blocks, &rates, memory_latency, &state);
    m.warp_cycles = chain.cycles;
    find_traffic(&m, in, kept);
    find_parts(&m, in, &rates, &chain);
    const double warps = fmin(m.warps_per_sm, ceil(in->work->blocks / m.sm_count) *
                                                  (in->work->warps / in->work->blocks));
    const double busy = combine(&m, warps);
    m.part_us[FLOOR_LAUNCH] = launch_us(&m, &rates);
    m.us = m.part_us[FLOOR_LAUNCH] + busy;
    m.limiter = limiter_of(&m, &rates);
    return m;
}

const char *model_part_name(unsigned part)
{
    switch (part) {
    case MODEL_LATENCY:
        return "latency";
    case MODEL_ATOMICS:
        return "atomics";
    case MODEL_BARRIERS:
        return "barriers";
    case MODEL_CLUSTER:
        return "cluster";
    default:
        return floor_name((enum floor_resource)part);
    }
}
