/* init_pass.h - how each instruction passes on what is known of its operands' values; for init.c.
 */
#ifndef SIMT_OBSERVE_INIT_PASS_H
#define SIMT_OBSERVE_INIT_PASS_H

/* How an instruction passes marks on. */
enum pass {
    PASS_NONE,
    PASS_COPY,    /* d from a, b, c, e: the same bits elsewhere */
    PASS_COMPUTE, /* d from a, b, c, e: a new value */
    PASS_SELECT,  /* d from a or b, as predicate c says */
    PASS_COMPARE, /* predicates d and c from a, b, e */
    PASS_UNPACK,  /* d, b, c, e from a */
    PASS_LOAD,    /* an address in a; d, b, c, e are written */
    PASS_STORE,   /* an address in a; d, b, c, e are read */
    PASS_ATOMIC,  /* an address in a; operands b, c; d is written */
    PASS_BRANCH,  /* a decides */
    PASS_SHUFFLE, /* d from a of other lanes */
    PASS_ALL,     /* d from a, b, c, e of all lanes that take part */
    PASS_CLEAR    /* d gets a value from nowhere */
};

#endif
