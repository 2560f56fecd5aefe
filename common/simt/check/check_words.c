/* check_words.c - a race in words: its place, its threads, what would order the two, and the
 * smallest cure. */
#include "check/init.h"
#include "watch/describe_access.h"

#include "base/demangle.h"

#include <stdio.h>
#include <string.h>

static const char *deed(unsigned what)
{
    if (what & TOUCH_ASYNC) {
        return "filled by an asynchronous copy";
    }
    if ((what & TOUCH_KIND) == TOUCH_ATOMIC) {
        return "updated by an atomic";
    }
    return (what & TOUCH_KIND) == TOUCH_STORE ? "written" : "read";
}

/* Both sides of `a[i] = a[i] + x` stand in one line. */
static bool is_update(const struct race_report *r, bool same_line)
{
    return same_line && !(r->first->what & TOUCH_STRONG) && !(r->second->what & TOUCH_STRONG);
}

/* What was read is stored to again, plainly, in a kernel whose threads have flags. */
static bool is_refill(const struct check *c, const struct race_report *r, bool same_line)
{
    return c->has_flags && !is_update(r, same_line) &&
           !((r->first->what | r->second->what) & TOUCH_STRONG) &&
           (r->first->what & TOUCH_KIND) == TOUCH_LOAD &&
           (r->second->what & TOUCH_KIND) == TOUCH_STORE;
}

static void words_between_blocks(const struct check *c, const struct race_report *r, bool same_line,
                                 const char **why, const char **cure)
{
    bool one_strong = ((r->first->what | r->second->what) & TOUCH_STRONG) != 0;
    if (r->second->space == PTX_SHARED) {
        *why = "nothing orders these two blocks of the cluster";
        *cure = "cluster.sync() (barrier.cluster) between the two";
    } else if (one_strong) {
        *why = "an atomic (or volatile) and a plain access of one word do not go together";
        *cure = "make the plain access atomic (or volatile), too";
    } else if (is_update(r, same_line)) {
        *why = "blocks of a launch run in no order";
        *cure = "one atomic instead (atomicAdd, atomicMax, ...), or a place for each thread";
    } else if (is_refill(c, r, same_line)) {
        *why =
            "no flag with __threadfence() on both of its sides tells the thread that stores that "
            "the other one has read";
        *cure = "a second flag (or counter), from whoever reads to whoever stores again; where a "
                "sequence number is compared instead, volatile or atomic accesses of the data, too";
    } else if (c->has_flags) {
        *why = "the flag or ticket between them has no __threadfence() on one of its sides";
        *cure = "__threadfence() behind the store and before the atomic (or volatile store) that "
                "announces it; and one behind the load that sees it";
    } else {
        *why = "blocks of a launch run in no order";
        *cure = "a second launch, or an atomic";
    }
}

/* Two lanes of one warp. In a block of several warps others meet here, too, as a rule: the barrier
 * of the block is what most programs lack. */
static void words_in_warp(const struct race_report *r, bool same_line, const char **why,
                          const char **cure)
{
    if (is_update(r, same_line)) {
        *why = "several lanes read, change and write one place, and nothing keeps them apart";
        *cure = "one atomic instead (atomicAdd, atomicMax, ...), or a place for each thread";
    } else if (r->second_warp->block->warp_count > 1) {
        *why = "no barrier between";
        *cure = "__syncthreads() between the two; if only lanes of one warp share the data, "
                "__syncwarp() is enough, for they need not run in step";
    } else {
        *why = "no __syncwarp() between, and lanes of a warp need not run in step";
        *cure = "__syncwarp() between the two, or a shuffle instead of memory";
    }
}

/* Of the two sides the second is the load. */
static bool reads_texels(const struct check *c, const struct race_report *r)
{
    return c->launch.kernel->handlers[r->second->pc]->event == EVENT_IMAGE;
}

static void words(const struct check *c, const struct race_report *r, bool same_line,
                  const char **why, const char **cure)
{
    bool one_strong = ((r->first->what | r->second->what) & TOUCH_STRONG) != 0;
    switch (r->reason) {
    case RACE_IN_WARP:
        words_in_warp(r, same_line, why, cure);
        break;
    case RACE_IN_BLOCK:
        *why = "no barrier between";
        *cure = one_strong ? "__syncthreads() between the two, or make both atomic"
                           : "__syncthreads() between the two";
        if (is_update(r, same_line)) {
            *cure = "__syncthreads() between reading and writing; where all add to one place, one "
                    "atomic instead (atomicAdd, ...)";
        }
        break;
    case RACE_OF_BLOCKS:
        words_between_blocks(c, r, same_line, why, cure);
        break;
    case RACE_ASYNC:
        *why = "the asynchronous copy has not been waited for";
        *cure = "cp.async.wait_all (__pipeline_wait_prior(0), cuda::pipeline's wait), then a "
                "barrier, before the data is used";
        break;
    case RACE_SCOPE:
        *why = "an atomic of block scope orders threads of its own block alone";
        *cure = "the atomic without _block";
        break;
    case RACE_WIDTH:
        *why = "atomics of different width on one word are not atomic to each other";
        *cure = "one width for all accesses of the word";
        break;
    case RACE_LOCK:
        *why = "the first of the two has no __threadfence() behind the atomic that takes the lock: "
               "coming second, it could have seen old data";
        *cure = "__threadfence() behind the atomic that takes the lock, in every thread that does";
        break;
    case RACE_READ_ONLY:
        if (reads_texels(c, r)) {
            *why = "a texture or surface may not show what this launch stores, not even to the "
                   "thread that stores it";
            *cure = "a launch of its own for the stores";
            break;
        }
        *why = "a load by the read-only path (__ldg, or const __restrict__) may not see what this "
               "launch stores";
        *cure = "a plain load, without __ldg; or a launch of its own for the stores";
        break;
    case RACE_SAME_INSN:
        *why = "lanes store different values at one place, and which one stays is not defined";
        *cure = "one thread alone, a place for each, or an atomic";
        break;
    }
}

static struct finding_side side_of(const struct kernel *k, uint32_t pc, uint64_t block,
                                   unsigned thread, const char *what)
{
    struct finding_side side = {.block = block, .thread = thread, .deed = what};
    side.line = observer_line(k, pc, &side.file);
    return side;
}

/* Be it in two calls of one function. */
static bool on_same_line(const struct kernel *k, uint32_t first, uint32_t second)
{
    const char *a, *b;
    const unsigned line = observer_line(k, first, &a);
    return line == observer_line(k, second, &b) && a == b && (line != 0 || first == second);
}

/* Two lines whose threads meet within a warp, and across warps or blocks as well: only the pairs
 * that are furthest apart are reported, for their cure helps the others, too. Where one block
 * stores again what another still reads, that one may read what has not been announced, too: the
 * cure is the same. */
static unsigned rank_of(const struct check *c, const struct race_report *r, bool same_line)
{
    enum { REFILL = 4 };
    static const unsigned ranks[] = {[RACE_IN_WARP] = 1, [RACE_IN_BLOCK] = 2, [RACE_OF_BLOCKS] = 3};
    if (r->reason == RACE_OF_BLOCKS && is_refill(c, r, same_line)) {
        return REFILL;
    }
    return (unsigned)r->reason < ARRAY_LENGTH(ranks) ? ranks[r->reason] : 0;
}

void check_report_global_race(void *state, const struct race_report *r)
{
    struct check *c = state;
    const struct kernel *k = c->launch.kernel;
    uint64_t key = k->serial << 8 | (uint64_t)r->reason;
    if (findings_count(c->findings, key, r->first->pc, r->second->pc)) {
        return;
    }
    char kernel[256], array[448], first_line[256], second_line[256], first[96], second[96];
    char identity[1536], text[2560], name[384], group[1536];
    const char *why = "", *cure = "";
    uint64_t address = r->address, offset;
    if (r->second->space == PTX_SHARED) {
        address &= (1u << 20) - 1;
    }
    demangle_signature(k->name, kernel, sizeof kernel);
    describe_line_of(k, r->first->pc, first_line, sizeof first_line);
    describe_line_of(k, r->second->pc, second_line, sizeof second_line);
    describe_array(&c->launch, (enum ptx_space)r->second->space, address, array, sizeof array);
    describe_array_name(&c->launch, (enum ptx_space)r->second->space, address, name, sizeof name,
                        &offset);
    unsigned first_thread = r->first->warp * WARP_LANES + r->first_lane;
    unsigned second_thread = r->second_warp->number * WARP_LANES + r->second_lane;
    describe_thread(c->launch.launch, r->first->block, first_thread, first, sizeof first);
    describe_thread(c->launch.launch, r->second_warp->block->number, second_thread, second,
                    sizeof second);
    const bool same_line = on_same_line(k, r->first->pc, r->second->pc);
    words(c, r, same_line, &why, &cure);
    snprintf(identity, sizeof identity, "race %s|%s|%s|%s|%d|%d", kernel, first_line, second_line,
             name, (int)r->reason,
             (r->first->what & TOUCH_KIND) | (r->second->what & TOUCH_KIND) << 2);
    snprintf(text, sizeof text,
             "simt: race in kernel %s: %s: %s at %s by %s, %s at %s by %s: %s. Cure: %s", kernel,
             array, deed(r->first->what), first_line, first, deed(r->second->what), second_line,
             second, why, cure);
    const bool in_order = strcmp(first_line, second_line) <= 0;
    snprintf(group, sizeof group, "%s|%s|%s|%s", kernel, in_order ? first_line : second_line,
             in_order ? second_line : first_line, name);
    findings_add_of_group(c->findings, key, r->first->pc, r->second->pc, identity, text, group,
                          rank_of(c, r, same_line));
    struct finding_pair pair = {.kernel = kernel};
    pair.first = side_of(k, r->first->pc, r->first->block, first_thread, deed(r->first->what));
    pair.second = side_of(k, r->second->pc, r->second_warp->block->number, second_thread,
                          deed(r->second->what));
    findings_set_pair(c->findings, &pair);
}

void check_say_forgotten(const struct kernel *k)
{
    char kernel[256];
    demangle_signature(k->name, kernel, sizeof kernel);
    fprintf(
        stderr,
        "simt: SIMT_CHECK=races: a launch of kernel %s makes more accesses than the six million "
        "that are kept: those that lie further apart are not compared; fewer blocks would do\n",
        kernel);
}

void check_report_shared_race(void *state, const struct race_report *r)
{
    const struct check_worker *own = state;
    if (turn_has_come(own->latest->block)) {
        check_report_global_race(own->check, r);
    }
}

static const char *const use_words[] = {[INIT_ADDRESS] = "as an address",
                                        [INIT_BRANCH] = "to decide a branch",
                                        [INIT_RESULT] = "for what is stored",
                                        [INIT_CALL] = "for what a function is given or returns"};

static const char *cure_of(unsigned space)
{
    switch (space) {
    case INIT_LANE:
        return "whole warps, or a value of its own where the lane lies beyond the block's threads";
    case PTX_SHARED:
        return "a store to every element that is read, and a barrier";
    case PTX_LOCAL:
    case INIT_REGISTER:
        return "a value for the variable when it is declared";
    default:
        return "cudaMemcpy or cudaMemset before the launch, or a store first";
    }
}

/* "the value of lane 24, which the block's last warp of 20 threads lacks". */
static void describe_lane(const struct warp *w, const struct init_report *r, char *text,
                          size_t size)
{
    snprintf(text, size, "the value of lane %u, of a warp that has %u threads",
             (unsigned)r->address, lanes_in(w->launched));
}

/* The address of a local variable in another thread's hands. */
static void report_foreign(struct check *c, const struct warp *w, const struct init_report *r)
{
    const struct kernel *k = c->launch.kernel;
    const unsigned thread = w->number * WARP_LANES + r->lane;
    char kernel[256], load[256], use[256], user[96], owner[96], identity[1024], text[2048];
    demangle_signature(k->name, kernel, sizeof kernel);
    describe_line_of(k, r->load_pc, load, sizeof load);
    describe_line_of(k, r->use_pc, use, sizeof use);
    describe_thread(c->launch.launch, (uint32_t)w->block->number, thread, user, sizeof user);
    describe_thread(c->launch.launch, locals_block(r->address), locals_thread(r->address), owner,
                    sizeof owner);
    snprintf(identity, sizeof identity, "local %s|%s|%s", kernel, load, use);
    snprintf(text, sizeof text,
             "simt: local variable in kernel %s: the address of a local variable of %s: read at %s "
             "by %s, and used at %s: each thread has local memory of its own, so there it names a "
             "variable of the thread that uses it. Cure: the value instead of the address, or a "
             "variable in shared memory",
             kernel, owner, load, user, use);
    findings_add(c->findings, k->serial << 8 | 0x80u | (uint64_t)r->use, r->load_pc, r->use_pc,
                 identity, text);
}

void check_report_init(struct check *c, const struct warp *w, const struct init_report *r)
{
    const struct kernel *k = c->launch.kernel;
    uint64_t key = k->serial << 8 | 0x80u | (uint64_t)r->use;
    if (!turn_has_come(w->block) || w->block->fault->set ||
        findings_count(c->findings, key, r->load_pc, r->use_pc)) {
        return;
    }
    if (r->space == INIT_FOREIGN) {
        report_foreign(c, w, r);
        return;
    }
    char kernel[256], array[448], name[384], load[256], use[256], thread[96];
    char identity[1536], text[2560];
    uint64_t offset;
    demangle_signature(k->name, kernel, sizeof kernel);
    describe_line_of(k, r->load_pc, load, sizeof load);
    describe_line_of(k, r->use_pc, use, sizeof use);
    if (r->space == INIT_LANE) {
        describe_lane(w, r, array, sizeof array);
        snprintf(name, sizeof name, "lane");
    } else if (r->space == INIT_REGISTER) {
        snprintf(array, sizeof array, "a variable that has no value");
        snprintf(name, sizeof name, "register");
    } else {
        describe_array(&c->launch, (enum ptx_space)r->space, r->address, array, sizeof array);
        describe_array_name(&c->launch, (enum ptx_space)r->space, r->address, name, sizeof name,
                            &offset);
    }
    describe_thread(c->launch.launch, (uint32_t)w->block->number, w->number * WARP_LANES + r->lane,
                    thread, sizeof thread);
    snprintf(identity, sizeof identity, "uninitialised %s|%s|%s", kernel, load, name);
    snprintf(text, sizeof text,
             "simt: uninitialised in kernel %s: %s: %s at %s by %s%s, and used %s at %s. Cure: %s",
             kernel, array, r->space == INIT_LANE ? "shuffled" : "read", load, thread,
             r->space == INIT_LANE || r->space == INIT_REGISTER
                 ? ""
                 : " before anything was stored there",
             use_words[r->use], use, cure_of(r->space));
    findings_add(c->findings, key, r->load_pc, r->use_pc, identity, text);
    struct finding_pair pair = {.kernel = kernel};
    const unsigned number = w->number * WARP_LANES + r->lane;
    pair.first = side_of(k, r->load_pc, w->block->number, number, "read");
    pair.second = side_of(k, r->use_pc, w->block->number, number, "used");
    findings_set_pair(c->findings, &pair);
}
