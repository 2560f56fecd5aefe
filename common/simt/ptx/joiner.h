/* joiner.h - what join*.c share, and nobody else includes. */
#ifndef SIMT_JOINER_H
#define SIMT_JOINER_H

#include "ptx/join.h"

enum { JOIN_LINE_BYTES = 16 }; /* the widest access of a lane */

/* A name that an instruction of the segment reads or writes; sorted by name, then by place. */
struct mention {
    const char *name;
    unsigned insn, version; /* writes of the name before this one */
    bool write;
};

/* A register of the function: how many instructions write it, and one of them. */
struct definition {
    const char *name;
    unsigned insn, writers;
};

struct access {
    unsigned insn;
    bool store, gone; /* gone: part of another access now */
    bool read_only;   /* of memory that the kernel does not write */
    enum ptx_space space;
    const char *base; /* register or variable, equal ones are the same pointer; NULL: none */
    unsigned version; /* of the base: how often it has been written before */
    int64_t offset;
    unsigned element, words;
    unsigned align;            /* what the compiler said of this very address; 0: nothing */
    unsigned modulus, residue; /* base % modulus == residue; modulus 0: not known */
};

struct segment {
    struct ptx_func *f;
    struct arena scratch;
    struct definition *definitions; /* sorted by name */
    unsigned definition_count, definition_capacity,
        begin; /* begin: the segment's first instruction */
    struct mention *mentions;
    unsigned mention_count, mention_capacity;
    struct access *accesses; /* in the order of the program */
    unsigned access_count, access_capacity;
    unsigned *order; /* of accesses: neighbours in memory are neighbours here */
    bool *removed;   /* for each instruction of the function */
};

/* join_address.c: what is known of the addresses of a segment */
void find_definitions(struct segment *s);                /* once for each function */
struct access *nth(const struct segment *s, unsigned i); /* in the order of memory */
int by_kind(const struct access *a, const struct access *b);
/* Is a register of the operand written (or, if `reads`, read) in instructions from .. to - 1? */
bool is_touched(const struct segment *s, const struct ptx_operand *o, unsigned from, unsigned to,
                bool reads);
/* True if they touch different bytes for sure. */
bool are_apart(const struct segment *s, const struct access *a, const struct access *b);
void mention(struct segment *s, const struct ptx_operand *o, unsigned insn, bool write);
/* After all accesses and mentions are noted: their order, versions, alignments. */
void find_addresses(struct segment *s);

#endif
