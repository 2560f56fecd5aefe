/* costs.c - see costs.h. One row per opcode and kind of type; the first that fits counts. */
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
    enum ptx_op op;
    enum kind kind;
    enum ptx_word modifier; /* only with it; ANYHOW: with or without */
    struct cost least, likely;
    enum cost_wait wait;
    double chain;
} rows[] = {
    {PTX_OP_FMA, F64, ANYHOW, {FP64_(1)}, {FP64_(1)}, WAIT_FP64, 1},
    {PTX_OP_FMA, ANY, ANYHOW, {FMA_(1)}, {FMA_(1)}, WAIT_FMA, 1},
    {PTX_OP_MAD, F64, ANYHOW, {FP64_(1)}, {FP64_(1)}, WAIT_FP64, 1},
    {PTX_OP_MAD, F32, ANYHOW, {FMA_(1)}, {FMA_(1)}, WAIT_FMA, 1},
    {PTX_OP_MAD, I64, ANYHOW, {OTHER_(0)}, {IMAD_(4)}, WAIT_FMA, 3},
    {PTX_OP_MAD, ANY, ANYHOW, {OTHER_(0)}, {IMAD_(1)}, WAIT_FMA, 1},
    {PTX_OP_ADD, F32, ANYHOW, {FMA_(1)}, {FMA_(1)}, WAIT_FMA, 1},
    {PTX_OP_ADD, F64, ANYHOW, {FP64_(1)}, {FP64_(1)}, WAIT_FP64, 1},
    {PTX_OP_ADD, HALF, ANYHOW, {OTHER_(0)}, {FMA_(1)}, WAIT_FMA, 1},
    {PTX_OP_ADD, I64, ANYHOW, {OTHER_(0)}, {ALU_(0.65), EITHER_(0.65)}, WAIT_ALU, 1},
    {PTX_OP_ADD, I32, ANYHOW, {OTHER_(0)}, {EITHER_(0.95)}, WAIT_ALU, 1},
    {PTX_OP_SUB, F32, ANYHOW, {FMA_(1)}, {FMA_(1)}, WAIT_FMA, 1},
    {PTX_OP_SUB, F64, ANYHOW, {FP64_(1)}, {FP64_(1)}, WAIT_FP64, 1},
    {PTX_OP_SUB, HALF, ANYHOW, {OTHER_(0)}, {FMA_(1)}, WAIT_FMA, 1},
    {PTX_OP_SUB, I64, ANYHOW, {OTHER_(0)}, {ALU_(1), FMA_(0.6)}, WAIT_ALU, 2},
    {PTX_OP_SUB, I32, ANYHOW, {OTHER_(0)}, {EITHER_(0.95)}, WAIT_ALU, 1},
    {PTX_OP_MUL, F32, ANYHOW, {OTHER_(0)}, {FMA_(1)}, WAIT_FMA, 1},
    {PTX_OP_MUL, F64, ANYHOW, {OTHER_(0)}, {FP64_(1)}, WAIT_FP64, 1},
    {PTX_OP_MUL, HALF, ANYHOW, {OTHER_(0)}, {FMA_(1)}, WAIT_FMA, 1},
    {PTX_OP_MUL, ANY, WORD_WIDE, {OTHER_(0)}, {FMA_(1)}, WAIT_FMA, 1},
    {PTX_OP_MUL, I64, ANYHOW, {OTHER_(0)}, {IMAD_(4)}, WAIT_FMA, 3},
    {PTX_OP_MUL, ANY, ANYHOW, {OTHER_(0)}, {IMAD_(1)}, WAIT_FMA, 1},
    {PTX_OP_MAD24, ANY, ANYHOW, {OTHER_(0)}, {IMAD_(1)}, WAIT_FMA, 1},
    {PTX_OP_MUL24, ANY, ANYHOW, {OTHER_(0)}, {IMAD_(1)}, WAIT_FMA, 1},
    {PTX_OP_DP4A, ANY, ANYHOW, {OTHER_(0)}, {IMAD_(1)}, WAIT_FMA, 1},
    {PTX_OP_DP2A, ANY, ANYHOW, {OTHER_(0)}, {IMAD_(1)}, WAIT_FMA, 1},
    {PTX_OP_MIN, F64, ANYHOW, {OTHER_(0)}, {FP64_(1), ALU_(2)}, WAIT_FP64, 2},
    {PTX_OP_MAX, F64, ANYHOW, {OTHER_(0)}, {FP64_(1), ALU_(2)}, WAIT_FP64, 2},
    {PTX_OP_MIN, F32, ANYHOW, {ALU_(1)}, {ALU_(1)}, WAIT_ALU, 1},
    {PTX_OP_MAX, F32, ANYHOW, {ALU_(1)}, {ALU_(1)}, WAIT_ALU, 1},
    {PTX_OP_SETP, F64, ANYHOW, {FP64_(1)}, {FP64_(1)}, WAIT_FP64, 1},
    {PTX_OP_SETP, ANY, ANYHOW, {OTHER_(0)}, {ALU_(0.95)}, WAIT_PREDICATE, 1},
    {PTX_OP_AND, PRED, ANYHOW, {OTHER_(0)}, {ALU_(0.2)}, WAIT_ALU, 1},
    {PTX_OP_OR, PRED, ANYHOW, {OTHER_(0)}, {ALU_(0.2)}, WAIT_ALU, 1},
    {PTX_OP_XOR, PRED, ANYHOW, {OTHER_(0)}, {ALU_(0.2)}, WAIT_ALU, 1},
    {PTX_OP_NOT, PRED, ANYHOW, {OTHER_(0)}, {OTHER_(0)}, WAIT_NONE, 0},
    {PTX_OP_AND, I64, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 1},
    {PTX_OP_OR, I64, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 1},
    {PTX_OP_XOR, I64, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 1},
    {PTX_OP_AND, ANY, ANYHOW, {OTHER_(0)}, {ALU_(0.9)}, WAIT_ALU, 1},
    {PTX_OP_OR, ANY, ANYHOW, {OTHER_(0)}, {ALU_(0.9)}, WAIT_ALU, 1},
    {PTX_OP_XOR, ANY, ANYHOW, {OTHER_(0)}, {ALU_(0.9)}, WAIT_ALU, 1},
    {PTX_OP_NOT, ANY, ANYHOW, {OTHER_(0)}, {ALU_(0.3)}, WAIT_ALU, 0.3},
    {PTX_OP_SHL, I64, ANYHOW, {OTHER_(0)}, {ALU_(1)}, WAIT_ALU, 1},
    {PTX_OP_SHL, ANY, ANYHOW, {OTHER_(0)}, {EITHER_(0.9)}, WAIT_ALU, 1},
    {PTX_OP_SHR, I64, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 1},
    {PTX_OP_ABS, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(0)}, WAIT_NONE, 0},
    {PTX_OP_NEG, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(0)}, WAIT_NONE, 0},
    {PTX_OP_MOV, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(0)}, WAIT_NONE, 0},
    {PTX_OP_CVTA, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(0)}, WAIT_NONE, 0},
    {PTX_OP_SELP, F64, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 1},
    {PTX_OP_SELP, I64, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 1},
    {PTX_OP_SELP, ANY, ANYHOW, {OTHER_(0)}, {ALU_(0.9)}, WAIT_ALU, 1},
    {PTX_OP_RCP, F64, ANYHOW, {XU_(1)}, {XU_(1), FP64_(6), ALU_(4)}, WAIT_FP64, 8},
    {PTX_OP_RCP, F32, WORD_APPROX, {XU_(1)}, {XU_(1), ALU_(1)}, WAIT_XU, 1},
    {PTX_OP_RCP, F32, ANYHOW, {XU_(1)}, {XU_(1), FMA_(3), ALU_(3), OTHER_(1)}, WAIT_XU, 2},
    {PTX_OP_DIV,
     F64,
     ANYHOW,
     {XU_(1)},
     {XU_(1), FP64_(9), ALU_(5), FMA_(2), OTHER_(3)},
     WAIT_FP64,
     14},
    {PTX_OP_DIV, F32, WORD_APPROX, {XU_(1)}, {XU_(1), FMA_(1), ALU_(2)}, WAIT_XU, 2.3},
    {PTX_OP_DIV, F32, WORD_FULL, {XU_(1)}, {XU_(1), FMA_(3), ALU_(3)}, WAIT_XU, 1.7},
    {PTX_OP_DIV, F32, ANYHOW, {XU_(1)}, {XU_(2), FMA_(7), ALU_(2), OTHER_(2)}, WAIT_XU, 3},
    {PTX_OP_DIV, I64, ANYHOW, {OTHER_(0)}, {XU_(4), FMA_(50), ALU_(50), OTHER_(8)}, WAIT_FMA, 60},
    {PTX_OP_DIV, ANY, ANYHOW, {OTHER_(0)}, {XU_(3), FMA_(9), ALU_(9)}, WAIT_XU, 7},
    {PTX_OP_REM, I64, ANYHOW, {OTHER_(0)}, {XU_(4), FMA_(52), ALU_(50), OTHER_(8)}, WAIT_FMA, 60},
    {PTX_OP_REM, ANY, ANYHOW, {OTHER_(0)}, {XU_(3), FMA_(10), ALU_(8)}, WAIT_XU, 7},
    {PTX_OP_SQRT, F64, ANYHOW, {XU_(1)}, {XU_(1), FP64_(8), ALU_(5), OTHER_(2)}, WAIT_FP64, 13},
    {PTX_OP_SQRT, F32, WORD_APPROX, {XU_(1)}, {XU_(1), FMA_(1), ALU_(2)}, WAIT_XU, 2.5},
    {PTX_OP_SQRT, F32, ANYHOW, {XU_(1)}, {XU_(1), FMA_(5), ALU_(2), OTHER_(2)}, WAIT_XU, 3},
    {PTX_OP_RSQRT, F64, ANYHOW, {XU_(1)}, {XU_(1), FP64_(6), ALU_(4)}, WAIT_FP64, 9},
    {PTX_OP_RSQRT, ANY, WORD_FTZ, {XU_(1)}, {XU_(1)}, WAIT_XU, 1},
    {PTX_OP_RSQRT, ANY, ANYHOW, {XU_(1)}, {XU_(1), ALU_(1), FMA_(2)}, WAIT_XU, 2.3},
    {PTX_OP_EX2, ANY, WORD_FTZ, {XU_(1)}, {XU_(1)}, WAIT_XU, 1},
    {PTX_OP_EX2, ANY, ANYHOW, {XU_(1)}, {XU_(1), ALU_(1), FMA_(2)}, WAIT_XU, 2.3},
    {PTX_OP_LG2, ANY, WORD_FTZ, {XU_(1)}, {XU_(1)}, WAIT_XU, 1},
    {PTX_OP_LG2, ANY, ANYHOW, {XU_(1)}, {XU_(1), ALU_(1), FMA_(2)}, WAIT_XU, 2.3},
    {PTX_OP_SIN, ANY, ANYHOW, {XU_(1)}, {XU_(1), FMA_(1)}, WAIT_XU, 1.2},
    {PTX_OP_COS, ANY, ANYHOW, {XU_(1)}, {XU_(1), FMA_(1)}, WAIT_XU, 1.2},
    {PTX_OP_TANH, ANY, ANYHOW, {XU_(1)}, {XU_(1)}, WAIT_XU, 1},
    {PTX_OP_POPC, ANY, ANYHOW, {OTHER_(0)}, {XU_(1)}, WAIT_XU, 1},
    {PTX_OP_CLZ, ANY, ANYHOW, {OTHER_(0)}, {XU_(1), ALU_(1)}, WAIT_XU, 1},
    {PTX_OP_BFIND, ANY, ANYHOW, {OTHER_(0)}, {XU_(1)}, WAIT_XU, 1},
    {PTX_OP_BREV, ANY, ANYHOW, {OTHER_(0)}, {XU_(1)}, WAIT_XU, 1},
    {PTX_OP_BFE, ANY, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 2},
    {PTX_OP_BFI, ANY, ANYHOW, {OTHER_(0)}, {ALU_(2)}, WAIT_ALU, 2},
    {PTX_OP_SHFL, ANY, ANYHOW, {LSU_(1)}, {LSU_(1)}, WAIT_SHUFFLE, 1},
    {PTX_OP_VOTE, ANY, ANYHOW, {OTHER_(0)}, {ALU_(1)}, WAIT_SHUFFLE, 0.6},
    {PTX_OP_ACTIVEMASK, ANY, ANYHOW, {OTHER_(0)}, {ALU_(1)}, WAIT_ALU, 2},
    {PTX_OP_MATCH, ANY, ANYHOW, {OTHER_(0)}, {LSU_(2), OTHER_(4)}, WAIT_SHUFFLE, 4},
    {PTX_OP_REDUX, ANY, ANYHOW, {OTHER_(0)}, {LSU_(2)}, WAIT_SHUFFLE, 2},
    {PTX_OP_BAR, ANY, ANYHOW, {OTHER_(1)}, {OTHER_(1)}, WAIT_BARRIER, 1},
    {PTX_OP_BARRIER, ANY, ANYHOW, {OTHER_(1)}, {OTHER_(1)}, WAIT_BARRIER, 1},
    {PTX_OP_BRA, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(1)}, WAIT_BRANCH, 1},
    {PTX_OP_BRX, ANY, ANYHOW, {OTHER_(1)}, {OTHER_(2), ALU_(2)}, WAIT_BRANCH, 3},
    {PTX_OP_RET, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(1)}, WAIT_NONE, 0},
    {PTX_OP_EXIT, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(1)}, WAIT_NONE, 0},
    {PTX_OP_CALL, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(4)}, WAIT_BRANCH, 2},
    {PTX_OP_MEMBAR, ANY, ANYHOW, {OTHER_(0)}, {LSU_(1), OTHER_(2)}, WAIT_MEMORY, 1},
    {PTX_OP_FENCE, ANY, ANYHOW, {OTHER_(0)}, {LSU_(1), OTHER_(2)}, WAIT_MEMORY, 1},
    {PTX_OP_NANOSLEEP, ANY, ANYHOW, {OTHER_(0)}, {OTHER_(1)}, WAIT_NONE, 0},
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
    if (ptx_has_modifier(in, WORD_PARAM) || op_table[in->op].memory == MEMORY_NONE) {
        c.wait = WAIT_NONE;
        return c;
    }
    if (op_table[in->op].memory == MEMORY_UPDATES && ptx_has_modifier(in, WORD_SHARED) &&
        kind_of(type_of(in, 0)) != I32 && ptx_has_modifier(in, WORD_ADD)) {
        c.likely = (struct cost){.fma = 1, .alu = 1, .lsu = 1, .other = 2}; /* a loop of swaps */
    }
    c.likely.lsu +=
        ptx_has_modifier(in, WORD_LOCAL); /* of others work.c knows how many there are */
    return c;
}

struct insn_cost cost_of(const struct ptx_insn *in)
{
    const enum op_class class = op_table[in->op].class;
    if (class == CLASS_MEMORY || (class == CLASS_HINT && in->op != PTX_OP_NANOSLEEP)) {
        return memory(in);
    }
    if (class == CLASS_CONVERSION) {
        return convert(in);
    }
    const enum kind kind = kind_of(type_of(in, in->op == PTX_OP_SET ? 1 : 0));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        if (r->op == in->op && (r->kind == ANY || r->kind == kind) &&
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
