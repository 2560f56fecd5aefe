/* work.c - see work.h. */
#include "time/work.h"

#include "ir/ir.h"
#include "time/fuse.h"
#include "time/matrix_work.h"

#include <math.h>

/* PROLOGUE: what every warp does beside its PTX: stack pointer, parameters, special registers,
 * exit. */
enum { SECTOR_BYTES = 32, PROLOGUE = 2 };

/* What a function saved and reads again before it returns: a word of 32 lanes side by side. */
static void add_saved(struct launch_work *w, double words)
{
    w->likely.lsu += 3 * words; /* a store takes two turns, as elsewhere */
    w->local_wavefronts += 2 * words;
    w->local_store_sectors += words * WARP_LANES * 4 / SECTOR_BYTES;
    w->partial_stores += words * WARP_LANES * 4 / SECTOR_BYTES * gpu_model.local_store;
}

static void add_block(struct launch_work *w, const struct kernel *k, const struct site_info *info,
                      const struct site *s, struct insn_cost *const *costs)
{
    const struct code_source *from = &k->source[info->insn];
    const struct function_ir *ir = k->funcs[from->func]->ir;
    for (uint32_t i = 0; i < info->count; i++) {
        struct insn_cost found;
        const struct insn_cost *c = &found;
        if (costs != NULL) {
            c = &costs[from->func][from->insn + i];
        } else {
            found = fuse_cost(ir, from->insn + i);
        }
        cost_add(&w->least, &c->least, (double)s->a);
        cost_add(&w->likely, &c->likely, (double)s->a);
        if (ir->insns[from->insn + i].text->op == PTX_OP_RET) {
            add_saved(w, (double)s->a * ir->saved);
        }
    }
    w->ptx += (double)s->a * info->count;
}

/* What stands beside the tensor cores' own instructions, of which add_block() has counted one. */
static void add_products(struct launch_work *w, const struct kernel *k,
                         const struct site_info *info, const struct site *s)
{
    struct matrix_work m;
    w->tensor_cycles += (double)s->c;
    if (matrix_work_of(k, info->insn, &m)) {
        const double times = (double)s->a / m.instructions;
        cost_add(&w->likely, &m.beside, times);
        w->likely.other += (m.instructions - 1) * times;
        w->product_wavefronts += m.shared_wavefronts * times;
        w->shared_wavefronts += m.shared_wavefronts * times;
    }
    w->slows_clock |= info->kind != SITE_DMMA;
}

/* A round of a loop of swaps, beside its load and its swap: the sum, a comparison, the branch back,
 * and where lanes meet (roof_shared_float_1: six instructions a round). */
static const struct cost round_of_swaps = {.fma = 1, .alu = 1, .other = 2};

static void add_site(struct launch_work *w, const struct kernel *k, const struct site_info *info,
                     const struct site *s)
{
    const double a = (double)s->a, b = (double)s->b;
    const bool is_loop = k->code[info->insn].way == WAY_LOOP;
    switch (info->kind) {
    case SITE_GLOBAL_LOAD:
        w->load_requests += a;
        w->load_sectors += b;
        break;
    case SITE_GLOBAL_STORE:
        w->store_requests += a;
        w->store_sectors += b;
        break;
    case SITE_GLOBAL_RED:
    case SITE_GLOBAL_ATOM:
        w->atomic_requests += a;
        w->atomic_sectors += b;
        break;
    case SITE_SHARED_LOAD:
        w->shared_load_wavefronts += b;
        w->least.lsu += a;
        w->likely.lsu += a;
        w->shared_wavefronts += b;
        break;
    case SITE_SHARED_STORE:
        w->shared_store_wavefronts += b;
        w->least.lsu += a;
        w->likely.lsu += a;
        w->shared_wavefronts += b;
        break;
    case SITE_SHARED_ATOM:
        w->least.lsu += a;
        w->likely.lsu += a;
        cost_add(&w->likely, &round_of_swaps, is_loop ? a : 0);
        w->shared_wavefronts += b;
        break;
    case SITE_HMMA:
    case SITE_IMMA:
    case SITE_DMMA:
        break; /* add_products() */
    case SITE_BULK_LOAD:
        w->bulk_load_sectors += b;
        break;
    case SITE_BULK_STORE:
    case SITE_BULK_RED:
        w->bulk_store_sectors += b;
        break;
    case SITE_BARRIER:
        w->phases = a > w->phases * w->warps ? a / w->warps : w->phases;
        break;
    case SITE_CLUSTER_LOAD:
        w->cluster_load_sectors += b;
        break;
    case SITE_CLUSTER_STORE:
        w->cluster_store_sectors += b;
        break;
    case SITE_CLUSTER_ATOM:
        w->cluster_atomic_sectors += b;
        break;
    case SITE_BLOCK:
    case SITE_BRANCH:
    case SITE_COPY:
    case SITE_COPY_BANKS:
    case SITE_BULK:
    case SITE_UNCOUNTED:
        break;
    }
}

static bool is_product(enum site_kind kind)
{
    return kind == SITE_HMMA || kind == SITE_IMMA || kind == SITE_DMMA;
}

struct launch_work work_of(const struct kernel *k, const struct site *sites,
                           const struct simt_launch *l, struct insn_cost *const *costs)
{
    struct launch_work w = {.ptx = 0};
    const uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    w.blocks = (double)l->grid.x * l->grid.y * l->grid.z;
    w.warps = (double)((threads + WARP_LANES - 1) / WARP_LANES) * w.blocks;
    for (unsigned i = 0; i < k->site_count; i++) {
        if (sites[i].a == 0) {
            continue;
        }
        if (k->sites[i].kind == SITE_BLOCK) {
            add_block(&w, k, &k->sites[i], &sites[i], costs);
        } else if (is_product(k->sites[i].kind)) {
            add_products(&w, k, &k->sites[i], &sites[i]);
        } else {
            add_site(&w, k, &k->sites[i], &sites[i]);
        }
    }
    w.likely.other += PROLOGUE * w.warps;
    w.requests = w.load_requests + w.store_requests + w.atomic_requests;
    w.least.lsu += w.load_requests + 2 * w.store_requests + w.atomic_requests;
    w.likely.lsu += w.load_requests + 2 * (w.requests - w.load_requests); /* address, then data */
    return w;
}

struct floor_work work_for_floor(const struct launch_work *w, const struct gpu_limits *g,
                                 double read_bytes, double written_bytes, bool cold)
{
    return (struct floor_work){
        .blocks = w->blocks,
        .warps = w->warps,
        .issue = cost_issue(&w->least),
        .fma = w->least.fma,
        .alu = w->least.alu,
        .fp64 = w->least.fp64,
        .xu = w->least.xu,
        .tensor_cycles = w->tensor_cycles,
        .lsu = w->least.lsu,
        .l1_wavefronts = w->shared_wavefronts + w->load_wavefronts + w->store_wavefronts,
        /* Stores and atomics go through to the L2; what is read comes from there once at least. */
        .l2_sectors = w->store_sectors + w->atomic_requests + read_bytes / SECTOR_BYTES,
        .dram_bytes = floor_dram_bytes(g, read_bytes, written_bytes, cold),
        .first_bytes = cold ? read_bytes + written_bytes : 0,
    };
}

struct launch_work work_coalesced(const struct launch_work *w, const struct kernel *k,
                                  const struct site *sites)
{
    struct launch_work better = *w;
    double loads = 0, stores = 0; /* sectors that go */
    for (unsigned i = 0; i < k->site_count; i++) {
        const struct site_info *info = &k->sites[i];
        const bool load = info->kind == SITE_GLOBAL_LOAD, store = info->kind == SITE_GLOBAL_STORE;
        const double least = (double)sites[i].a * k->code[info->insn].bytes;
        if ((load || store) && (double)sites[i].b > least) {
            *(load ? &loads : &stores) += (double)sites[i].b - least;
        }
    }
    better.load_sectors = fmax(0, w->load_sectors - loads);
    better.store_sectors = fmax(0, w->store_sectors - stores);
    better.load_wavefronts *= w->load_sectors > 0 ? better.load_sectors / w->load_sectors : 1;
    better.store_wavefronts *= w->store_sectors > 0 ? better.store_sectors / w->store_sectors : 1;
    better.lonely_loads = loads > 0 ? 0 : w->lonely_loads;
    better.partial_stores = stores > 0 ? 0 : w->partial_stores;
    better.lonely_stores = stores > 0 ? 0 : w->lonely_stores;
    return better;
}
