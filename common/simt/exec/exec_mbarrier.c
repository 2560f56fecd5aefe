/* exec_mbarrier.c - barriers in shared memory: threads arrive, and test whether a phase is over.
 *
 * A phase is over when as many have arrived as are expected, and as many bytes have come; then the
 * next one begins. A block runs on one thread, so nothing here is atomic. Hardware: PTX ISA,
 * "Parallel Synchronization and Communication Instructions: mbarrier". */
#include "exec/exec.h"
#include "exec/exec_address.h"
#include "exec/exec_mbarrier.h"
#include "exec/exec_types.h"
#include "machine/cluster.h"
#include "machine/mbarrier.h"

#include <string.h>

/* That of a block of the cluster. */
static u64 *remote_barrier(struct warp *w, const struct insn *in, unsigned lane, u64 address)
{
    void *at = exec_reach_cluster(w, in, lane, address, sizeof(u64), "mbarrier");
    if (at != NULL && address % sizeof(u64) != 0) {
        fault(w, in, lane, SIMT_MISALIGNED,
              "an mbarrier at 0x%llx of shared::cluster is misaligned: it must be a multiple of 8",
              (unsigned long long)address);
        return NULL;
    }
    return at;
}

/* Where the lane's barrier lies; NULL after a fault. */
static u64 *barrier_of(struct warp *w, const struct insn *in, unsigned lane, u64 address)
{
    const struct block *b = w->block;
    u64 offset = address + (u64)in->offset;
    if (!(in->space == PTX_GENERIC && offset >> WINDOW_SHIFT != WINDOW_SHARED) &&
        (in->space == PTX_GENERIC || in->flags & INSN_CLUSTER) &&
        (offset & (WINDOW_BASE(1) - 1)) >> CLUSTER_SHIFT != 0) {
        return remote_barrier(w, in, lane, offset & (WINDOW_BASE(1) - 1));
    }
    if (in->space == PTX_GENERIC && offset >> WINDOW_SHIFT != WINDOW_SHARED) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "an mbarrier at 0x%llx: it must lie in shared memory", (unsigned long long)offset);
        return NULL;
    }
    offset &= WINDOW_BASE(1) - 1;
    if (b->shared_bytes < sizeof(u64) || offset > b->shared_bytes - sizeof(u64)) {
        fault(
            w, in, lane, SIMT_ILLEGAL_ADDRESS,
            "an mbarrier at offset %llu is out of bounds: the block has %u bytes of shared memory",
            (unsigned long long)offset, b->shared_bytes);
        return NULL;
    }
    if (offset % sizeof(u64) != 0) {
        fault(
            w, in, lane, SIMT_MISALIGNED,
            "an mbarrier at offset %llu of shared memory is misaligned: it must be a multiple of 8",
            (unsigned long long)offset);
        return NULL;
    }
    return (u64 *)(void *)(b->shared + offset);
}

/* One that has been initialised. */
static bool load(struct warp *w, const struct insn *in, unsigned lane, const u64 *at,
                 struct mbarrier *m)
{
    if (*at == MBARRIER_NONE) {
        fault(
            w, in, lane, SIMT_BARRIER,
            "an mbarrier that nobody has initialised: one thread calls init(&barrier, count), and "
            "__syncthreads() comes before the first use");
        return false;
    }
    *m = mbarrier_of(*at);
    return true;
}

static void store(u64 *at, struct mbarrier m)
{
    if (m.pending == 0 && m.bytes == 0) {
        m.phase = (m.phase + 1) % MBARRIER_PHASES;
        m.pending = m.expected;
    }
    *at = mbarrier_word(m);
}

/* Runs `one` for each active lane in turn; false after a fault. */
typedef bool (*lane_step)(struct warp *w, const struct insn *in, unsigned lane, u64 *at);

static const struct insn *each(struct warp *w, const struct insn *in, lane_step one)
{
    const u64 *address = exec_reach_addresses(w, in);
    w->polled = true;
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        unsigned lane = first_lane(left);
        u64 *at = barrier_of(w, in, lane, address[lane]);
        if (at == NULL || !one(w, in, lane, at)) {
            return NULL;
        }
    }
    return in + 1;
}

static u32 operand_b(const struct warp *w, const struct insn *in, unsigned lane)
{
    return ((const u32 *)warp_ref(w, in->b))[lane];
}

static bool init(struct warp *w, const struct insn *in, unsigned lane, u64 *at)
{
    u32 count = operand_b(w, in, lane);
    if (count == 0 || count > MBARRIER_MOST) {
        fault(w, in, lane, SIMT_BARRIER, "an mbarrier for %u arrivals: 1 to %u are possible", count,
              (unsigned)MBARRIER_MOST);
        return false;
    }
    *at = mbarrier_word((struct mbarrier){.expected = count, .pending = count});
    return true;
}

static bool inval(struct warp *w, const struct insn *in, unsigned lane, u64 *at)
{
    (void)w, (void)in, (void)lane;
    *at = MBARRIER_NONE;
    return true;
}

/* So many more bytes are to come, or fewer. */
static bool change_bytes(struct warp *w, const struct insn *in, unsigned lane, u64 *at, s64 by)
{
    struct mbarrier m;
    if (!load(w, in, lane, at, &m)) {
        return false;
    }
    if (m.bytes + by > MBARRIER_MOST || m.bytes + by < -(s64)MBARRIER_MOST) {
        fault(w, in, lane, SIMT_BARRIER,
              "an mbarrier that waits for %lld bytes: 2^20 - 1 are the most in one phase",
              (long long)(m.bytes + by));
        return false;
    }
    m.bytes = (s32)(m.bytes + by);
    if (by < 0) {
        store(at, m);
    } else {
        *at = mbarrier_word(m);
    }
    return true;
}

static bool come(struct warp *w, const struct insn *in, unsigned lane, u64 *at, bool drop)
{
    struct mbarrier m;
    const u32 count = operand_b(w, in, lane);
    const u32 bytes = in->c != NO_REF ? ((const u32 *)warp_ref(w, in->c))[lane] : 0;
    if (!change_bytes(w, in, lane, at, bytes) || !load(w, in, lane, at, &m)) {
        return false;
    }
    if (count > m.pending) {
        fault(w, in, lane, SIMT_BARRIER,
              "more arrivals at an mbarrier than the %u that it was initialised for, in one phase",
              m.expected);
        return false;
    }
    if (in->d != NO_REF) {
        ((u64 *)warp_ref(w, in->d))[lane] = *at;
    }
    m.pending -= count;
    m.expected -= drop ? count : 0;
    store(at, m);
    return true;
}

static bool arrive(struct warp *w, const struct insn *in, unsigned lane, u64 *at)
{
    return come(w, in, lane, at, false);
}

static bool arrive_drop(struct warp *w, const struct insn *in, unsigned lane, u64 *at)
{
    return come(w, in, lane, at, true);
}

static bool expect(struct warp *w, const struct insn *in, unsigned lane, u64 *at)
{
    return change_bytes(w, in, lane, at, operand_b(w, in, lane));
}

static bool complete(struct warp *w, const struct insn *in, unsigned lane, u64 *at)
{
    return change_bytes(w, in, lane, at, -(s64)operand_b(w, in, lane));
}

bool exec_mbarrier_complete(struct warp *w, const struct insn *in, unsigned lane, u64 address,
                            u32 bytes)
{
    u64 *at = remote_barrier(w, in, lane, address & (WINDOW_BASE(1) - 1));
    return at != NULL && change_bytes(w, in, lane, at, -(s64)bytes);
}

static void tell(struct warp *w, const struct insn *in, unsigned lane, const u64 *at, bool over)
{
    u32 *p = warp_ref(w, in->d);
    *p = (*p & ~(1u << lane)) | (u32)over << lane;
    if (!over && w->block->cluster->size == 1) { /* only this block's threads can end it */
        const u8 *host = (const u8 *)at;
        warp_asks(w, in, (u64)(host - w->block->shared), host, false);
        w->question.is_phase = true;
    }
}

static bool test(struct warp *w, const struct insn *in, unsigned lane, u64 *at)
{
    struct mbarrier m;
    bool good = load(w, in, lane, at, &m);
    if (good) {
        tell(w, in, lane, at, mbarrier_phase(((const u64 *)warp_ref(w, in->b))[lane]) != m.phase);
    }
    return good;
}

/* Has the phase of that parity, the present one or the one before it, come to its end? */
static bool test_parity(struct warp *w, const struct insn *in, unsigned lane, u64 *at)
{
    struct mbarrier m;
    bool good = load(w, in, lane, at, &m);
    if (good) {
        tell(w, in, lane, at, (operand_b(w, in, lane) & 1u) != (m.phase & 1u));
    }
    return good;
}

/* try_wait: where the phase goes on, other warps go on now. */
static const struct insn *give_way(struct warp *w, const struct insn *in, const struct insn *next)
{
    const lane_mask over = read_predicate(w, in->d, false);
    const lane_mask waiting = w->active & ~over;
    if (next == NULL || waiting == 0) {
        w->awaits = 0;
        return next;
    }
    const u64 address = exec_reach_addresses(w, in)[first_lane(waiting)] + (u64)in->offset;
    w->awaits = (address & (WINDOW_BASE(1) - 1)) + 1;
    w->awaiting = in;
    w->waited = true;
    if (w->fuel > 0) {
        w->slice -= w->fuel;
        w->fuel = 0;
    }
    return next;
}

HANDLER(mbarrier_try) { return give_way(w, in, each(w, in, test)); }

HANDLER(mbarrier_try_parity) { return give_way(w, in, each(w, in, test_parity)); }

#define BARRIER_HANDLER(name, step)                                                                \
    HANDLER(mbarrier_##name) { return each(w, in, step); }
BARRIER_HANDLER(init, init)
BARRIER_HANDLER(inval, inval)
BARRIER_HANDLER(arrive, arrive)
BARRIER_HANDLER(arrive_drop, arrive_drop)
BARRIER_HANDLER(copies, arrive)
BARRIER_HANDLER(expect_tx, expect)
BARRIER_HANDLER(complete_tx, complete)
BARRIER_HANDLER(test, test)
BARRIER_HANDLER(test_parity, test_parity)

HANDLER(mbarrier_pending)
{
    const u64 *state = warp_ref(w, in->b);
    u32 *d = warp_ref(w, in->d);
    WRITE_LANES(u32, d, mbarrier_of(state[i]).pending);
    return in + 1;
}

const struct handler exec_mbarrier_table[] = {
    HANDLER_ROW(mbarrier_init, WORK, MBARRIER, CLEAR),
    HANDLER_ROW(mbarrier_inval, WORK, MBARRIER, CLEAR),
    HANDLER_ROW(mbarrier_arrive, WORK, MBARRIER, CLEAR),
    HANDLER_ROW(mbarrier_arrive_drop, WORK, MBARRIER, CLEAR),
    HANDLER_ROW(mbarrier_copies, WORK, MBARRIER, CLEAR),
    HANDLER_ROW(mbarrier_expect_tx, WORK, MBARRIER, CLEAR),
    HANDLER_ROW(mbarrier_complete_tx, WORK, MBARRIER, CLEAR),
    HANDLER_ROW(mbarrier_test, WORK, MBARRIER, CLEAR),
    HANDLER_ROW(mbarrier_test_parity, WORK, MBARRIER, CLEAR),
    HANDLER_ROW(mbarrier_try, WORK, MBARRIER, CLEAR),
    HANDLER_ROW(mbarrier_try_parity, WORK, MBARRIER, CLEAR),
    HANDLER_ROW(mbarrier_pending, WORK, QUIET, CLEAR),
    {0}};
