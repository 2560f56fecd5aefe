/* random_maker.h - what the files that make random kernels share: see random_kernel.c. */
#ifndef RANDOM_MAKER_H
#define RANDOM_MAKER_H

#include "tests/translate/random_kernel.h"

#include <stdbool.h>

enum { OLD = 4, MOST = 4000, MOST_DEPTH = 3 }; /* MOST: registers of a class */

enum class { INT32, FLOAT32, INT64, FLOAT64, BITS16, PREDICATE, CLASSES };

extern const char class_letter[CLASSES];

struct maker {
    FILE *to;
    struct dice dice;
    unsigned next[CLASSES];  /* the number of the next new register */
    unsigned known[CLASSES]; /* so many new ones may be read here: */
    unsigned list[CLASSES][MOST];
    unsigned address; /* of an atomic: the register that has it */
    unsigned labels, depth, left;
    bool parted;          /* lanes may have parted */
    bool skips;           /* the statement has a guard */
    unsigned of_row[256]; /* A, B, U, V, S of the row that is written; 0: not yet */
};

unsigned roll(struct maker *m, unsigned sides);
/* A register that may be read here. */
unsigned source(struct maker *m, enum class c);
/* A row of random_ops.def. */
void write_text(struct maker *m, const char *row);

/* Statements without ways of their own. */
void arithmetic(struct maker *m);
void accesses(struct maker *m);
void atomics(struct maker *m);
void together(struct maker *m);
void barrier(struct maker *m);

#endif
