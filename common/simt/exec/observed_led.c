/* observed_led.c - see observed_led.h.
 *
 * A leader that is led itself hands its followers on to its own leader, so that one access counts
 * for a whole chain. In global memory the leader asks for all of its chain whether they touch new
 * sectors, before they do; that is the same as one after the other if nobody writes between them.
 */
#include "exec/observed_led.h"

#include "base/room.h"
#include "machine/repeats.h"

#include <stdlib.h>

struct leading {
    const struct kernel *k;
    const bool *counted;
    uint32_t last_store; /* code index + 1 of the last store in global memory; 0: none yet */
    struct led_accesses *led;
};

static bool stores_globally(const struct kernel *k, uint32_t pc)
{
    const struct insn *in = &k->code[pc];
    return k->handlers[pc]->event == EVENT_STORE &&
           (in->space == PTX_GLOBAL || in->space == PTX_GENERIC);
}

static bool may_lead(const struct leading *l, uint32_t pc, uint32_t leader)
{
    const struct kernel *k = l->k;
    const uint32_t first = k->sites[leader].insn;
    if (k->code[first].space != k->code[pc].space || l->led[leader].count == REPEAT_LED) {
        return false;
    }
    return k->code[pc].space != PTX_GLOBAL ||
           (l->last_store <= first && k->handlers[pc]->event == EVENT_LOAD &&
            k->handlers[first]->event == EVENT_LOAD);
}

static void find_leader(struct leading *l, uint32_t pc)
{
    const struct insn *in = &l->k->code[pc];
    const uint32_t before = in->site - in->leader;
    if (!l->counted[pc] || in->leader == 0 || !(in->flags & INSN_FIXED) ||
        !l->counted[l->k->sites[before].insn]) {
        return;
    }
    const uint32_t leader = l->led[before].leader;
    if (may_lead(l, pc, leader)) {
        l->led[in->site].leader = leader;
        l->led[leader].count++;
    }
}

static const uint32_t *list_sites(struct led_accesses *led, unsigned sites)
{
    uint32_t *list = room_new(sites + 1, sizeof *list);
    uint32_t used = 0;
    for (unsigned i = 0; i < sites; i++) {
        led[i].first = used;
        used += led[i].count;
        led[i].count = 0;
    }
    for (unsigned i = 0; i < sites; i++) {
        if (led[i].leader != i) {
            struct led_accesses *leader = &led[led[i].leader];
            list[leader->first + leader->count++] = i;
        }
    }
    return list;
}

/* Of a leader's followers, which stand behind it in its basic block, the last one's code index; its
 * own if they are not in global memory. */
static uint32_t last_behind(const struct kernel *k, const struct led_accesses *led, uint32_t site)
{
    const struct led_accesses *own = &led[site];
    return own->global && own->count > 0 ? k->sites[k->led_sites[own->first + own->count - 1]].insn
                                         : k->sites[site].insn;
}

static uint32_t count_behind(const struct kernel *k, const struct led_accesses *own, uint32_t pc)
{
    uint32_t behind = 0;
    for (unsigned i = 0; i < own->count; i++) {
        behind += k->sites[k->led_sites[own->first + i]].insn > pc;
    }
    return behind;
}

/* See kernel.led_open and led_ahead. First how many there are for each code index, then they. */
static void list_ahead(struct kernel *k, const struct led_accesses *led)
{
    uint32_t *open = room_new(k->code_count + 2, sizeof *open);
    for (uint32_t i = 0; i < k->pattern_count; i++) {
        for (uint32_t pc = k->sites[i].insn; pc < last_behind(k, led, i); pc++) {
            open[pc + 2]++;
        }
    }
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        open[pc + 2] += open[pc + 1];
    }
    struct led_ahead *list = room_new(open[k->code_count + 1] + 1, sizeof *list);
    for (uint32_t i = 0; i < k->pattern_count; i++) {
        for (uint32_t pc = k->sites[i].insn; pc < last_behind(k, led, i); pc++) {
            list[open[pc + 1]++] = (struct led_ahead){i, count_behind(k, &led[i], pc)};
        }
    }
    k->led_open = open;
    k->led_ahead = list;
}

void observed_led_make(struct kernel *copy, const bool *counted)
{
    struct leading l = {.k = copy, .counted = counted};
    l.led = room_new(copy->pattern_count + 1, sizeof *l.led);
    for (uint32_t i = 0; i < copy->pattern_count; i++) {
        l.led[i].leader = i;
        l.led[i].global = copy->code[copy->sites[i].insn].space == PTX_GLOBAL;
    }
    for (uint32_t pc = 0; pc < copy->code_count; pc++) {
        find_leader(&l, pc);
        l.last_store = stores_globally(copy, pc) ? pc + 1 : l.last_store;
    }
    copy->led_sites = list_sites(l.led, copy->pattern_count);
    copy->led = l.led;
    list_ahead(copy, l.led);
    for (uint32_t pc = 0; pc < copy->code_count; pc++) {
        struct insn *in = &copy->code[pc];
        in->flags |= counted[pc] && l.led[in->site].leader != in->site ? INSN_LED : 0;
    }
}

void observed_led_free(struct kernel *copy)
{
    free((void *)(uintptr_t)copy->led);
    free((void *)(uintptr_t)copy->led_sites);
    free((void *)(uintptr_t)copy->led_open);
    free((void *)(uintptr_t)copy->led_ahead);
}
