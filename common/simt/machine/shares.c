/* shares.c - how a worker shares its time out among blocks.
 *
 * Most blocks run from beginning to end, one after the other. A block that only asks global memory
 * for what is not there yet waits for others: those of this worker that do not wait go on, and when
 * all wait, more are started, as many as the GPU holds at once. Blocks that wait are asked again
 * after a while; more of them have been started by then, the more there are.
 *
 * A block that has run for long without asking may wait as well, so another one is started beside
 * it, and they take turns. Half of the time is the oldest one's: long blocks come to an end before
 * many more are begun, and a grid that goes round in circles is found out within the time that one
 * block may take.
 *
 * A launch is endless when no block can go on: all that have begun stand still for sure, or have
 * asked in vain for as long as one block may work, and no other one can begin. */
#include "machine/worker.h"

#include "machine/standstill.h"

#include <sched.h>
#include <time.h>

enum {
    /* Warp instructions with the blocks at hand before one more is started: more than most blocks
     * take at all, so that few grids pay for a second block, and far below SIMT_MAX_INSTRUCTIONS.
     */
    PATIENCE = 4000000,
    SIDE_BY_SIDE = 8, /* blocks that run from the beginning where an observer wants turns */
    FEW_WAIT = 8,     /* so many blocks that wait are asked as often before one more is started */
    ASK_COSTS = 1000, /* warp instructions, about, until a block that waits has asked again */
    WAITS_OUTSIDE = 2000000, /* warp instructions until a grid may be waiting for the host */
    NAPS = 64, /* of a worker that waits for one that does not: every so manieth is longer */
    TELL_EVERY = 4000000, /* warp instructions until whoever makes faster code hears of them */
    LONG_TURN = 300000,   /* warp instructions after which the host gets the core */
    /* Then, each time: leaves the core to the host, and is short beside its answer. */
    PAUSE_NS = 50000,
    MOST_NAPS = 100,               /* such pauses, where many launches wait */
    HOST_MAY_STORE_NS = 1000000000 /* another thread of the host, while one waits for the launch */
};

/* How a worker's blocks take turns. */
struct shares {
    unsigned running, waiting;    /* blocks of this worker, and those of them that wait */
    const struct context *newest; /* the one started last */
    unsigned asked, started;      /* rounds since a block was started, and the other way round */
    /* Two that are written together are not neighbours: gcc would load both as one value of 16
     * bytes, which waits until what was stored alone has left the store buffer. */
    int64_t since_start; /* instructions since a block was started, */
    bool blocks_left;    /* in the grid, for any worker */
    int64_t since_end;   /* or came to its end */
    int64_t since_look;  /* at the clock: see patience.c */
    int64_t since_asked; /* the blocks that wait */
    int64_t since_told;  /* whoever makes faster code */
    int64_t since_pause; /* for the host */
    int64_t in_vain;     /* instructions since all wait and nobody had any news */
    int64_t stands_since_ns;
    unsigned naps;
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- starting blocks -------------------------------------------------------------------------- */

static bool all_wait(const struct shares *s) { return s->running > 0 && s->waiting == s->running; }

/* Before one more is started those at hand are asked again: a few of them as often as they are, so
 * that a lock that will soon be free brings no further blocks; of many a third may be new. */
static bool has_asked_enough(const struct shares *s)
{
    return s->asked >= FEW_WAIT || (s->running >= FEW_WAIT && s->started < s->running / 2);
}

/* An observer wants to see blocks that tell each other something run side by side. Of blocks that
 * keep an order a worker has one at a time: a second one would wait for the first for ever. */
static bool is_shown_side_by_side(const struct launch_job *job, unsigned running)
{
    const struct observers *o = job->settings->observers;
    return o != NULL && o->turns != NULL && job->turn == NULL && running <= SIDE_BY_SIDE;
}

/* Blocks of a cooperative grid will wait for each other, so all of them are started. */
static bool wants_another(const struct shares *s, const struct launch_job *job)
{
    return s->running == 0 || worker_is_spare(s->newest) || job->launch->cooperative ||
           is_shown_side_by_side(job, s->running + 1) ||
           ((s->since_start >= PATIENCE || (all_wait(s) && has_asked_enough(s))) &&
            job->turn == NULL);
}

static bool has_room(struct launch_job *job)
{
    return job->all_fit ||
           atomic_load(&job->running) + worker_blocks_at_once(job) <= job->settings->resident;
}

/* Room on the GPU for one block more, or one cluster. */
static bool takes_room(struct launch_job *job)
{
    const unsigned count = worker_blocks_at_once(job);
    const bool takes =
        job->all_fit || atomic_fetch_add(&job->running, count) + count <= job->settings->resident;
    if (!takes) {
        atomic_fetch_sub(&job->running, count);
    }
    return takes;
}

static void gives_room(struct launch_job *job, unsigned count)
{
    if (!job->all_fit) {
        atomic_fetch_sub(&job->running, count);
    }
}

static void start_another(struct worker *w, struct launch_job *job, struct shares *s)
{
    struct context *c[MOST_CLUSTER_BLOCKS];
    const unsigned count = worker_blocks_at_once(job);
    const bool good = worker_spare_contexts(w, job, c, count);
    s->blocks_left = !good || worker_start(c, count, job);
    s->since_start = 0;
    s->asked = 0;
    if (good && s->blocks_left) {
        s->running += count;
        s->started += count;
        s->newest = c[0];
        return;
    }
    gives_room(job, count);
    if (!good && s->running == 0) {
        worker_out_of_memory(job);
    }
}

/* --- turns ------------------------------------------------------------------------------------ */

/* Of a block that asks. One that asks nobody but its own threads waits in vain whatever others do.
 */
static void find_standstill(struct context *c)
{
    const bool alone = c->block.cluster->size == 1; /* else others may store in its shared memory */
    c->stands |= alone && block_stands_still(&c->standstill, &c->block);
    if (c->stands && !c->standstill.asks_others) {
        endless_block(c, "no thread of this block can go on, and no other block can help it");
    }
}

/* Something has happened: what was found out of blocks that wait is void. */
static void tell_news(struct worker *w, struct launch_job *job, struct shares *s)
{
    s->in_vain = 0;
    news_tell(&job->news, &w->listener);
    if (job->launch->waiting != NULL) {
        beside_tell(job->launch->beside, job->settings->listener);
    }
}

/* The context's block has had its turn, and goes on. */
static void end_turn(struct worker *w, struct context *c, struct launch_job *job, struct shares *s)
{
    if (!c->waits) {
        tell_news(w, job, s);
    }
    if (c->block.asks) {
        find_standstill(c);
    } else {
        c->standstill = (struct standstill){0};
        c->stands = false;
    }
}

static int64_t run_one(struct worker *w, struct context *c, struct launch_job *job,
                       struct shares *s, int64_t instructions)
{
    s->waiting -= c->waits;
    const int64_t executed = worker_run_block(c, job, instructions);
    s->waiting += c->waits;
    if (c->running) {
        end_turn(w, c, job, s);
        return executed;
    }
    s->running--;
    s->since_end = 0;
    gives_room(job, 1);
    tell_news(w, job, s);
    return executed;
}

/* One time slice for every block that does not wait, then as much as all that for the oldest. */
static int64_t go_on(struct worker *w, struct launch_job *job, struct shares *s)
{
    struct context *oldest = NULL;
    int64_t executed = 0;
    for (unsigned i = 0; i < w->used && !atomic_load(&job->stop); i++) {
        struct context *c = w->contexts[i];
        if (c->running && !c->waits) {
            executed += run_one(w, c, job, s, 0);
            oldest = c->running && !c->waits && (oldest == NULL || c->number < oldest->number)
                         ? c
                         : oldest;
        }
    }
    /* Blocks of a cooperative grid or of a cluster wait for each other often: until it looks
     * endless, all of them are treated alike. */
    const bool together = job->launch->cooperative || job->launch->cluster.x != 0 ||
                          is_shown_side_by_side(job, s->running);
    const bool prefers = !together || s->since_end > job->settings->max_instructions / 4;
    if (oldest != NULL && prefers && s->running > s->waiting + 1) {
        executed += run_one(w, oldest, job, s, executed);
    }
    return executed;
}

/* Each block that waits asks again. */
static int64_t ask_again(struct worker *w, struct launch_job *job, struct shares *s)
{
    int64_t executed = 0;
    for (unsigned i = 0; i < w->used && !atomic_load(&job->stop); i++) {
        struct context *c = w->contexts[i];
        if (c->running && c->waits) {
            executed += run_one(w, c, job, s, 0);
        }
    }
    s->asked++;
    s->started = 0;
    s->since_asked = 0;
    return executed;
}

static void take_turns(struct worker *w, struct launch_job *job, struct shares *s)
{
    int64_t executed = s->running > s->waiting ? go_on(w, job, s) : 0;
    const int64_t patience =
        is_shown_side_by_side(job, s->running) ? 0 : (int64_t)s->waiting * ASK_COSTS;
    s->since_asked += executed;
    if (s->waiting > 0 && (all_wait(s) ? !s->blocks_left || !has_asked_enough(s) || !has_room(job)
                                       : s->since_asked >= patience)) {
        const int64_t asked = ask_again(w, job, s);
        executed += asked;
        s->in_vain += asked;
    }
    s->since_end += executed;
    s->since_start += executed;
    s->since_look += executed;
    s->since_told += executed;
    s->since_pause += executed;
}

/* --- endless ---------------------------------------------------------------------------------- */

static bool stand_all(const struct worker *w)
{
    for (unsigned i = 0; i < w->used; i++) {
        if (w->contexts[i]->running && !w->contexts[i]->stands) {
            return false;
        }
    }
    return true;
}

static void void_standstills(struct worker *w, struct shares *s)
{
    for (unsigned i = 0; i < w->used; i++) {
        w->contexts[i]->standstill = (struct standstill){0};
        w->contexts[i]->stands = false;
    }
    s->in_vain = 0;
    s->stands_since_ns = 0;
}

static struct context *oldest_of(const struct worker *w)
{
    struct context *oldest = NULL;
    for (unsigned i = 0; i < w->used; i++) {
        struct context *c = w->contexts[i];
        oldest = c->running && (oldest == NULL || c->number < oldest->number) ? c : oldest;
    }
    return oldest;
}

/* Of all workers' blocks the oldest one is reported. */
static bool has_oldest(const struct worker *w, const struct launch_job *job)
{
    const uint64_t own = atomic_load(&w->oldest);
    for (unsigned i = 0; i < job->worker_count; i++) {
        if (atomic_load(&job->workers[i].oldest) < own) {
            return false;
        }
    }
    return own != NO_BLOCK;
}

static bool somebody_waits_for_it(const struct launch_job *job)
{
    struct simt_waiting *waiting = job->launch->waiting;
    return waiting == NULL || __atomic_load_n(&waiting->awaited, __ATOMIC_RELAXED) ||
           __atomic_load_n(&waiting->blocks, __ATOMIC_RELAXED);
}

/* A kernel may be waiting for a thread of the host, though another one waits for the kernel. */
static bool host_had_its_time(const struct launch_job *job, struct shares *s)
{
    if (job->launch->waiting == NULL) {
        return true;
    }
    const int64_t now = now_ns();
    s->stands_since_ns = s->stands_since_ns != 0 ? s->stands_since_ns : now;
    return now - s->stands_since_ns >= HOST_MAY_STORE_NS;
}

/* All blocks of this worker wait, and it can start no other one. */
static bool can_only_wait(const struct shares *s, struct launch_job *job)
{
    return s->blocks_left ? s->running == s->waiting && !has_room(job) : all_wait(s);
}

/* All other launches that could store something stand still, too. */
static bool others_stand(struct worker *w, struct launch_job *job, struct shares *s)
{
    switch (beside_stands(job->launch->beside, job->settings->listener)) {
    case BESIDE_ALL_STAND:
        return true;
    case BESIDE_ASK_AGAIN: /* all workers of the launch */
        news_tell(&job->news, &w->listener);
        void_standstills(w, s);
        return false;
    case BESIDE_GOES_ON:
        s->stands_since_ns = 0;
        return false;
    }
    return false;
}

/* No news has reached this worker since its blocks asked for some. */
static void find_endless(struct worker *w, struct context *oldest, struct launch_job *job,
                         struct shares *s)
{
    const bool certain = news_all_stand(&job->news, &w->listener);
    const bool in_vain = s->in_vain >= job->settings->max_instructions &&
                         news_all_have_asked(&job->news, &w->listener);
    if ((certain || in_vain) && has_oldest(w, job) && others_stand(w, job, s) &&
        (in_vain || host_had_its_time(job, s))) {
        endless_grid(job, oldest, certain);
    }
}

enum { BEGINS = 1, HAS_BEGUN = 2 }; /* simt_waiting.begun */

/* Others have been let begin, the host among them: whatever the launch waits for can happen. */
static bool has_looked_outside(const struct launch_job *job)
{
    const struct simt_waiting *waiting = job->launch->waiting;
    return waiting == NULL || __atomic_load_n(&waiting->begun, __ATOMIC_ACQUIRE) == HAS_BEGUN;
}

static bool gives_way(const struct launch_job *job)
{
    return job->launch->waiting != NULL && has_looked_outside(job) &&
           beside_count(job->launch->beside) > 1;
}

/* Lets others begin, once, where nobody within can help the launch. */
static void go_outside(struct worker *w, const struct launch_job *job, struct shares *s, bool waits)
{
    struct simt_waiting *waiting = job->launch->waiting;
    int not_yet = 0;
    if (waits && __atomic_compare_exchange_n(&waiting->begun, &not_yet, BEGINS, false,
                                             __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        job->settings->steps_aside(job->settings->state);
        waiting->begins(waiting->state);
        __atomic_store_n(&waiting->begun, HAS_BEGUN, __ATOMIC_RELEASE);
        void_standstills(w, s);
    }
}

/* To the host, and to other launches: the more of them there are, the longer. */
static void leave_core(const struct launch_job *job)
{
    const unsigned naps = gives_way(job) ? 4 * beside_count(job->launch->beside) : 1;
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS * (naps < MOST_NAPS ? naps : MOST_NAPS)},
              NULL);
}

static void wait_for_others(struct worker *w, struct launch_job *job, struct shares *s)
{
    struct context *oldest = oldest_of(w);
    atomic_store(&w->oldest, oldest != NULL ? oldest->number : NO_BLOCK);
    atomic_store(&w->running, s->running);
    if (news_are_heard(&job->news, &w->listener)) {
        void_standstills(w, s); /* asks again before it counts as one that waits in vain */
    } else {
        news_wait(&job->news, &w->listener, stand_all(w));
        if (!has_looked_outside(job)) {
            go_outside(w, job, s, news_all_stand(&job->news, &w->listener));
        } else if (somebody_waits_for_it(job)) {
            find_endless(w, oldest, job, s);
        } else {
            void_standstills(w, s);
        }
    }
    if (!gives_way(job) && (news_all_wait(&job->news) || s->naps++ % NAPS != 0)) {
        sched_yield();
    } else {
        leave_core(job);
    }
}

/* Blocks that have run for long may be waiting for the host. While nobody waits for them they have
 * all the time in the world, and leave the core to others. */
static void look_outside(struct worker *w, const struct launch_job *job, struct shares *s)
{
    struct simt_waiting *waiting = job->launch->waiting;
    if (waiting == NULL || s->since_end < WAITS_OUTSIDE) {
        return;
    }
    go_outside(w, job, s, true);
    if (!somebody_waits_for_it(job) && (all_wait(s) || s->since_pause > LONG_TURN)) {
        for (unsigned i = 0; i < w->used; i++) {
            w->contexts[i]->block.fuel = job->settings->max_instructions;
        }
        leave_core(job);
        s->since_pause = 0;
    }
}

/* Whoever makes faster code of the kernel hears how hot it is. */
static void tell_executed(struct faster_code *faster, struct shares *s, int64_t least)
{
    if (faster != NULL && s->since_told >= least) {
        faster->executed(faster, (uint64_t)s->since_told);
        s->since_told = 0;
    }
}

void worker_run(struct worker *w, struct launch_job *job)
{
    struct faster_code *faster = job->settings->faster;
    struct shares s = {.blocks_left = true};
    worker_prepare(w, job);
    w->listener = (struct listener){0};
    while (!atomic_load(&job->stop) && (s.running > 0 || s.blocks_left)) {
        if (s.blocks_left && wants_another(&s, job) && takes_room(job)) {
            start_another(w, job, &s);
        }
        take_turns(w, job, &s);
        patience_look(job->settings->patience, job, &s.since_look);
        tell_executed(faster, &s, TELL_EVERY);
        look_outside(w, job, &s);
        if (can_only_wait(&s, job)) {
            wait_for_others(w, job, &s);
        }
    }
    tell_executed(faster, &s, 1);
    if (job->worker_count > 1 || w->listener.waits) {
        atomic_store(&w->oldest, NO_BLOCK);
        atomic_store(&w->running, 0);
    }
    news_leave(&job->news, &w->listener);
}
