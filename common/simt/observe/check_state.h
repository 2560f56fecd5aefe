/* check_state.h - what check.c and the checkers beside it share; for them alone. */
#ifndef SIMT_OBSERVE_CHECK_STATE_H
#define SIMT_OBSERVE_CHECK_STATE_H

#include "observe/check.h"
#include "observe/findings.h"
#include "observe/race.h"

/* What is known of an instruction before it runs. */
struct insn_info {
    uint8_t what;  /* TOUCH_STRONG, TOUCH_VOLATILE, TOUCH_POLLS */
    uint8_t scope; /* enum order_scope */
    bool acquires, releases;
};

struct checked_block {
    const struct block *block; /* NULL: free */
    struct race_block race;
    uint32_t waiting[BARRIERS]; /* warps at each named barrier */
    bool partial[BARRIERS];     /* it is not one of the whole block */
};

struct check {
    unsigned what;
    struct observer observer;
    struct shadow *shadow;
    struct order *order;
    struct race *race;
    struct findings *findings;
    struct launch_event launch; /* the one that runs */
    struct insn_info *infos;    /* per code index */
    unsigned info_room;
    uint64_t infos_of; /* serial of the kernel */
    bool has_flags;    /* strong accesses of global memory */
    struct checked_block **blocks;
    unsigned block_count;
    struct checked_block *latest;
};

struct checked_block *check_block(struct check *c, const struct block *b);
/* check_info.c */
void check_inspect(struct check *c, const struct kernel *k);
/* check_words.c: called by race.c. */
void check_report_race(void *state, const struct race_report *r);

#endif
