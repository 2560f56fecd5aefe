/* handler.h - what is known of a handler besides its work: its row in the table of its file.
 *
 * Observers, checkers and the code that links branches read these columns, through
 * kernel->handlers; no code compares the names of handlers. HANDLER_ROW (exec/exec.h)
 * writes a row: one without all of its columns does not compile. */
#ifndef SIMT_HANDLER_H
#define SIMT_HANDLER_H

#include "ir/ops.h"

struct warp;
struct insn;

/* Executes one instruction for the active lanes; returns the next one, or NULL when the warp must
 * stop here (barrier, exit, fault, end of its time slice). */
typedef const struct insn *(*exec_fn)(struct warp *w, const struct insn *in);

/* What the instruction is to the code around it. */
enum handler_kind {
    KIND_WORK = 1,      /* the next instruction follows, unless a fault ends the launch */
    KIND_ENTER,         /* stands at the head of a basic block, for no instruction of the text */
    KIND_PARAM,         /* loads a parameter of the launch from insn.offset */
    KIND_BRANCH,        /* goes to insn.target */
    KIND_TABLE_BRANCH,  /* goes to one of many places */
    KIND_CALL,          /* of a function that the text names */
    KIND_CALL_INDIRECT, /* of one that a register points to */
    KIND_END            /* of a thread or of a function */
};

/* What is reported to observers when it is executed (machine/observer.h). */
enum handler_event {
    EVENT_QUIET = 1, /* nothing but its step */
    EVENT_LOAD,
    EVENT_STORE,
    EVENT_ATOMIC,
    EVENT_COPY, /* reads global memory, writes shared memory */
    EVENT_BRANCH,
    EVENT_TABLE_BRANCH,
    EVENT_BARRIER,
    EVENT_ARRIVE, /* at a barrier, without waiting there */
    EVENT_SYNC_A, /* lanes of the mask in operand a, in b or in `members` synchronize */
    EVENT_SYNC_B,
    EVENT_SYNC_MEMBERS,
    EVENT_FENCE,
    EVENT_ASYNC, /* ends a group of copies, or waits for some */
    EVENT_MBARRIER,
    EVENT_BULK, /* a copy by the bulk engine, or its groups */
    EVENT_WARPGROUP, /* wgmma.mma_async, or its groups */
    EVENT_IMAGE, /* reads texels, or an element of a surface, or stores one */
    EVENT_EXIT,
    EVENT_COUNT
};

struct handler {
    const char *name; /* "add_u32": what the decoder makes of opcode, modifiers and types */
    exec_fn run;
    enum handler_kind kind;
    enum handler_event event;
    enum op_marks marks; /* MARKS_OPCODE, unless its work differs from its opcode's */
    bool sets_rounding;  /* the host's rounding mode, unless insn_rounding() is ROUND_NEAREST */
};

#endif
