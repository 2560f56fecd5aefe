/* record_findings.h - what went wrong, as parts of a record: the fault that ended a launch, and
 * what SIMT_CHECK has found. For record.c alone. */
#ifndef SIMT_RECORD_FINDINGS_H
#define SIMT_RECORD_FINDINGS_H

#include "check/findings.h"
#include "report/record_rows.h"

/* A fault, with what the memory was like at that moment. */
struct fault_seen {
    bool any;
    char text[1024];
    char file[512]; /* "": none is known */
    unsigned line;
    struct simt_dim block;
    uint64_t block_number;
    unsigned warp, lane;
    bool has_address;
    uint64_t address;
    unsigned bytes;
    bool has_allocation; /* the one that the address belongs to, or is next to */
    bool freed;
    uint64_t begin, size;
    char name[80];
    const void *made_at;
};

/* For struct observer: `state` is a struct fault_seen. */
void record_see_fault(void *state, struct warp *w, const struct fault_event *fault);
/* "fault" */
void record_write_fault(struct json *j, struct record_rows *r, const struct fault_seen *f);
/* Who visits all findings when the program ends; false: nothing is checked. */
typedef bool findings_source(findings_visitor *visit, void *state);
void record_findings_from(findings_source *source);
/* "checked" and "findings" */
void record_write_findings(struct json *j, struct record_rows *r);

#endif
