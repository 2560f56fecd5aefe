/* loop_lines.c - see loop_lines.h. */
#include "report/loop_lines.h"
#include "base/room.h"

#include "api/simt_last.h"
#include "report/wrapped.h"
#include "watch/advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOOPS = 1000, INDENT = 12 };

/* Of a line, the loop and launch in which most lanes wait. */
static struct loop_line {
    char *kernel, *file; /* copies */
    unsigned line;
    uint64_t rounds, lanes, waiting;
    char advice[300];
} loops[MOST_LOOPS];
static unsigned loop_count;
static struct branches *branches;

bool loop_lines_open(void)
{
    branches = branches_open();
    return simt_observe_runtime(branches_observer(branches));
}

static struct loop_line *loop_at(const char *kernel, const char *file, unsigned line)
{
    for (unsigned i = 0; i < loop_count; i++) {
        struct loop_line *l = &loops[i];
        if (l->line == line && strcmp(l->kernel, kernel) == 0 && strcmp(l->file, file) == 0) {
            return l;
        }
    }
    return NULL;
}

void loop_lines_add(const char *kernel, const struct access_row *rows, unsigned count)
{
    const struct branch_row *branch;
    if (branches == NULL) { /* not asked for: a test that adds lines of its own */
        return;
    }
    const unsigned branch_count = branches_rows(branches, &branch);
    for (const struct branch_row *b = branch; b < branch + branch_count; b++) {
        char advice[sizeof loops->advice];
        const uint64_t waiting = b->most * b->executed - b->lanes;
        if (b->file == NULL || advice_for_loop(b, rows, count, advice, sizeof advice)[0] == '\0') {
            continue;
        }
        struct loop_line *l = loop_at(kernel, b->file, b->line);
        if (l == NULL && loop_count < MOST_LOOPS) {
            l = &loops[loop_count++];
            *l = (struct loop_line){
                .kernel = room_text(kernel), .file = room_text(b->file), .line = b->line};
        }
        if (l != NULL && waiting > l->waiting) {
            l->rounds = b->executed;
            l->lanes = b->lanes;
            l->waiting = waiting;
            memcpy(l->advice, advice, sizeof advice);
        }
    }
}

void loop_lines_print(const char *kernel, const char *file, unsigned line)
{
    const struct loop_line *l = file != NULL ? loop_at(kernel, file, line) : NULL;
    if (l != NULL) {
        char text[100];
        snprintf(text, sizeof text, "rounds of loop: %" PRIu64 " as compiled, %.1f lanes",
                 l->rounds, (double)l->lanes / (double)l->rounds);
        wrapped_print(INDENT, "", text);
        wrapped_print(INDENT, "-> ", l->advice);
    }
}
