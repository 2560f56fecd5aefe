/* waves.c - waves of blocks and their tail (see waves.h). */
#include "step06_device_query/harness/waves.h"

#include <inttypes.h>
#include <stdio.h>

#include "step06_device_query/harness/occupancy_table.h"

enum { LINE_WIDTH = 50, DRAWN_MAX = 12, DRAWN_AT_THE_ENDS = 4 };

static const struct column columns[] = {
    {"gpu", "GPU", NULL, COLUMN_TEXT, 0},
    {"wave", NULL, NULL, COLUMN_INTEGER, 0},
    {"blocks", NULL, NULL, COLUMN_INTEGER, 0},
    {"places", NULL, NULL, COLUMN_INTEGER, 0},
    {"blocks_per_sm", "blocks", "per SM", COLUMN_INTEGER, 0},
    {"sms", "SMs", NULL, COLUMN_INTEGER, 0},
};

static uint64_t blocks_of(uint64_t wave, uint64_t blocks, uint64_t places)
{
    const uint64_t before = wave * places;
    return blocks - before < places ? blocks - before : places;
}

static void draw(uint64_t waves, uint64_t blocks, uint64_t places)
{
    for (uint64_t wave = 0; wave < waves; wave++) {
        if (waves > DRAWN_MAX && wave == DRAWN_AT_THE_ENDS) {
            wave = waves - DRAWN_AT_THE_ENDS;
            printf("  (%" PRIu64 " more full waves)\n", waves - 2 * DRAWN_AT_THE_ENDS);
        }
        const uint64_t here = blocks_of(wave, blocks, places);
        printf("  wave %4" PRIu64 " [", wave + 1);
        for (uint64_t cell = 0; cell < LINE_WIDTH; cell++)
            putchar(cell * places < here * LINE_WIDTH ? '#' : '.');
        printf("] %" PRIu64 "\n", here);
    }
}

static void explain(const struct gpu_limits *g, const struct occupancy_request *block,
                    const struct occupancy *o, uint64_t blocks)
{
    const uint64_t places = (uint64_t)g->sm_count * o->blocks_per_sm;
    const uint64_t waves = (blocks + places - 1) / places;
    printf("%" PRIu64 " blocks of %u threads on %s\n\n"
           "  %u SM%s, %u block%s each: %" PRIu64 " places. One line is one wave, from top to "
           "bottom;\n  # places with a block, . without; the number counts the blocks\n\n",
           blocks, block->threads_per_block, g->name, g->sm_count, g->sm_count == 1 ? "" : "s",
           o->blocks_per_sm, o->blocks_per_sm == 1 ? "" : "s", places);
    draw(waves, blocks, places);
    printf("\n%.2f waves of work take %" PRIu64 ": %.1f %% of the places are used.",
           (double)blocks / (double)places, waves,
           100.0 * (double)blocks / (double)(waves * places));
    if (blocks % places == 0)
        printf(" The last wave\nis full, too: no tail.\n");
    else
        printf(" The tail:\n%" PRIu64 " block%s on a GPU with places for %" PRIu64 ".\n",
               blocks % places, blocks % places == 1 ? "" : "s", places);
}

bool waves_report(const struct gpu_limits *g, const struct occupancy_request *block,
                  const struct occupancy *o, uint64_t blocks, const struct options *options,
                  bool json, const char *source)
{
    const uint64_t places = (uint64_t)g->sm_count * o->blocks_per_sm;
    const uint64_t waves = (blocks + places - 1) / places;
    struct table *t = table_open(columns, sizeof columns / sizeof columns[0]);
    for (uint64_t wave = 0; wave < waves; wave++) {
        table_row(t);
        table_text(t, "gpu", g->name);
        table_integer(t, "wave", (int64_t)wave + 1);
        table_integer(t, "blocks", (int64_t)blocks_of(wave, blocks, places));
        table_integer(t, "places", (int64_t)places);
        table_integer(t, "blocks_per_sm", o->blocks_per_sm);
        table_integer(t, "sms", g->sm_count);
    }
    if (!json && !options_quiet(options))
        explain(g, block, o, blocks);
    const bool written = occupancy_table_report(t, options, json, false, source);
    table_close(t);
    return written;
}
