/* joiner.h - what join*.c share; no other file includes it. */
#ifndef SIMT_JOINER_H
#define SIMT_JOINER_H

#include "ptx/join.h"

enum { JOIN_LINE_BYTES = 16, JOIN_MOST_FIELDS = 4 }; /* the widest access of a lane */

/* A name that an instruction of the segment reads or writes; sorted by name, then by place. */
struct mention {
    const char *name;
    unsigned insn, version; /* writes of the name before this one */
    bool write;
};

/* A register of the function: how many instructions write it, and one of them. Of one that is
 * written once: it is root + offset, where root is the name of a register or stands for the sum of
 * two. */
struct definition {
    const char *name, *root;
    int64_t offset;
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

/* An instruction before (or behind) that one. */
struct inserted {
    unsigned at;
    bool behind;
    struct ptx_insn insn;
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
    struct inserted *inserted;
    unsigned inserted_count, inserted_capacity,
        halves; /* halves: registers that joining has added */
};

/* Accesses that become one. */
struct group {
    struct access
        *pieces[JOIN_MOST_FIELDS]; /* by field; NULL: not there, or part of the one before */
    struct access *target;         /* where the joined access will stand */
    struct access *first;          /* field 0; or 0 and 1, if it is a pair */
    unsigned fields, element;      /* element: bytes of a field */
};

/* join_mention.c: where names are mentioned */
void join_mention(struct segment *s, const struct ptx_operand *o, unsigned insn, bool write);
void join_sort_mentions(struct segment *s); /* after all are noted */
/* Writes of the name in the segment, before the instruction. */
unsigned join_version_at(const struct segment *s, const char *name, unsigned insn);
/* Is a register of the operand written (or, if `reads`, read) in instructions from .. to - 1? */
bool join_is_touched(const struct segment *s, const struct ptx_operand *o, unsigned from,
                     unsigned to, bool reads);

/* join_address.c: what is known of the addresses of a segment */
struct access *join_nth(const struct segment *s, unsigned i); /* in the order of memory */
int join_by_kind(const struct access *a, const struct access *b);
/* True if they touch different bytes for sure. */
bool join_are_apart(const struct segment *s, const struct access *a, const struct access *b);
/* After all accesses and mentions are noted: their order, versions, alignments. */
void join_find_addresses(struct segment *s);

/* join_sums.c: bases that are sums of others */
void join_find_definitions(struct segment *s); /* once for each function */
bool join_is_written_once(const struct segment *s, const char *name);
/* Replaces a base that is a sum by what it is the sum of, and a number. */
void join_follow_sums(const struct segment *s, struct access *a);

/* join_emit.c */
const struct ptx_operand *join_value_of(const struct ptx_insn *in);
const struct ptx_operand *join_address_of(const struct ptx_insn *in);
enum ptx_type join_type_of(const struct ptx_insn *in);
/* clang copies two fields of 4 bytes by 8: is `a` such a pair? `element`: a field's bytes. */
bool join_is_pair(const struct access *a, unsigned element);
void join_group(struct segment *s, struct group *g, struct arena *arena);
void join_rebuild(struct segment *s, struct arena *arena);
void join_declare(struct ptx_func *f, unsigned count, struct arena *arena); /* the new registers */

#endif
