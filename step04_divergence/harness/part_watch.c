/* part_watch.c - one warp over time: a line for each thing it does, a cell for each of its lanes.
 *
 * The notes of the device are the picture. They are held to arithmetic (who is where in an if or a
 * loop is no secret), the result to the CPU's, and the branches that the picture shows divided to
 * those that the simulator counted in the same kernel without notes. */
#include <stdio.h>
#include <string.h>

#include "common/report.h"
#include "step04_divergence/harness/parts.h"
#include "step04_divergence/harness/picture.h"

static const char *const kind_names[] = {"if", "loop", "lock"};
static const char *const place_names[PLACES] = {"before", "then",  "else", "trip",
                                                "spins",  "holds", "after"};

static const struct column columns[] = {
    {"warp", NULL, NULL, COLUMN_TEXT, 0},    {"step", NULL, NULL, COLUMN_INTEGER, 0},
    {"place", NULL, NULL, COLUMN_TEXT, 0},   {"repeated", NULL, NULL, COLUMN_INTEGER, 0},
    {"lane", NULL, NULL, COLUMN_INTEGER, 0}, {"active", NULL, NULL, COLUMN_INTEGER, 0},
};

/* A note that follows its like is not drawn again: spinning may take thousands of rounds. */
static unsigned repeats(const struct watch_run *run, unsigned first)
{
    unsigned n = 1;
    while (first + n < run->count && run->notes[first + n].lanes == run->notes[first].lanes &&
           run->notes[first + n].place == PLACE_SPIN && run->notes[first].place == PLACE_SPIN)
        n++;
    return n;
}

static unsigned lanes_in(uint32_t mask) { return (unsigned)__builtin_popcount(mask); }

/* ------------------------------------------------------------------- what arithmetic says of it */

static uint32_t mask_of(const uint32_t wants[32], uint32_t at_least)
{
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < WARP; lane++)
        mask |= (uint32_t)(wants[lane] >= at_least) << lane;
    return mask;
}

/* Lanes that note this place, added up, and how often a warp that waits for all comes by. */
static void expect(enum watch_kind kind, const uint32_t wants[32], unsigned *issues,
                   unsigned *lanes, unsigned *divided)
{
    const uint32_t then = mask_of(wants, 1);
    *issues = *lanes = *divided = 0;
    if (kind == WATCH_IF) {
        *issues = (then != 0) + (then != UINT32_MAX);
        *lanes = WARP;
        *divided = *issues == 2;
        return;
    }
    for (uint32_t trip = 1; mask_of(wants, trip) != 0; trip++) {
        const uint32_t now = mask_of(wants, trip), next = mask_of(wants, trip + 1);
        *issues += 1;
        *lanes += lanes_in(now);
        *divided += next != 0 && next != now; /* some leave, others go on */
    }
    *divided += then != 0 && then != UINT32_MAX; /* some do not begin */
}

static bool in_body(uint32_t place)
{
    return place == PLACE_THEN || place == PLACE_ELSE || place == PLACE_TRIP;
}

/* false after a line on stderr. */
static bool check(enum watch_kind kind, const uint32_t wants[32], const struct watch_run *run)
{
    const char *name = kind_names[kind];
    uint32_t want[32];
    unsigned issues, lanes, divided, got_issues = 0, got_lanes = 0;
    watch_expect(kind, wants, want);
    for (unsigned lane = 0; lane < WARP; lane++)
        if (run->out[lane] != want[lane])
            return rows_agree(name, "result of a lane", "is what the CPU computes,", want[lane],
                              run->out[lane]);
    if (!run->same) {
        fprintf(stderr, "%s: with notes the warp computes something else\n", name);
        return false;
    }
    if (!run->complete || kind == WATCH_LOCK)
        return true; /* any order of the lanes that get a lock is right */
    expect(kind, wants, &issues, &lanes, &divided);
    for (unsigned i = 0; i < run->count; i++)
        if (in_body(run->notes[i].place)) {
            got_issues++;
            got_lanes += lanes_in(run->notes[i].lanes);
        }
    bool right = rows_agree(name, "the warp", "issues of the body", issues, got_issues);
    right &= rows_agree(name, "the warp", "lanes in them", lanes, got_lanes);
    if (run->has_counters)
        right &= rows_agree(name, "the warp", "divergent branches", divided,
                            run->counters.divergent_branches);
    return right;
}

/* ----------------------------------------------------------------------------------- the picture
 */

static const char *title_of(const struct request *r, enum watch_kind kind, char *text, size_t size)
{
    if (kind == WATCH_IF && r->split > 0)
        snprintf(text, size, "if (lane < %d)", (int)r->split);
    else if (kind == WATCH_IF)
        snprintf(text, size, "if (lane %% %d == 0)", (int)r->every);
    else if (kind == WATCH_LOOP)
        snprintf(text, size, "a loop of unequal lengths");
    else
        snprintf(text, size, "a lock that %d of its lanes want", (int)r->lock);
    return text;
}

static void draw(const struct watch_run *run)
{
    printf("           lane 0  4   8   12  16  20  24  28\n");
    for (unsigned i = 0, step = 1, n; i < run->count; i += n, step++) {
        const struct watch_note *note = &run->notes[i];
        n = repeats(run, i);
        printf("  %3u %-6s  ", step, place_names[note->place]);
        picture_lanes(stdout, note->lanes, UINT32_MAX);
        printf("  %2u lane%s", lanes_in(note->lanes), lanes_in(note->lanes) == 1 ? "" : "s");
        if (n > 1)
            printf(", %u times", n);
        printf("\n");
    }
}

static void explain(enum watch_kind kind, const uint32_t wants[32], const struct watch_run *run)
{
    unsigned issues, lanes, divided;
    if (kind == WATCH_LOCK) {
        printf("\nOne lane at a time holds the lock; the others spin. Since Volta each lane has a\n"
               "program counter of its own, so the holder goes on while the rest waits for it.\n"
               "On older GPUs the warp waited at the loop's end for all its lanes: for ever.\n");
        return;
    }
    expect(kind, wants, &issues, &lanes, &divided);
    if (issues == 0)
        return;
    printf("\n%u issue%s of the body, %u of %u lane slots used: %.1f %%.\nDivergent branches: %u",
           issues, issues == 1 ? "" : "s", lanes, WARP * issues, 100.0 * lanes / (WARP * issues),
           divided);
    if (run->has_counters)
        printf(", counted: %u", (unsigned)run->counters.divergent_branches);
    printf(".\n");
}

static void add_rows(struct table *t, const char *title, const struct watch_run *run)
{
    for (unsigned i = 0, step = 1, n; i < run->count; i += n, step++) {
        n = repeats(run, i);
        for (unsigned lane = 0; lane < WARP; lane++) {
            table_row(t);
            table_text(t, "warp", title);
            table_integer(t, "step", step);
            table_text(t, "place", place_names[run->notes[i].place]);
            table_integer(t, "repeated", n);
            table_integer(t, "lane", lane);
            table_integer(t, "active", run->notes[i].lanes >> lane & 1);
        }
    }
}

int part_watch(const struct request *r, enum watch_kind kind, const uint32_t wants[32])
{
    static struct watch_run run;
    char title[64], provenance[256];
    watch_run(kind, wants, &run);
    if (!check(kind, wants, &run))
        return 1;
    title_of(r, kind, title, sizeof title);
    struct table *t = table_open(columns, COUNT(columns));
    add_rows(t, title, &run);
    const bool written = report_csv(t, &r->o);
    table_close(t);
    if (!options_quiet(&r->o)) {
        printf("One warp through %s\n\n  a line for each thing that it does: "
               "# a lane that does it, . one that waits\n\n",
               title);
        draw(&run);
        explain(kind, wants, &run);
        printf("%s\n", report_provenance(provenance, sizeof provenance));
    }
    return written ? 0 : 2;
}
