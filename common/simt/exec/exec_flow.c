/* exec_flow.c - control flow: basic blocks, branches, calls, exits, block barriers. */
#include "exec/exec.h"
#include "exec/exec_native.h"

#include <string.h>

/* Stands at the head of every basic block: counts it, pays for it, and lets lanes reconverge. A
 * block's lanes do not change within it, so counting here is counting every instruction. in->number
 * is this instruction's own code index, in->c the number of PTX instructions in the block. */
HANDLER(enter)
{
    const struct insn *next;
    if (in->flags & INSN_JOIN && w->reconverge != NO_PC && warp_arrives(w, in, &next)) {
        return next;
    }
    if (in->flags & INSN_YIELDS && warp_yields(w, in, &next)) {
        return next;
    }
    if (w->fuel <= 0) {
        return warp_out_of_fuel(w, in);
    }
    w->fuel -= in->c;
    struct site *s = &w->sites[in->site];
    s->a++;
    s->b += lanes_in(w->active);
    return in + 1;
}

static void count_branch(struct warp *w, const struct insn *in, bool divergent)
{
    if (!(in->flags & INSN_UNCOUNTED)) {
        w->sites[in->site].a++;
        w->sites[in->site].b += divergent;
    }
}

/* Branches: in->target is the target's code index; in->points, see kernel.h: where lanes wait. */
HANDLER(bra)
{
    count_branch(w, in, false);
    return w->block->kernel->code + in->target;
}

HANDLER(bra_if)
{
    lane_mask taken = w->active & read_predicate(w, in->a, in->flags & INSN_A_NEGATED);
    bool divergent = taken != 0 && taken != w->active;
    count_branch(w, in, divergent);
    if (in->flags & INSN_YIELDS) {
        return warp_leave_loop(w, in, taken);
    }
    if (divergent) {
        return warp_diverge(w, in, taken, (uint32_t)in->target);
    }
    return taken == 0 ? in + 1 : w->block->kernel->code + in->target;
}

/* brx.idx: in->number is the number of the table of targets, a the index. */
HANDLER(brx)
{
    const uint32_t *index = warp_ref(w, in->a);
    const uint32_t *table = w->block->kernel->tables[in->number];
    uint32_t targets[WARP_LANES];
    bool divergent = false;
    uint32_t first = 0;
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        unsigned i = first_lane(left);
        if (index[i] >= table[0]) {
            return fault(w, in, i, SIMT_ILLEGAL_INSTRUCTION,
                         "branch number %u of a table that has %u", index[i], table[0]);
        }
        targets[i] = table[1 + index[i]];
        first = left == w->active ? targets[i] : first;
        divergent |= targets[i] != first;
    }
    count_branch(w, in, divergent);
    if (divergent) {
        return warp_diverge_many(w, in, targets);
    }
    return w->block->kernel->code + first;
}

HANDLER(exit)
{
    lane_mask leaving = w->active;
    if (in->guard != NO_REF) {
        leaving &= read_predicate(w, in->guard, in->flags & INSN_GUARD_NEGATED);
    }
    return warp_exit(w, in, leaving);
}

HANDLER(trap)
{
    const bool alone = w->block->kernel->uses_workspace && !w->block->launch->cooperative;
    return fault(w, in, first_lane(w->active), SIMT_TRAP, "the kernel executed a trap%s",
                 alone ? ": grid.sync() needs cudaLaunchCooperativeKernel()" : "");
}

/* The warp has nothing to do for a while: another one takes its turn now. Where it asks nothing but
 * an mbarrier for the end of a phase, it waits for that while it sleeps, too. */
HANDLER(nanosleep)
{
    const unsigned other = DID_ASK | DID_NEWS | DID_KEEP;
    if (w->question.is_phase && (w->question.lanes & ~w->active) == 0 && (w->did & other) == 0) {
        w->waited = true;
        w->awaits = w->question.address + 1;
        w->awaiting = w->question.in;
    }
    w->rested = true;
    w->block->fuel += w->fuel > 0 ? w->fuel : 0;
    w->fuel = 0;
    return in + 1;
}

/* Strong loads acquire and strong stores release (exec_single.h); what is missing is that a load
 * behind the fence does not go ahead of a store before it. */
HANDLER(fence)
{
    (void)w;
    atomic_thread_fence(memory_order_seq_cst);
    return in + 1;
}

HANDLER(nop)
{
    (void)w;
    return in + 1;
}

/* The same for a warp: only observers see the difference. */
HANDLER(fence_block) { return exec_nop(w, in); }

HANDLER(async_group) { return exec_nop(w, in); }

/* --- calls ----------------------------------------------------------------------------------- */

/* Copies a parameter of the active lanes from one frame to another. */
static void copy_param(const struct warp *w, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        size_t at = (size_t)first_lane(left) * bytes;
        memcpy(to + at, from + at, bytes);
    }
}

static const struct insn *enter_function(struct warp *w, const struct insn *in, lane_mask lanes,
                                         const struct call_site *call,
                                         const struct kernel_func *callee)
{
    uint8_t *caller_frame = w->base[REF_FRAME];
    const struct insn *next = warp_call(w, in, lanes, call, callee);
    if (next == NULL) {
        return NULL;
    }
    for (unsigned i = 0; i < callee->param_count; i++) {
        copy_param(w, w->base[REF_FRAME] + callee->params[i].offset,
                   caller_frame + call->args[i].offset, callee->params[i].bytes);
    }
    return next;
}

HANDLER(call)
{
    const struct call_site *call = &w->block->kernel->calls[in->number];
    return enter_function(w, in, w->active, call, call->callee);
}

static bool same_sizes(const struct frame_param *a, const struct frame_param *b, unsigned a_count,
                       unsigned b_count)
{
    bool same = a_count == b_count;
    for (unsigned i = 0; same && i < a_count; i++) {
        same = a[i].bytes == b[i].bytes;
    }
    return same;
}

/* A call through a register: one lane group after the other, by the function they call. */
HANDLER(call_indirect)
{
    const struct kernel *k = w->block->kernel;
    const struct call_site *call = &k->calls[in->number];
    const uint64_t *target = warp_ref(w, call->target);
    uint64_t first = target[first_lane(w->active)];
    lane_mask same = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        same |= (lane_mask)(w->active >> i & 1u && target[i] == first) << i;
    }
    const unsigned number = function_number(first, k->module_func_count);
    unsigned index = number == NO_REF ? NO_REF : k->func_of[number];
    if (index == NO_REF) {
        return fault(w, in, first_lane(w->active), SIMT_ILLEGAL_INSTRUCTION,
                     "call of 0x%llx, which is no function", (unsigned long long)first);
    }
    const struct kernel_func *callee = k->funcs[index];
    if (!same_sizes(callee->params, call->args, callee->param_count, call->arg_count) ||
        !same_sizes(callee->returns, call->results, callee->return_count, call->result_count)) {
        return fault(w, in, first_lane(same), SIMT_ILLEGAL_INSTRUCTION,
                     "call of %s through a pointer of another type: the number or the sizes of "
                     "arguments or results differ",
                     callee->ptx->name);
    }
    if (same != w->active) { /* the others call when these have come back: one group at a time */
        return warp_diverge_call(w, in, same);
    }
    return enter_function(w, in, same, call, callee);
}

HANDLER(call_native)
{
    const struct call_site *call = &w->block->kernel->calls[in->number];
    return native_call(w, in, call) ? in + 1 : NULL;
}

/* ret of a function: results go to the caller's frame, lanes to the instruction behind the call. */
HANDLER(ret)
{
    const struct kernel *k = w->block->kernel;
    lane_mask all = w->active, leaving = all;
    if (in->guard != NO_REF) {
        leaving &= read_predicate(w, in->guard, in->flags & INSN_GUARD_NEGATED);
    }
    const struct split *caller = &w->splits[warp_caller(w)];
    const struct call_site *call = &k->calls[caller->call];
    const struct kernel_func *self = k->funcs[w->splits[w->current].func];
    w->active = leaving;
    for (unsigned i = 0; i < call->result_count; i++) {
        copy_param(w, w->stack + caller->frame + call->results[i].offset,
                   w->base[REF_FRAME] + self->returns[i].offset, self->returns[i].bytes);
    }
    w->active = all;
    return warp_return(w, in, leaving);
}

/* Address of a local variable: where the function's variables start, plus in->offset. */
#define LOCAL_ADDRESS(bits, R)                                                                     \
    HANDLER(local_address_##bits)                                                                  \
    {                                                                                              \
        R *d = warp_ref(w, in->d);                                                                 \
        const R value = w->local_offset + (R)in->offset;                                           \
        WRITE_LANES(R, d, value);                                                                  \
        return in + 1;                                                                             \
    }
LOCAL_ADDRESS(32, uint32_t)
LOCAL_ADDRESS(64, uint64_t)

/* in->a: a parameter in the frame, in->b bytes of each lane; to in->offset of local memory. */
HANDLER(copy_param_local)
{
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        size_t lane = first_lane(left);
        memcpy(warp_local(w, lane) + w->local_offset + in->offset,
               w->base[REF_FRAME] + in->a + lane * in->b, in->b);
    }
    return in + 1;
}

/* --- block barriers -------------------------------------------------------------------------- */

/* in->a: barrier number, in->b: thread count or NO_REF; both 32-bit values that must be uniform. */
static const struct insn *barrier(struct warp *w, const struct insn *in, lane_mask predicate,
                                  bool waits, unsigned *id)
{
    unsigned lane = first_lane(w->active);
    *id = ((const uint32_t *)warp_ref(w, in->a))[lane];
    unsigned threads = in->b == NO_REF ? 0 : ((const uint32_t *)warp_ref(w, in->b))[lane];
    if (*id >= BARRIERS) {
        return fault(w, in, lane, SIMT_BARRIER, "barrier %u: a block has barriers 0 to %u", *id,
                     BARRIERS - 1);
    }
    if (w->active != w->live) {
        return warp_block_split(w, in, FULL_MASK); /* for lanes that exit first, or come later */
    }
    if (!w->released) {
        w->sites[in->site].a++;
    }
    return block_barrier(w, in, *id, threads, predicate, waits);
}

HANDLER(bar_sync)
{
    unsigned id;
    return barrier(w, in, 0, true, &id);
}

HANDLER(bar_arrive)
{
    unsigned id;
    return barrier(w, in, 0, false, &id);
}

static const struct insn *barrier_vote(struct warp *w, const struct insn *in,
                                       struct barrier *result)
{
    unsigned id = 0;
    lane_mask p = read_predicate(w, in->c, in->flags & INSN_C_NEGATED);
    const struct insn *next = barrier(w, in, p, true, &id);
    if (next != NULL) {
        *result = w->block->barriers[id];
    }
    return next;
}

HANDLER(bar_red_popc)
{
    struct barrier result;
    const struct insn *next = barrier_vote(w, in, &result);
    if (next != NULL) {
        uint32_t *d = warp_ref(w, in->d);
        WRITE_LANES(uint32_t, d, result.result_popc);
    }
    return next;
}

HANDLER(bar_red_and)
{
    struct barrier result;
    const struct insn *next = barrier_vote(w, in, &result);
    if (next != NULL) {
        write_predicate(w, in->d, result.result_popc == result.result_threads ? FULL_MASK : 0);
    }
    return next;
}

HANDLER(bar_red_or)
{
    struct barrier result;
    const struct insn *next = barrier_vote(w, in, &result);
    if (next != NULL) {
        write_predicate(w, in->d, result.result_popc > 0 ? FULL_MASK : 0);
    }
    return next;
}

const struct insn *exec_guarded(struct warp *w, const struct insn *in)
{
    const lane_mask all = w->active;
    const lane_mask some = all & read_predicate(w, in->guard, in->flags & INSN_GUARD_NEGATED);
    if (some == 0) {
        return in + 1;
    }
    w->active = some;
    const struct insn *next = in->handler(w, in);
    w->active = all;
    return next;
}

const struct handler exec_flow_table[] = {
    HANDLER_ROW(enter, ENTER, QUIET, NONE),
    HANDLER_ROW(bra, BRANCH, QUIET, OPCODE),
    HANDLER_ROW(bra_if, BRANCH, BRANCH, BRANCH),
    HANDLER_ROW(brx, TABLE_BRANCH, TABLE_BRANCH, OPCODE),
    HANDLER_ROW(call, CALL, QUIET, OPCODE),
    HANDLER_ROW(call_native, CALL, QUIET, OPCODE),
    HANDLER_ROW(call_indirect, CALL_INDIRECT, QUIET, OPCODE),
    HANDLER_ROW(ret, END, QUIET, OPCODE),
    HANDLER_ROW(exit, END, EXIT, OPCODE),
    HANDLER_ROW(trap, END, QUIET, OPCODE),
    HANDLER_ROW(nop, WORK, QUIET, NONE),
    HANDLER_ROW(fence, WORK, FENCE, OPCODE),
    HANDLER_ROW(fence_block, WORK, FENCE, OPCODE),
    HANDLER_ROW(async_group, WORK, ASYNC, NONE),
    HANDLER_ROW(nanosleep, WORK, QUIET, OPCODE),
    HANDLER_ROW(local_address_32, WORK, QUIET, CLEAR),
    HANDLER_ROW(local_address_64, WORK, QUIET, CLEAR),
    HANDLER_ROW(copy_param_local, WORK, QUIET, NONE),
    HANDLER_ROW(bar_sync, WORK, BARRIER, OPCODE),
    HANDLER_ROW(bar_arrive, WORK, ARRIVE, OPCODE),
    HANDLER_ROW(bar_red_popc, WORK, BARRIER, CLEAR), /* the one barrier with a result */
    HANDLER_ROW(bar_red_and, WORK, BARRIER, CLEAR),
    HANDLER_ROW(bar_red_or, WORK, BARRIER, CLEAR),
    {0}};
