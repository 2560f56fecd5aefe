/* findings.h - what the checkers have found, each finding once however often it happens, and the
 * lines that report it.
 *
 * Layer check. A finding has a key of three numbers, quick to look up (two code indices and a
 * reason), and an identity in words (two source lines and a reason): code that a compiler has
 * copied is one finding. */
#ifndef SIMT_FINDINGS_H
#define SIMT_FINDINGS_H

#include "base/base.h"

struct findings;

struct findings *findings_open(void);
void findings_close(struct findings *f);

/* True, and counted, if the key was added before. */
bool findings_count(struct findings *f, uint64_t a, uint32_t b, uint32_t c);
/* The key belongs to the finding of that identity; text: "simt: ..." without the count. */
void findings_add(struct findings *f, uint64_t a, uint32_t b, uint32_t c, const char *identity,
                  const char *text);
/* Writes those that have not been written to stderr, in the order in which they were found. */
/* The same, but of the findings of one group only those of the highest rank are printed. Rank 0: it
 * belongs to none. */
void findings_add_of_group(struct findings *f, uint64_t a, uint32_t b, uint32_t c,
                           const char *identity, const char *text, const char *group,
                           unsigned rank);
void findings_print(struct findings *f);
uint64_t findings_total(const struct findings *f); /* different ones */

/* One of the two sides of a finding: a thread, what it did, and where. */
struct finding_side {
    const char *file; /* of the module; NULL: the compiler named none */
    unsigned line;    /* 0: none */
    uint64_t block;   /* its number in the grid */
    unsigned thread;  /* of the block */
    const char *deed; /* "written" */
};
struct finding_pair {
    const char *kernel; /* with its arguments */
    struct finding_side first, second;
};

/* The sides of the finding that was added last; copied. */
void findings_set_pair(struct findings *f, const struct finding_pair *pair);
/* All findings in their order. pair: NULL where there is none. */
typedef void findings_visitor(void *state, const char *text, uint64_t count,
                              const struct finding_pair *pair);
void findings_visit(const struct findings *f, findings_visitor *visit, void *state);

#endif
