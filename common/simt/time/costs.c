/* costs.c - see costs.h. One row per kind of cost (a column of ptx_ops.def)
 * and kind of type; the first that fits counts, and one simple instruction where none does. */
#include "time/costs.h"
#include "ir/ops.h"

#include <string.h>

enum kind { ANY, F32, F64, HALF, I32, I64, PRED };

#define FMA_(n)    .fma = (n)
#define ALU_(n)    .alu = (n)
#define FP64_(n)   .fp64 = (n)
#define XU_(n)     .xu = (n)
#define LSU_(n)    .lsu = (n)
#define OTHER_(n)  .other = (n)
#define EITHER_(n) .either = (n)
#define IMAD_(n)   .fma = (n), .heavy = (n)

#define ANYHOW WORD_OTHER

/* An integer multiplication is one instruction and takes the FMA pipe for two cycles. */
static const struct row {
    enum op_cost cost;
    enum kind kind;
    enum ptx_word modifier; /* only with it; ANYHOW: with or without */
    struct cost least, likely;
    enum cost_wait wait;
    double chain;
} rows[] = {
    {COST_FMA, F64, ANYHOW, {FP64_(1)}, {FP64_(1)}, WAIT_FP64, 1},
    {COST_FMA, ANY, ANYHOW, {FMA_(1)}, {FMA_(1)}, WAIT_FMA, 1},
    {COST_MAD, F64, ANYHOW, {FP64_(1)}, {FP64_(1)}, WAIT_FP64, 1},
    {COST_MAD, F32, ANYHOW, {FMA_(1)}, {FMA_(1)}, WAIT_FMA, 1},
    {COST_MAD, I64, ANYHOW, {OTHER_(0)}, {IMAD_(4)}, WAIT_FMA, 3},
    {COST_MAD, ANY, ANYHOW, {OTHER_(0)}, {IMAD_(1)}, WAIT_FMA, 1},
    {COST_SUM, F32, ANYHOW, {FMA_(1)}, {FMA_(1)}, WAIT_FMA, 1},
    {COST_SUM, F64, ANYHOW, {FP64_(1)}, {FP64_(1)}, WAIT_FP64, 1},
    {COST_SUM, HALF, ANYHOW, {OTHER_(0)}, {FMA_(1)}, WAIT_FMA, 1},
    {COST_SUM, I64, ANYHOW, {OTHER_(0)}, {ALU_(0.65), EITHER_(0.65)}, WAIT_ALU, 1},
    {COST_SUM, I32, ANYHOW, {OTHER_(0)}, {EITHER_(0.95)}, WAIT_ALU, 1},
    {COST_DIFFERENCE, F32, ANYHOW, {FMA_(1)}, {FMA_(1)}, WAIT_FMA, 1},
    {COST_DIFFERENCE, F64, ANYHOW, {FP64_(1)}, {FP64_(1)}, WAIT_FP64, 1},
    {COST_DIFFERENCE, HALF, ANYHOW, {OTHER_(0)}, {FMA_(1)}, WAIT_FMA, 1},
    {COST_DIFFERENCE, I64, ANYHOW, {OTHER_(0)}, {ALU_(1), FMA_(0.6)}, WAIT_ALU, 2},
    {COST_DIFFERENCE, I32, ANYHOW, {OTHER_(0)}, {EITHER_(0.95)}, WAIT_ALU, 1},
    {COST_PRODUCT, F32, ANYHOW, {OTHER_(0)}, {FMA_(1)}, WAIT_FMA, 1},
    {COST_PRODUCT, F64, ANYHOW, {OTHER_(0)}, {FP64_(1)}, WAIT_FP64, 1},
    {COST_PRODUCT, HALF, ANYHOW, {OTHER_(0)}, {FMA_(1)}, WAIT_FMA, 1},
    {COST_PRODUCT, ANY, WORD_WIDE, {OTHER_(0)}, {FMA_(1)}, WAIT_FMA, 1},
    {COST_PRODUCT, I64, ANYHOW, {OTHER_(0)}, {IMAD_(4)}, WAIT_FMA, 3},
    {COST_PRODUCT, ANY, ANYHOW, {OTHER_(0)}, {IMAD_(1)}, WAIT_FMA, 1},
    {COST_INT_PRODUCT, ANY, ANYHOW, {OTHER_(0)}, {IMAD_(1)}, WAIT_FMA, 1},
    {COST_MINMAX, F64, ANYHOW, {OTHER_(0)}, {FP64_(1), ALU_(2)}, WAIT_FP64, 2},
    {COST_MINMAX, F32, ANYHOW, {ALU_(1)}, {ALU_(1)}, WAIT_ALU, 1},
    {COST_COMPARE, F64, ANYHOW, {FP64_(1)}, {FP64_(1)}, WAIT_FP64, 1},
    {COST_COMPARE, ANY, ANYHOW, {OTHER_(0)}, {ALU_(0.95)}, WAIT_PREDICATE, 1},
    {COST_LOGIC, PRED, ANYHOW, {OTHER_(0)}, {ALU_(0.2)}, WAIT_ALU, 1},
    {COST_COMPLEMENT, PRED, ANYHOW, {OTHER_(0)}, {OTHER_(0)}, WAIT_NONE, 0},
    {COST_LOGIC, I64, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 1},
    {COST_LOGIC, ANY, ANYHOW, {OTHER_(0)}, {ALU_(0.9)}, WAIT_ALU, 1},
    {COST_COMPLEMENT, ANY, ANYHOW, {OTHER_(0)}, {ALU_(0.3)}, WAIT_ALU, 0.3},
    {COST_SHIFT_LEFT, I64, ANYHOW, {OTHER_(0)}, {ALU_(1)}, WAIT_ALU, 1},
    {COST_SHIFT_LEFT, ANY, ANYHOW, {OTHER_(0)}, {EITHER_(0.9)}, WAIT_ALU, 1},
    {COST_SHIFT_RIGHT, I64, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 1},
    {COST_FREE, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(0)}, WAIT_NONE, 0},
    {COST_SELECT, F64, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 1},
    {COST_SELECT, I64, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 1},
    {COST_SELECT, ANY, ANYHOW, {OTHER_(0)}, {ALU_(0.9)}, WAIT_ALU, 1},
    {COST_RECIPROCAL, F64, ANYHOW, {XU_(1)}, {XU_(1), FP64_(6), ALU_(4)}, WAIT_FP64, 8},
    {COST_RECIPROCAL, F32, WORD_APPROX, {XU_(1)}, {XU_(1), ALU_(1)}, WAIT_XU, 1},
    {COST_RECIPROCAL, F32, ANYHOW, {XU_(1)}, {XU_(1), FMA_(3), ALU_(3), OTHER_(1)}, WAIT_XU, 2},
    {COST_QUOTIENT,
     F64,
     ANYHOW,
     {XU_(1)},
     {XU_(1), FP64_(9), ALU_(5), FMA_(2), OTHER_(3)},
     WAIT_FP64,
     14},
    {COST_QUOTIENT, F32, WORD_APPROX, {XU_(1)}, {XU_(1), FMA_(1), ALU_(2)}, WAIT_XU, 2.3},
    {COST_QUOTIENT, F32, WORD_FULL, {XU_(1)}, {XU_(1), FMA_(3), ALU_(3)}, WAIT_XU, 1.7},
    {COST_QUOTIENT, F32, ANYHOW, {XU_(1)}, {XU_(2), FMA_(7), ALU_(2), OTHER_(2)}, WAIT_XU, 3},
    {COST_QUOTIENT,
     I64,
     ANYHOW,
     {OTHER_(0)},
     {XU_(4), FMA_(50), ALU_(50), OTHER_(8)},
     WAIT_FMA,
     60},
    {COST_QUOTIENT, ANY, ANYHOW, {OTHER_(0)}, {XU_(3), FMA_(9), ALU_(9)}, WAIT_XU, 7},
    {COST_REMAINDER,
     I64,
     ANYHOW,
     {OTHER_(0)},
     {XU_(4), FMA_(52), ALU_(50), OTHER_(8)},
     WAIT_FMA,
     60},
    {COST_REMAINDER, ANY, ANYHOW, {OTHER_(0)}, {XU_(3), FMA_(10), ALU_(8)}, WAIT_XU, 7},
    {COST_ROOT, F64, ANYHOW, {XU_(1)}, {XU_(1), FP64_(8), ALU_(5), OTHER_(2)}, WAIT_FP64, 13},
    {COST_ROOT, F32, WORD_APPROX, {XU_(1)}, {XU_(1), FMA_(1), ALU_(2)}, WAIT_XU, 2.5},
    {COST_ROOT, F32, ANYHOW, {XU_(1)}, {XU_(1), FMA_(5), ALU_(2), OTHER_(2)}, WAIT_XU, 3},
    {COST_INVERSE_ROOT, F64, ANYHOW, {XU_(1)}, {XU_(1), FP64_(6), ALU_(4)}, WAIT_FP64, 9},
    {COST_INVERSE_ROOT, ANY, WORD_FTZ, {XU_(1)}, {XU_(1)}, WAIT_XU, 1},
    {COST_INVERSE_ROOT, ANY, ANYHOW, {XU_(1)}, {XU_(1), ALU_(1), FMA_(2)}, WAIT_XU, 2.3},
    {COST_EXPONENTIAL, ANY, WORD_FTZ, {XU_(1)}, {XU_(1)}, WAIT_XU, 1},
    {COST_EXPONENTIAL, ANY, ANYHOW, {XU_(1)}, {XU_(1), ALU_(1), FMA_(2)}, WAIT_XU, 2.3},
    {COST_SINE, ANY, ANYHOW, {XU_(1)}, {XU_(1), FMA_(1)}, WAIT_XU, 1.2},
    {COST_TANH, ANY, ANYHOW, {XU_(1)}, {XU_(1)}, WAIT_XU, 1},
    {COST_SEARCH, ANY, ANYHOW, {OTHER_(0)}, {XU_(1)}, WAIT_XU, 1},
    {COST_LEADING, ANY, ANYHOW, {OTHER_(0)}, {XU_(1), ALU_(1)}, WAIT_XU, 1},
    {COST_FIELD, ANY, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 2},
    {COST_SHUFFLE, ANY, ANYHOW, {LSU_(1)}, {LSU_(1)}, WAIT_SHUFFLE, 1},
    {COST_VOTE, ANY, ANYHOW, {OTHER_(0)}, {ALU_(1)}, WAIT_SHUFFLE, 0.6},
    {COST_ACTIVE, ANY, ANYHOW, {OTHER_(0)}, {ALU_(1)}, WAIT_ALU, 2},
    {COST_MATCH, ANY, WORD_ALL, {OTHER_(0)}, {LSU_(2)}, WAIT_SHUFFLE, 1.1},
    {COST_MATCH, ANY, ANYHOW, {OTHER_(0)}, {LSU_(2), OTHER_(4)}, WAIT_SHUFFLE, 4},
    {COST_REDUCE, ANY, ANYHOW, {OTHER_(0)}, {LSU_(2)}, WAIT_SHUFFLE, 2},
    {COST_MATRIX, ANY, ANYHOW, {OTHER_(1)}, {OTHER_(1)}, WAIT_NONE, 1}, /* matrix_work.c knows more
                                                                         */
    {COST_BARRIER, ANY, ANYHOW, {OTHER_(1)}, {OTHER_(1)}, WAIT_BARRIER, 1},
    {COST_BRANCH, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(1)}, WAIT_BRANCH, 1},
    {COST_TABLE_BRANCH, ANY, ANYHOW, {OTHER_(1)}, {OTHER_(2), ALU_(2)}, WAIT_BRANCH, 3},
    {COST_END, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(1)}, WAIT_NONE, 0},
    {COST_CALL, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(4)}, WAIT_CALL, 1},
    {COST_FENCE, ANY, ANYHOW, {OTHER_(0)}, {LSU_(1), OTHER_(2)}, WAIT_MEMORY, 1},
    {COST_SLEEP, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(1)}, WAIT_NONE, 0},
};

/* The type that an instruction computes in is its last one but for conversions and comparisons;
 * all that matters here is its family. */
static enum ptx_type type_of(const struct ptx_insn *in, unsigned which)
{
    enum ptx_type types[4] = {PTX_NO_TYPE};
    unsigned count = 0;
    for (unsigned i = 0; i < in->modifier_count && count < 4; i++) {
        enum ptx_type type = in->modifiers[i].type;
        if (type != PTX_NO_TYPE) {
            types[count++] = type;
        }
    }
    return which < count ? types[which] : PTX_NO_TYPE;
}

static enum kind kind_of(enum ptx_type type)
{
    const char *name = type != PTX_NO_TYPE ? ptx_type_name(type) : "";
    if (strcmp(name, "f32") == 0) {
        return F32;
    }
    if (strcmp(name, "f64") == 0) {
        return F64;
    }
    if (strcmp(name, "pred") == 0) {
        return PRED;
    }
    if (name[0] == 'f' || strncmp(name, "bf", 2) == 0) {
        return HALF;
    }
    return ptx_type_bytes(type) == 8 ? I64 : I32;
}

static struct insn_cost convert(const struct ptx_insn *in)
{
    const enum kind to = kind_of(type_of(in, 0)), from = kind_of(type_of(in, 1));
    const bool whole = to == I32 || to == I64, was_whole = from == I32 || from == I64;
    struct insn_cost c = {.wait = WAIT_ALU, .chain = 1};
    if (whole && was_whole) {
        c.likely.alu = to == I64 && from == I64 ? 0 : 0.3;
        c.chain = 0.3;
    } else if (to == F64 || from == F64 || to == I64 || from == I64) {
        c.likely.xu = 1;
        c.wait = WAIT_XU;
    } else if (whole || ptx_has_modifier(in, WORD_RNI) || ptx_has_modifier(in, WORD_RMI) ||
               ptx_has_modifier(in, WORD_RPI) || ptx_has_modifier(in, WORD_RZI)) {
        c.likely.xu = 1;
        c.wait = WAIT_XU;
    } else {
        c.likely.alu = 1;
    }
    return c;
}

static struct insn_cost memory(const struct ptx_insn *in)
{
    struct insn_cost c = {.wait = WAIT_MEMORY, .chain = 1};
    if (op_is(in->op, OP_IMAGE)) {
        /* Coordinates stand in registers side by side: a copy for each second. */
        c.likely = (struct cost){.lsu = 1, .either = 0.5};
        return c;
    }
    if (ptx_has_modifier(in, WORD_PARAM) || op_table[in->op].memory == MEMORY_NONE) {
        c.wait = WAIT_NONE;
        return c;
    }
    if (op_table[in->op].memory == MEMORY_UPDATES && ptx_has_modifier(in, WORD_SHARED) &&
        kind_of(type_of(in, 0)) != I32 && ptx_has_modifier(in, WORD_ADD)) {
        c.likely.other = 1; /* a loop of swaps, whose rounds work.c knows */
    }
    c.likely.lsu +=
        ptx_has_modifier(in, WORD_LOCAL); /* of others work.c knows how many there are */
    return c;
}

bool cost_has_text(const struct ptx_insn *in, const char *modifier)
{
    for (unsigned i = 0; i < in->modifier_count; i++) {
        if (strcmp(in->modifiers[i].text, modifier) == 0) {
            return true;
        }
    }
    return false;
}

double cost_fragment_registers(const struct ptx_insn *in)
{
    const struct ptx_operand *o = &in->operands[cost_has_text(in, "load") ? 0 : 1];
    const bool twice =
        cost_has_text(in, "f16") && (cost_has_text(in, "a") || cost_has_text(in, "b"));
    return o->kind == PTX_OPERAND_VECTOR ? o->item_count / (twice ? 2.0 : 1) : 1;
}

/* wmma.load and wmma.store are one load or store for each register, and an address for each unless
 * they lie in shared memory, where one instruction (LDSM) brings four registers (fuse.c knows of
 * strides that are constants). Halves that are no neighbours in memory are turned by a movmatrix
 * each. */
static struct insn_cost fragment(const struct ptx_insn *in)
{
    struct insn_cost c = {.wait = WAIT_MEMORY, .chain = 1};
    const bool shared = ptx_has_modifier(in, WORD_SHARED);
    const bool halves = cost_has_text(in, "f16") || cost_has_text(in, "bf16");
    const bool turned =
        halves && (cost_has_text(in, "a") ? cost_has_text(in, "col")
                                          : cost_has_text(in, "b") && cost_has_text(in, "row"));
    if (!shared) {
        c.likely.alu = cost_fragment_registers(in);
        c.likely.lsu = turned ? c.likely.alu : 0;
    }
    return c;
}

struct insn_cost cost_of(const struct ptx_insn *in)
{
    const enum op_cost cost = op_table[in->op].cost;
    const enum kind kind = kind_of(type_of(in, 0));
    if (in->op == PTX_OP_WMMA && !cost_has_text(in, "mma")) {
        return fragment(in);
    }
    if (cost == COST_MEMORY) {
        return memory(in);
    }
    if (in->op == PTX_OP_MBARRIER &&
        (cost_has_text(in, "try_wait") || cost_has_text(in, "test_wait"))) {
        return (struct insn_cost){.likely = {.alu = 1}, .wait = WAIT_MEMORY, .chain = 1};
    }
    if (cost == COST_CONVERT) {
        return convert(in);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        const struct row *r = &rows[i];
        if (r->cost == cost && (r->kind == ANY || r->kind == kind) &&
            (r->modifier == ANYHOW || ptx_has_modifier(in, r->modifier))) {
            return (struct insn_cost){r->least, r->likely, r->wait, r->chain};
        }
    }
    return (struct insn_cost){.likely = {.alu = 1}, .wait = WAIT_ALU, .chain = 1};
}

double cost_issue(const struct cost *c)
{
    return c->fma + c->alu + c->either + c->fp64 + c->xu + c->lsu + c->other;
}

void cost_add(struct cost *sum, const struct cost *c, double times)
{
    sum->fma += c->fma * times;
    sum->alu += c->alu * times;
    sum->fp64 += c->fp64 * times;
    sum->xu += c->xu * times;
    sum->lsu += c->lsu * times;
    sum->other += c->other * times;
    sum->either += c->either * times;
    sum->heavy += c->heavy * times;
}
