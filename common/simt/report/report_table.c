/* report_table.c - SIMT_REPORT=-: what each launch counted, and the ratios that tell what it means,
 * as tables of 80 columns (common/table.h). Called by report.c, which holds the lock. */
#include "report/report_table.h"
#include "base/room.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/table.h"

enum { WIDTH = 80, KERNEL_WIDTH = 22, WARP = 32 };

struct kept {
    struct report_row row; /* of the first of these launches, which follow each other */
    uint64_t launches;
};

static struct {
    struct kept *rows;
    size_t count, capacity;
} kept;

/* --- rows ------------------------------------------------------------------------------------- */

static bool is_repeated(const struct kept *last, const struct report_row *row)
{
    const struct report_row *a = &last->row;
    return last->row.launch + last->launches == row->launch &&
           strcmp(a->kernel, row->kernel) == 0 &&
           memcmp(&a->grid, &row->grid, sizeof a->grid) == 0 &&
           memcmp(&a->block, &row->block, sizeof a->block) == 0 &&
           a->shared_bytes == row->shared_bytes &&
           memcmp(&a->counters, &row->counters, sizeof a->counters) == 0;
}

void report_table_add(const struct report_row *row)
{
    if (kept.count > 0 && is_repeated(&kept.rows[kept.count - 1], row)) {
        kept.rows[kept.count - 1].launches++;
        return;
    }
    ROOM_FOR_ONE(kept.rows, kept.count, kept.capacity, 64);
    kept.rows[kept.count++] = (struct kept){*row, 1};
}

/* --- cells ------------------------------------------------------------------------------------ */

/* "matmul<16, 16, 4, tru..": the end of a long name goes. */
static void set_kernel(struct table *t, const char *name)
{
    char text[KERNEL_WIDTH + 1];
    snprintf(text, sizeof text, "%s", name);
    if (strlen(name) > KERNEL_WIDTH) {
        memcpy(text + KERNEL_WIDTH - 2, "..", 2);
    }
    table_text(t, "kernel", text);
}

/* A new row of the table. name: false where the row above names the same launches. */
static void begin_row(struct table *t, const struct kept *k, bool name)
{
    char text[48];
    const uint64_t first = k->row.launch;
    table_row(t);
    if (!name) {
        table_text(t, "kernel", "");
        table_text(t, "launch", "");
        return;
    }
    set_kernel(t, k->row.kernel);
    snprintf(text, sizeof text, k->launches > 1 ? "%" PRIu64 "-%" PRIu64 : "%" PRIu64, first,
             first + k->launches - 1);
    table_text(t, "launch", text);
}

/* "8x2": trailing ones are not said. */
static void set_dim(struct table *t, const char *column, const struct simt_dim *d)
{
    char text[48];
    snprintf(text, sizeof text,
             d->z > 1   ? "%ux%ux%u"
             : d->y > 1 ? "%ux%u"
                        : "%u",
             d->x, d->y, d->z);
    table_text(t, column, text);
}

static void set_count(struct table *t, const char *column, uint64_t value)
{
    table_integer(t, column, (int64_t)value);
}

/* Left out, as `-`, where there is nothing to divide by. */
static void set_ratio(struct table *t, const char *column, double part, uint64_t whole)
{
    if (whole > 0) {
        table_real(t, column, part / (double)whole);
    }
}

/* --- the tables ------------------------------------------------------------------------------- */

static const struct column launch_columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"launch", NULL, NULL, COLUMN_TEXT, 0},
    {"grid", NULL, NULL, COLUMN_TEXT, 0},
    {"block", NULL, NULL, COLUMN_TEXT, 0},
    {"shared", "shared bytes", NULL, COLUMN_INTEGER, 0},
    {"warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"barriers", NULL, NULL, COLUMN_INTEGER, 0},
};

static void add_launch(struct table *t, const struct kept *k)
{
    begin_row(t, k, true);
    set_dim(t, "grid", &k->row.grid);
    set_dim(t, "block", &k->row.block);
    set_count(t, "shared", k->row.shared_bytes);
    set_count(t, "warps", k->row.counters.warps);
    set_count(t, "barriers", k->row.counters.barriers);
}

static const struct column instruction_columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"launch", NULL, NULL, COLUMN_TEXT, 0},
    {"instructions", "warp instructions", NULL, COLUMN_INTEGER, 0},
    {"lanes", "active lanes", NULL, COLUMN_REAL, 1},
    {"branches", NULL, NULL, COLUMN_INTEGER, 0},
    {"divergent", NULL, NULL, COLUMN_INTEGER, 0},
    {"share", NULL, "%", COLUMN_REAL, 1},
};

static void add_instructions(struct table *t, const struct kept *k)
{
    const struct simt_counters *c = &k->row.counters;
    begin_row(t, k, true);
    set_count(t, "instructions", c->instructions);
    set_ratio(t, "lanes", (double)c->thread_instructions, c->instructions);
    set_count(t, "branches", c->branches);
    set_count(t, "divergent", c->divergent_branches);
    set_ratio(t, "share", 100.0 * (double)c->divergent_branches, c->branches);
}

static const struct column global_columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"launch", NULL, NULL, COLUMN_TEXT, 0},
    {"access", "global memory", NULL, COLUMN_TEXT, 0},
    {"requests", NULL, NULL, COLUMN_INTEGER, 0},
    {"sectors", NULL, NULL, COLUMN_INTEGER, 0},
    {"each", "sectors/", "request", COLUMN_REAL, 2},
};

static void add_global(struct table *t, const struct kept *k)
{
    const struct simt_counters *c = &k->row.counters;
    const struct {
        const char *name;
        uint64_t requests, sectors;
    } accesses[] = {
        {"loads", c->global_load_requests, c->global_load_sectors},
        {"stores", c->global_store_requests, c->global_store_sectors},
        {"reductions", c->global_red_requests, c->global_red_sectors},
        {"atomics", c->global_atom_requests, c->global_atom_sectors},
    };
    bool first = true;
    for (unsigned i = 0; i < ARRAY_LENGTH(accesses); i++) {
        if (accesses[i].requests == 0) {
            continue;
        }
        begin_row(t, k, first);
        first = false;
        table_text(t, "access", accesses[i].name);
        set_count(t, "requests", accesses[i].requests);
        set_count(t, "sectors", accesses[i].sectors);
        set_ratio(t, "each", (double)accesses[i].sectors, accesses[i].requests);
    }
}

static const struct column shared_columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"launch", NULL, NULL, COLUMN_TEXT, 0},
    {"access", "shared memory", NULL, COLUMN_TEXT, 0},
    {"wavefronts", NULL, NULL, COLUMN_INTEGER, 0},
    {"conflicts", "conflicts", NULL, COLUMN_INTEGER, 0},
    {"share", NULL, "%", COLUMN_REAL, 1},
};

static void add_shared(struct table *t, const struct kept *k)
{
    const struct simt_counters *c = &k->row.counters;
    const struct {
        const char *name;
        uint64_t wavefronts, conflicts;
    } accesses[] = {
        {"loads", c->shared_load_wavefronts, c->shared_load_conflicts},
        {"stores", c->shared_store_wavefronts, c->shared_store_conflicts},
        {"atomics", c->shared_atom_wavefronts, c->shared_atom_conflicts},
    };
    bool first = true;
    for (unsigned i = 0; i < ARRAY_LENGTH(accesses); i++) {
        if (accesses[i].wavefronts == 0) {
            continue;
        }
        begin_row(t, k, first);
        first = false;
        table_text(t, "access", accesses[i].name);
        set_count(t, "wavefronts", accesses[i].wavefronts);
        set_count(t, "conflicts", accesses[i].conflicts);
        set_ratio(t, "share", 100.0 * (double)accesses[i].conflicts, accesses[i].wavefronts);
    }
}

static const struct {
    const struct column *columns;
    size_t count;
    void (*add)(struct table *t, const struct kept *k);
} tables[] = {
    {launch_columns, ARRAY_LENGTH(launch_columns), add_launch},
    {instruction_columns, ARRAY_LENGTH(instruction_columns), add_instructions},
    {global_columns, ARRAY_LENGTH(global_columns), add_global},
    {shared_columns, ARRAY_LENGTH(shared_columns), add_shared},
};

/* --- launches that are measured, and others --------------------------------------------------- */

/* The launches of `from` that are measured, or the others, as rows of their own: calls add for
 * each.
 */
static void add_parts(struct table *t, void (*add)(struct table *t, const struct kept *k),
                      const struct kept *from, const struct ranges *measured, bool wanted)
{
    struct kept part = *from;
    part.launches = 0;
    for (uint64_t i = 0; i < from->launches; i++) {
        const uint64_t number = from->row.launch + i;
        if (ranges_holds(measured, number) == wanted) {
            part.row.launch = part.launches == 0 ? number : part.row.launch;
            part.launches++;
        } else if (part.launches > 0) {
            add(t, &part);
            part.launches = 0;
        }
    }
    if (part.launches > 0) {
        add(t, &part);
    }
}

static void print_tables(const char *title, const struct ranges *measured, bool wanted)
{
    printf("\n%s\n", title);
    for (unsigned i = 0; i < ARRAY_LENGTH(tables); i++) {
        struct table *t = table_open(tables[i].columns, tables[i].count);
        table_says_left_out(t, "In SIMT_REPORT=FILE.csv also: ");
        for (size_t n = 0; n < kept.count; n++) {
            add_parts(t, tables[i].add, &kept.rows[n], measured, wanted);
        }
        if (table_rows(t) > 0) {
            printf("\n");
            table_print_within(t, stdout, WIDTH);
        }
        table_close(t);
    }
}

void report_table_print(const struct ranges *measured)
{
    uint64_t launches = 0, measured_launches = 0;
    for (size_t i = 0; i < kept.count; i++) {
        const struct kept *k = &kept.rows[i];
        struct range own = {k->row.launch, k->row.launch + k->launches};
        launches += k->launches;
        measured_launches += ranges_common(&(struct ranges){&own, 1, 1}, measured);
    }
    if (measured_launches == 0 || measured_launches == launches) {
        print_tables("Simulated counts of each launch", measured, measured_launches > 0);
    } else {
        print_tables("Simulated counts of launches that are not measured (warm-up, verification)",
                     measured, false);
        print_tables("Simulated counts of launches that the program measures", measured, true);
    }
    free(kept.rows);
    memset(&kept, 0, sizeof kept);
}
