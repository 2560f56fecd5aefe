/* ways.c - where decoded code leads to. Walked when lanes of a warp would wait for each other
 * forever, so never in a kernel that goes on. */
#include "base/room.h"
#include "machine/split.h"

#include <stdlib.h>

struct walk {
    const struct kernel *k;
    uint32_t to;
    uint8_t *seen;   /* per code index */
    uint32_t *stack; /* indices to be looked at, each once */
    unsigned count;
    bool arrives, ends;
};

static void come_to(struct walk *walk, uint32_t pc)
{
    if (pc == walk->to) {
        walk->arrives = true;
    } else if (pc >= walk->k->code_count) {
        walk->ends = true;
    } else if (!walk->seen[pc]) {
        walk->seen[pc] = 1;
        walk->stack[walk->count++] = pc;
    }
}

static void step(struct walk *walk, uint32_t pc)
{
    const struct insn *in = &walk->k->code[pc];
    const enum handler_kind kind = walk->k->handlers[pc]->kind;
    bool goes_on = in->guard != NO_REF || kind == KIND_WORK || kind == KIND_ENTER ||
                   kind == KIND_PARAM || kind == KIND_CALL || kind == KIND_CALL_INDIRECT;
    if (kind == KIND_BRANCH) {
        come_to(walk, (uint32_t)in->target);
        goes_on = in->a != NO_REF; /* its condition */
    } else if (kind == KIND_TABLE_BRANCH) {
        const uint32_t *table = walk->k->tables[in->number];
        for (uint32_t i = 0; i < table[0]; i++) {
            come_to(walk, table[i + 1]);
        }
    } else if (kind == KIND_END) {
        walk->ends = true;
    }
    if (goes_on) {
        come_to(walk, pc + 1);
    }
}

bool ways_lead_to(const struct kernel *k, uint32_t from, uint32_t to)
{
    struct walk walk = {.k = k,
                        .to = to,
                        .seen = room_new(k->code_count, sizeof *walk.seen),
                        .stack = room_new(k->code_count, sizeof *walk.stack)};
    come_to(&walk, from);
    while (walk.count > 0 && !walk.ends) {
        step(&walk, walk.stack[--walk.count]);
    }
    free(walk.seen);
    free(walk.stack);
    return walk.arrives && !walk.ends;
}
