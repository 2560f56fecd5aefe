/* check.h - SIMT_CHECK: mistakes that a GPU punishes and a correct result may hide.
 *
 * Layer check. One check observes the launches of a GPU (simt_observe) and writes each finding
 * once, to stderr, when the launch ends in which it was found. */
#ifndef SIMT_CHECK_H
#define SIMT_CHECK_H

#include "check/findings.h"
#include "machine/observer.h"

enum check_what {
    CHECK_RACES = 1,
    CHECK_UNINITIALISED = 2,
    CHECK_LEAKS = 4,
    CHECK_ERRORS = 8,
    CHECK_ALL = 15
};

struct check;

/* "races,leaks", "all", "memory" (which is always on: 0); false: another word. NULL or "": 0. */
bool check_parse(const char *text, unsigned *what, struct err *e);
struct check *check_open(unsigned what);
void check_close(struct check *c);
/* The GPU's memory, whose contents the host will change. */
void check_attach(struct check *c, struct memory *m);
const struct observer *check_observer(const struct check *c);
/* At the end of the program: what was allocated and not given back is found now. */
void check_end(struct check *c);
/* Before that: something that `call` made, and that the call `cure` would have destroyed. */
void check_leak(struct check *c, const char *call, const void *made_at, const char *cure);
/* An error that the program has not asked for. site: of the launch, or NULL; deed: a sentence. */
void check_ignored_error(struct check *c, const void *site, const char *deed, const char *cure);
/* A finding of another file's, once for each identity; and those that are new go to stderr. */
void check_add_finding(struct check *c, const char *identity, const char *text);
void check_print_findings(struct check *c);
/* Different findings so far. */
uint64_t check_findings(const struct check *c);

void check_visit_findings(const struct check *c, findings_visitor *visit, void *state);

#endif
