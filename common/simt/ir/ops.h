/* ops.h - what is known of each opcode, read from its row in ptx/ptx_ops.def.
 *
 * A question that a pass or the decoder asks of an opcode ("does it wait for other lanes?") is a
 * column or a trait there, never a list of opcodes in the code that asks. What a single instruction
 * reads and writes, with its modifiers, is in ir.h. */
#ifndef SIMT_OPS_H
#define SIMT_OPS_H

#include "ptx/module.h"

/* Which operands are results. */
enum op_writes {
    WRITES_FIRST,       /* operand 0: a register, or a vector or pair of them */
    WRITES_NOTHING,     /* all operands are read: st, red, bra ... */
    WRITES_IF_RED,      /* operand 0 of `bar.red`; `bar.sync` and `bar.arrive` write nothing */
    WRITES_IF_REGISTER, /* operand 0, unless it is an address: `mbarrier.arrive`, not `.init` */
    WRITES_LIST         /* operand 0 if it is a list: `call (result), f` */
};

/* What kind of work it is; together with the type this tells the pipe of the machine that does it.
 */
enum op_class {
    CLASS_MOVE,       /* between registers */
    CLASS_ARITHMETIC, /* sums, minima, signs */
    CLASS_PRODUCT,    /* products, with or without a sum */
    CLASS_QUOTIENT,   /* division: a sequence of machine instructions */
    CLASS_LOGIC,      /* bits and shifts */
    CLASS_SEARCH,     /* counting and finding bits */
    CLASS_COMPARISON, /* comparison and selection */
    CLASS_CONVERSION, /* between types */
    CLASS_FUNCTION,   /* reciprocals, roots, sine ... */
    CLASS_MEMORY,     /* has an address */
    CLASS_WARP,       /* lanes exchange values */
    CLASS_BARRIER,    /* barriers and fences */
    CLASS_FLOW,       /* branches, calls, exits */
    CLASS_MATRIX,     /* products of matrices, held by a warp together */
    CLASS_HINT        /* changes nothing that a program can see */
};

enum op_memory { MEMORY_NONE, MEMORY_READS, MEMORY_WRITES, MEMORY_UPDATES, MEMORY_COPIES };

/* How many low bits of the result are zero, from how many those of its sources are: by this the
 * alignment of an address is known. */
enum op_zeros {
    ZEROS_UNKNOWN, /* none for sure */
    ZEROS_SAME,    /* as many as of the first source */
    ZEROS_FEWEST,  /* as many as of the source that has fewest: sums, `or` */
    ZEROS_MOST,    /* as many as of the one that has most: `and` */
    ZEROS_SUM,  /* together, as products have; at most as many as of a third source, the addend */
    ZEROS_SHIFT /* of the first source, and a constant distance more */
};

/* How an instruction passes on the marks that its sources' values bear: "nobody has written this".
 */
enum op_marks {
    MARKS_NONE,
    MARKS_COPY,      /* to the result, from the sources: the same bits elsewhere */
    MARKS_JOIN,      /* the same, side by side: what has none beside what has some may be padding */
    MARKS_AND,       /* to a predicate, unless the other source settles it: `and`, */
    MARKS_OR,        /* and `or` */
    MARKS_COMPUTE,   /* to the result, from the sources: a new value */
    MARKS_SELECT,    /* from the one of two sources that a predicate chooses */
    MARKS_COMPARE,   /* to predicates, from what is compared */
    MARKS_LOAD,      /* has an address; results come from memory */
    MARKS_GIVE,      /* sources become an argument or a result of a function */
    MARKS_STORE,     /* has an address; the other sources go to memory */
    MARKS_ATOMIC,    /* has an address; sources go to memory, the result comes from there */
    MARKS_BRANCH,    /* the source decides where the warp goes */
    MARKS_SHUFFLE,   /* from the source of other lanes */
    MARKS_ALL,       /* from the sources of all lanes that take part */
    MARKS_MATRIX,    /* from all registers of all lanes, which kernel->matrices names */
    MARKS_WARPGROUP, /* the same of insn.warpgroup, whose operands may lie in shared memory */
    MARKS_CLEAR,     /* the result is a value from nowhere */
    MARKS_UNPACK,    /* from one source to several results: `mov` to a list */
    MARKS_OPCODE     /* of a handler: as the row of its opcode says */
};

/* What the machine's instructions for it cost; time/costs.c has a row for each, by type. */
enum op_cost {
    COST_ALU,  /* one simple instruction, of whatever type */
    COST_FREE, /* none: it becomes part of others */
    COST_FMA,
    COST_MAD,
    COST_SUM,
    COST_DIFFERENCE,
    COST_PRODUCT,
    COST_INT_PRODUCT,
    COST_MINMAX,
    COST_COMPARE,
    COST_LOGIC,
    COST_COMPLEMENT,
    COST_SHIFT_LEFT,
    COST_SHIFT_RIGHT,
    COST_SELECT,
    COST_RECIPROCAL,
    COST_QUOTIENT,
    COST_REMAINDER,
    COST_ROOT,
    COST_INVERSE_ROOT,
    COST_EXPONENTIAL,
    COST_SINE,
    COST_TANH,
    COST_SEARCH,
    COST_LEADING,
    COST_FIELD,
    COST_CONVERT,
    COST_MEMORY,
    COST_FENCE,
    COST_SHUFFLE,
    COST_VOTE,
    COST_ACTIVE,
    COST_MATCH,
    COST_REDUCE,
    COST_MATRIX, /* a product of matrices */
    COST_BARRIER,
    COST_BRANCH,
    COST_TABLE_BRANCH,
    COST_CALL,
    COST_END,
    COST_SLEEP
};

enum op_trait {
    OP_PURE = 1 << 0,    /* the same sources give the same result, and nothing else changes */
    OP_REPEATS = 1 << 1, /* ptxas unrolls a loop that has it (of memory: of global memory) */
    OP_REPEATS_APPROX =
        1 << 2, /* the same, if .approx or .full: exact, it is a call or has branches */
    OP_CONVERGENT =
        1 << 3, /* works for all lanes together: a guard in front of it is a branch around it */
    OP_PARTS_MERGES = 1 << 4, /* ptxas merges no accesses of shared memory across it */
    OP_JUMPS = 1 << 5,        /* ends a basic block, and goes to labels */
    OP_LEAVES = 1 << 6,       /* ends a basic block, and leaves the function */
    OP_MAY_DROP = 1 << 7,     /* its result may be "_", the sink */
    OP_BITWISE = 1 << 8, /* each bit from the same bit of the sources: two of them are one LOP3 */
    OP_IMAGE = 1 << 10,  /* of a texture or a surface: reads or writes texels */
    OP_SCALES = 1 << 9   /* without .ftz, numbers too small are scaled before and after */
};

struct op_info {
    const char *text;
    enum op_writes writes;
    enum op_class class;
    enum op_memory memory;
    enum op_zeros zeros;
    enum op_marks marks;
    enum op_cost cost;
    unsigned traits; /* enum op_trait */
};

extern const struct op_info op_table[PTX_OP_COUNT];

static inline bool op_is(enum ptx_op op, unsigned traits) /* has it one of these traits? */
{
    return (op_table[op].traits & traits) != 0;
}

#endif
