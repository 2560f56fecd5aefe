/* check_info.c - what the text of an instruction says about order: volatile, relaxed, acquire,
 * release, scopes; and which loads poll. */
#include "check/check_state.h"
#include "base/room.h"
#include "check/init.h"
#include "ir/ops.h"

#include <stdlib.h>
#include <string.h>

static bool is_block_barrier(const struct ptx_insn *i)
{
    return (i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER) && !ptx_has_modifier(i, WORD_WARP);
}

static bool is_atomic(const struct ptx_insn *i)
{
    return op_table[i->op].memory == MEMORY_UPDATES || i->op == PTX_OP_SURED;
}

static void inspect_one(const struct ptx_insn *i, struct insn_info *info)
{
    *info = (struct insn_info){.scope = ORDER_DEVICE};
    if (i == NULL || (i->op != PTX_OP_LD && i->op != PTX_OP_ST && !is_atomic(i))) {
        return;
    }
    bool both = ptx_has_modifier(i, WORD_ACQ_REL);
    bool is_volatile = ptx_has_modifier(i, WORD_VOLATILE);
    info->acquires = both || ptx_has_modifier(i, WORD_ACQUIRE);
    info->releases = both || ptx_has_modifier(i, WORD_RELEASE);
    info->read_only = i->op == PTX_OP_LD && ptx_has_modifier(i, WORD_NC);
    info->scope = ptx_has_modifier(i, WORD_CTA) ? ORDER_BLOCK : ORDER_DEVICE;
    if (is_atomic(i) || is_volatile || info->acquires || info->releases ||
        ptx_has_modifier(i, WORD_RELAXED) || ptx_has_modifier(i, WORD_MMIO)) {
        info->what = TOUCH_STRONG | (is_volatile ? TOUCH_VOLATILE : 0);
    }
}

/* A loop from `first` to `last` waits for others if it has no barrier and stores nothing in shared
 * memory: lanes that reduce without __syncwarp store. */
static bool may_poll(const struct kernel *k, uint32_t first, uint32_t last)
{
    for (uint32_t pc = first; pc <= last; pc++) {
        const struct ptx_insn *i = k->origin[pc];
        if (i != NULL &&
            (is_block_barrier(i) || (i->op == PTX_OP_ST && k->code[pc].space != PTX_LOCAL))) {
            return false;
        }
    }
    return true;
}

/* Behind each strong store of a kernel that polls, others have their turn: so a thread that polls
 * sees each value, and a store that does not wait for its readers comes while they still read. And
 * behind some of its strong loads: between what a thread has seen and what it does then, others go
 * on. */
static void find_turns(struct check *c, const struct kernel *k)
{
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct insn *in = &k->code[pc];
        c->turns[pc] = c->infos[pc].what & TOUCH_STRONG && in->space != PTX_LOCAL;
    }
}

/* A strong load in a loop that waits; an atomic in one that does hardly anything else. */
static bool asks(const struct kernel *k, uint32_t pc, const struct insn_info *info, uint32_t length)
{
    enum { SHORT_LOOP = 16 };
    const struct ptx_insn *i = k->origin[pc];
    return info->what & TOUCH_STRONG && i != NULL &&
           (i->op == PTX_OP_LD || (i->op == PTX_OP_ATOM && length <= SHORT_LOOP));
}

static void find_polling(struct check *c, const struct kernel *k)
{
    bool polls = false;
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct insn *in = &k->code[pc];
        if (k->handlers[pc]->kind != KIND_BRANCH || k->origin[pc] == NULL || in->offset < 0 ||
            in->offset > (int64_t)pc || !may_poll(k, (uint32_t)in->offset, pc)) {
            continue;
        }
        for (uint32_t p = (uint32_t)in->offset; p <= pc; p++) {
            c->infos[p].what |= c->infos[p].what & TOUCH_VOLATILE ? TOUCH_POLLS : 0;
            polls |= (c->infos[p].what & TOUCH_STRONG) != 0;
            c->polls |= asks(k, p, &c->infos[p], pc - (uint32_t)in->offset);
        }
    }
    for (uint32_t pc = 0; polls && pc < k->code_count; pc++) {
        c->infos[pc].what |= c->infos[pc].what & TOUCH_VOLATILE ? TOUCH_IN_TURN : 0;
    }
}

/* The CUDA C++ Programming Guide ("Read/Write Coherency"): a fetch or a surface read of what the
 * same launch has written returns undefined data, even to the thread that has written it. */
static bool reads_texels(const struct kernel *k, uint32_t pc)
{
    return k->handlers[pc]->event == EVENT_IMAGE && k->origin[pc] != NULL &&
           op_table[k->origin[pc]->op].writes != WRITES_NOTHING;
}

static bool is_of_library(const char *mangled)
{
    return strncmp(mangled, "_ZN6thrust", 10) == 0 || strncmp(mangled, "_ZN3cub", 7) == 0;
}

/* Blocks of thrust::unique(), in place, store the last element of their tile where it has been
 * while the next block reads it: whatever the order, the value is the same. Of a student's kernel
 * it would be so by chance. */
static lane_mask silent_lanes(const struct touch *t)
{
    lane_mask silent = 0;
    uint8_t room[16];
    for (lane_mask left = t->lanes; left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        const uint8_t *value = t->value(t, i, room), *content = t->content(t, i);
        bool same = value != NULL && content != NULL && memcmp(value, content, t->bytes) == 0;
        silent |= (lane_mask)same << i;
    }
    return silent;
}

void check_touch(struct check *c, struct checked_block *own, const struct warp *w, struct touch *t)
{
    if (c->of_library && t->what == TOUCH_STORE && t->space == PTX_GLOBAL) {
        struct touch load = *t;
        load.what = TOUCH_LOAD;
        load.lanes = silent_lanes(t);
        check_access(c, own, w, &load);
        t->lanes &= ~load.lanes;
    }
    check_access(c, own, w, t);
}

/* A fence, an atomic, a volatile access that other blocks may see; a call of the system's:
 * printf(), malloc(), a failed assertion. */
static bool may_speak(const struct kernel *k, uint32_t pc, const struct insn_info *info)
{
    const struct ptx_insn *i = k->origin[pc];
    const struct insn *in = &k->code[pc];
    const enum handler_kind kind = k->handlers[pc]->kind;
    const bool beyond = in->space == PTX_GLOBAL || in->space == PTX_GENERIC;
    bool fences = i != NULL && (i->op == PTX_OP_FENCE || i->op == PTX_OP_MEMBAR);
    return fences || info->acquires || info->releases || (info->what & TOUCH_STRONG && beyond) ||
           kind == KIND_CALL || kind == KIND_CALL_INDIRECT;
}

static bool loads_far(const struct kernel *k, uint32_t pc)
{
    const struct ptx_insn *i = k->origin[pc];
    const unsigned space = k->code[pc].space;
    return i != NULL && (i->op == PTX_OP_LD || i->op == PTX_OP_CP) &&
           (space == PTX_GLOBAL || space == PTX_GENERIC || i->op == PTX_OP_CP) &&
           k->handlers[pc]->kind != KIND_ENTER;
}

static void find_loops(struct check *c, const struct kernel *k)
{
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct insn *in = &k->code[pc];
        const enum handler_kind kind = k->handlers[pc]->kind;
        bool table = kind == KIND_TABLE_BRANCH; /* it may lead anywhere */
        bool back = kind == KIND_BRANCH && in->offset >= 0 && in->offset <= (int64_t)pc;
        uint32_t first = table ? 0 : back ? (uint32_t)in->offset : pc + 1;
        for (uint32_t p = first; p <= pc; p++) {
            c->infos[p].loads_in_loop = loads_far(k, p);
        }
    }
}

bool check_may_share_out(const struct check *c, const struct launch_event *launch,
                         const struct quiet_range *quiet)
{
    const struct kernel *k = launch->kernel;
    const struct simt_dim grid = launch->launch->grid;
    bool may = (uint64_t)grid.x * grid.y * grid.z > 1 && quiet != NULL && !c->speaks &&
               !launch->launch->cooperative;
    for (uint32_t pc = 0; pc < k->code_count && may; pc++) {
        /* A loop of loads of what this launch writes may wait for another block. */
        may = !c->infos[pc].loads_in_loop || quiet[pc].end != 0;
    }
    return may;
}

void check_inspect(struct check *c, const struct kernel *k)
{
    bool has_strong = false;
    if (c->infos_of == k->serial) {
        return;
    }
    if (c->info_room < k->code_count) {
        free(c->infos);
        free(c->turns);
        c->infos = room_raw(k->code_count, sizeof *c->infos);
        c->turns = room_raw(k->code_count, sizeof *c->turns);
        c->info_room = k->code_count;
    }
    c->has_flags = c->speaks = c->polls = false;
    c->of_library = is_of_library(k->name);
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        inspect_one(k->origin[pc], &c->infos[pc]);
        c->infos[pc].read_only |= reads_texels(k, pc);
    }
    compared_inspect(c, k);
    locks_inspect(c, k);
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        has_strong |= (c->infos[pc].what & TOUCH_STRONG) != 0;
        c->has_flags |= c->infos[pc].what != 0;
        c->speaks |= may_speak(k, pc, &c->infos[pc]);
    }
    if (has_strong) {
        find_polling(c, k);
        find_turns(c, k);
    }
    find_loops(c, k);
    init_inspect(c, k);
    locals_inspect(c, k);
    neighbours_inspect(c, k);
    c->infos_of = k->serial;
}
