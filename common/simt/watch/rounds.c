/* rounds.c - see rounds.h. */
#include "watch/rounds.h"

void rounds_begin(struct rounds *r) { *r = (struct rounds){.long_loop = -1}; }

static bool is_outside(const struct rounds *r, unsigned loop, uint32_t pc)
{
    return pc < r->loops[loop].head || pc > r->loops[loop].back;
}

static void end_round(struct rounds *r, uint32_t head)
{
    const uint32_t back = r->before;
    const unsigned top = r->depth - 1;
    if (r->depth > 0 && r->loops[top].head == head && r->loops[top].back == back) {
        r->loops[top].done++;
    } else if (r->depth < ROUNDS_NESTED) {
        r->loops[r->depth].head = head;
        r->loops[r->depth].back = back;
        r->loops[r->depth++].done = 1;
    }
    if (r->long_loop < 0 && r->depth > 0 && r->loops[r->depth - 1].done >= ROUNDS_KEPT) {
        r->long_loop = (int)r->depth - 1;
    }
}

struct rounds_place rounds_step(struct rounds *r, uint32_t pc, bool jumped)
{
    struct rounds_place place = {0};
    const bool ends = jumped && pc <= r->before;
    while (r->depth > 0 && is_outside(r, r->depth - 1, pc)) {
        r->depth--;
    }
    if (r->long_loop >= (int)r->depth) {
        r->long_loop = -1;
        place.left = true;
    }
    if (ends) {
        end_round(r, pc);
    }
    r->before = pc;
    if (r->long_loop >= 0) {
        const unsigned loop = (unsigned)r->long_loop;
        place.inside = true;
        place.head = r->loops[loop].head;
        place.begins_round = ends && pc == place.head;
        place.round = r->loops[loop].done + 1;
    }
    return place;
}
