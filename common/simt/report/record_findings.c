/* record_findings.c - see record_findings.h. */
#include "report/record_findings.h"

#include "base/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fault that ended a launch ----------------------------------------------------------- */

static void see_allocation(struct fault_seen *f, struct memory *m)
{
    const struct allocation *a = memory_find(m, f->address);
    a = a != NULL ? a : memory_find_freed(m, f->address);
    a = a != NULL || !memory_is_mine(m, f->address) ? a : memory_nearest(m, f->address);
    if (a == NULL) {
        return;
    }
    f->has_allocation = true;
    f->freed = a->freed;
    f->begin = a->begin;
    f->size = a->bytes;
    f->made_at = a->made_at;
    snprintf(f->name, sizeof f->name, "%s", a->name != NULL ? a->name : "");
}

void record_see_fault(void *state, struct warp *w, const struct fault_event *fault)
{
    struct fault_seen *f = state;
    const char *file;
    *f = (struct fault_seen){.any = true,
                             .block = w->block->index,
                             .block_number = w->block->number,
                             .warp = w->number,
                             .lane = fault->lane,
                             .has_address = fault->has_address,
                             .address = fault->address,
                             .bytes = fault->bytes};
    f->line = observer_line(w->block->kernel, fault->pc, &file);
    snprintf(f->file, sizeof f->file, "%s", file != NULL ? file : "");
    snprintf(f->text, sizeof f->text, "%s", fault->text);
    if (f->has_address) {
        see_allocation(f, w->block->memory);
    }
}

void record_write_fault(struct json *j, struct record_rows *r, const struct fault_seen *f)
{
    char number[32];
    if (!f->any) {
        return;
    }
    json_open(j, "fault", '{');
    json_text(j, "text", f->text);
    json_integer(j, "file", record_file_number(r, f->file[0] != '\0' ? f->file : NULL));
    json_number(j, "line", f->line);
    record_write_dim(j, "block", &f->block);
    json_number(j, "warp", f->warp);
    json_number(j, "lane", f->lane);
    if (f->has_address) {
        snprintf(number, sizeof number, "%" PRIx64, f->address);
        json_text(j, "address", number);
        json_number(j, "bytes", f->bytes);
    }
    if (f->has_allocation) {
        json_open(j, "allocation", '{');
        snprintf(number, sizeof number, "%" PRIx64, f->begin);
        json_text(j, "begin", number);
        json_number(j, "bytes", f->size);
        json_integer(j, "offset", (int64_t)(f->address - f->begin));
        json_bool(j, "freed", f->freed);
        json_text(j, "name", f->name);
        json_text(j, "made_at", f->made_at != NULL ? describe_line(f->made_at) : "");
        json_close(j, '}');
    }
    json_close(j, '}');
}

/* ---- what SIMT_CHECK has found --------------------------------------------------------------- */

static findings_source *all_findings; /* NULL: no checker runs */

void record_findings_from(findings_source *source) { all_findings = source; }

struct writer {
    struct json *j;
    struct record_rows *rows;
};

static void write_side(struct writer *w, const char *key, const struct finding_side *side)
{
    json_open(w->j, key, '{');
    json_integer(w->j, "file", record_file_number(w->rows, side->file));
    json_number(w->j, "line", side->line);
    json_number(w->j, "block", side->block);
    json_number(w->j, "thread", side->thread);
    json_text(w->j, "deed", side->deed);
    json_close(w->j, '}');
}

static void write_finding(void *state, const char *text, uint64_t count,
                          const struct finding_pair *pair)
{
    struct writer *w = state;
    static const char mark[] = "simt: ";
    const size_t begin = strncmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
    json_open(w->j, NULL, '{');
    json_text(w->j, "text", text + begin);
    json_number(w->j, "count", count);
    if (pair != NULL) {
        json_text(w->j, "kernel", pair->kernel);
        write_side(w, "first", &pair->first);
        write_side(w, "second", &pair->second);
    }
    json_close(w->j, '}');
}

void record_write_findings(struct json *j, struct record_rows *r)
{
    struct writer w = {j, r};
    const char *wanted = getenv("SIMT_CHECK");
    json_text(j, "checked", wanted != NULL && wanted[0] != '\0' ? wanted : "memory");
    json_open(j, "findings", '[');
    if (all_findings != NULL) {
        all_findings(write_finding, &w);
    }
    json_close(j, ']');
}
