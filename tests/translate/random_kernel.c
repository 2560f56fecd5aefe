/* random_kernel.c - see random_kernel.h. A kernel is a sequence of statements: those of
 * random_statements.c, and loops and branches around such.
 *
 * Each class of registers has OLD that are written again and again, from every place, and others
 * that are written once, in a part of straight-line code, and only read where that came before.
 * What a guard may skip writes old ones. */
#include "tests/translate/random_maker.h"

#include <string.h>

/* --- ways ---------------------------------------------------------------------------------------
 */

static void statements(struct maker *m, unsigned count);

/* What was written in one way is not known behind it. */
static void inside(struct maker *m, unsigned count)
{
    unsigned known[CLASSES];
    memcpy(known, m->known, sizeof known);
    m->depth++;
    statements(m, count);
    m->depth--;
    memcpy(m->known, known, sizeof known);
}

static void choice(struct maker *m)
{
    const unsigned label = m->labels++;
    const bool was_parted = m->parted, has_else = roll(m, 2);
    m->parted = true;
    fprintf(m->to, "@%s%%p%u bra L%u;\n", roll(m, 2) ? "!" : "", source(m, PREDICATE), label);
    inside(m, 1 + roll(m, 3));
    if (has_else) {
        fprintf(m->to, "bra E%u;\nL%u:\n", label, label);
        inside(m, 1 + roll(m, 3));
        fprintf(m->to, "E%u:\n", label);
    } else {
        fprintf(m->to, "L%u:\n", label);
    }
    m->parted = was_parted;
}

/* All lanes go round as often, or each as often as it likes; some leave early. */
static void loop(struct maker *m)
{
    const unsigned label = m->labels++, kind = roll(m, 3), own = m->depth;
    const bool was_parted = m->parted, leaves = kind == 2 && roll(m, 2);
    m->parted |= kind != 0;
    fprintf(m->to, "mov.u32 %%n%u, 0;\n", own);
    if (kind != 0) {
        fprintf(m->to, "and.b32 %%m%u, %%r%u, 7;\n", own, source(m, INT32));
    } else {
        fprintf(m->to, "mov.u32 %%m%u, %u;\n", own, roll(m, 9));
    }
    fprintf(m->to, "L%u:\nmov.u32 %%round, %%n%u;\n", label, own);
    inside(m, 1 + roll(m, kind == 1 ? 1 : 4));
    if (leaves) {
        fprintf(m->to, "@%%p%u bra E%u;\n", roll(m, OLD), label);
        inside(m, 1);
    }
    fprintf(m->to, "add.u32 %%n%u, %%n%u, 1;\nsetp.lt.u32 %%q%u, %%n%u, %%m%u;\n@%%q%u bra L%u;\n",
            own, own, own, own, own, own, label);
    fprintf(m->to, "E%u:\n", label);
    m->parted = was_parted;
}

static void table(struct maker *m)
{
    const unsigned label = m->labels++;
    const bool was_parted = m->parted;
    m->parted = true;
    fprintf(
        m->to,
        "and.b32 %%base, %%r%u, 1;\nT%u: .branchtargets L%u, M%u;\nbrx.idx %%base, T%u;\nL%u:\n",
        source(m, INT32), label, label, label, label, label);
    inside(m, 1);
    fprintf(m->to, "bra E%u;\nM%u:\n", label, label);
    inside(m, 1);
    fprintf(m->to, "E%u:\n", label);
    m->parted = was_parted;
}

static void call(struct maker *m)
{
    const unsigned to = roll(m, OLD);
    fprintf(m->to,
            "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [b], %%r%u; "
            "st.param.b32 [c], %%f%u; call (a), helper, (b, c); ld.param.b32 %%r%u, [a]; }\n",
            source(m, INT32), source(m, FLOAT32), to);
}

static void leave(struct maker *m)
{
    if (m->depth > 0 && roll(m, 4) == 0) {
        fprintf(m->to, "setp.eq.u32 %%q9, %%lane, %u;\n@%%q9 exit;\n", roll(m, 64));
    } else {
        arithmetic(m);
    }
}

static void statements(struct maker *m, unsigned count)
{
    static void (*const makers[])(struct maker * m) = {
        arithmetic, arithmetic, arithmetic, accesses, accesses, accesses, atomics, together,
        barrier,    leave,      call,       choice,   loop,     choice,   loop,    table};
    for (; count > 0 && m->left > 0; count--) {
        m->left--;
        makers[roll(m, m->depth < MOST_DEPTH ? 16 : 11)](m);
    }
}

/* --- the module ---------------------------------------------------------------------------------
 */

static void write_registers(const struct maker *m)
{
    static const char *const types[CLASSES] = {"b32", "b32", "b64", "b64", "b16", "pred"};
    for (unsigned c = 0; c < CLASSES; c++) {
        fprintf(m->to, ".reg .%s %%%c<%u>;\n", types[c], class_letter[c], MOST);
    }
    fputs(".reg .b32 %n<10>, %m<10>, %lane, %round, %together, %base, %i;\n"
          ".reg .pred %q<10>;\n.reg .b64 %in, %out, %base64, %kept;\n",
          m->to);
}

/* Shared and local memory hold numbers before anybody reads them. */
static void write_memory(struct maker *m)
{
    fputs("mad.lo.u32 %base, %lane, 64, 0;\nmov.u32 %m0, tile;\nadd.u32 %base, %base, %m0;\n"
          "setp.lt.u32 %q9, %lane, 36;\nmov.u64 %base64, own;\n",
          m->to);
    fputs("mov.u32 %n0, 0;\nL:\nst.local.v4.b32 [%base64], {%r0, %r1, %r2, %r3};\n"
          "add.s64 %base64, %base64, 16;\n@%q9 st.shared.v4.b32 [%base], {%f0, %f1, %r2, %r3};\n"
          "add.u32 %base, %base, 16;\nadd.u32 %n0, %n0, 1;\nsetp.lt.u32 %q8, %n0, 16;\n"
          "@%q8 bra L;\nbar.sync 0;\n",
          m->to);
}

/* Old registers begin with words of `in`, which differ from lane to lane. */
static void write_begin(struct maker *m)
{
    static const char *const type[CLASSES] = {"b32", "b32", "b64", "b64", "b16", ""};
    fputs("ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %lane, %tid.x;\n"
          "mov.u32 %round, 0;\nmov.u32 %base, %ctaid.x;\nmov.u32 %together, %ntid.x;\n"
          "mad.lo.u32 %i, %base, %together, %lane;\nmul.wide.u32 %kept, %i, 8;\n"
          "add.s64 %kept, %kept, %in;\n",
          m->to);
    for (unsigned c = 0; c < CLASSES; c++) {
        m->next[c] = OLD;
        for (unsigned i = 0; i < OLD; i++) {
            if (c == PREDICATE) {
                fprintf(m->to, "setp.lt.s32 %%p%u, %%r%u, %%r%u;\n", i, i, (i + 1) % OLD);
            } else {
                fprintf(m->to, "ld.global.%s %%%c%u, [%%kept+%u];\n", type[c], class_letter[c], i,
                        2048 * (c * OLD + i) % 14000 / 8 * 8);
            }
        }
    }
    write_memory(m);
}

static void write_end(struct maker *m)
{
    unsigned at = 0;
    fprintf(m->to, "mul.wide.u32 %%kept, %%i, %u;\nadd.s64 %%kept, %%kept, %%out;\n",
            4 * RANDOM_KEPT);
    for (unsigned c = 0; c < PREDICATE; c++) {
        static const char *const type[] = {"b32", "b32", "b64", "b64", "b16"};
        for (unsigned i = 0; i < OLD; i++) {
            fprintf(m->to, "st.global.%s [%%kept+%u], %%%c%u;\n", type[c],
                    4 * RANDOM_WORDS + 4 * at, class_letter[c], i);
            at += c == INT64 || c == FLOAT64 ? 2 : 1;
        }
    }
    for (unsigned i = 0; i < OLD; i++) {
        fprintf(m->to, "selp.b32 %%r0, 1, 2, %%p%u;\nst.global.b32 [%%kept+%u], %%r0;\n", i,
                4 * RANDOM_WORDS + 4 * at++);
    }
    fputs("ret;\n}\n", m->to);
}

static void begin_module(struct maker *m)
{
    fputs(".version 9.0\n.target sm_90a\n.address_size 64\n"
          ".func (.param .b32 r) helper(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %a<9>; .reg "
          ".pred "
          "%p; ld.param.b32 %a1, [x]; ld.param.b32 %a2, [y]; mul.f32 %a3, %a2, %a2; "
          "setp.lt.s32 %p, %a1, 0; @%p bra out; xor.b32 %a3, %a3, %a1; add.s32 %a3, %a3, 5;\nout: "
          "st.param.b32 [r], %a3; ret;\n}\n"
          ".visible .entry random(.param .u64 in, .param .u64 out)\n{\n"
          ".shared .align 16 .b8 tile[2560];\n.local .align 16 .b8 own[256];\n",
          m->to);
    write_registers(m);
    write_begin(m);
}

void random_kernel(FILE *to, uint64_t seed, unsigned length)
{
    static struct maker m;
    m = (struct maker){.to = to, .dice = {seed * 2654435761u + 12345}, .left = length};
    begin_module(&m);
    while (m.left > 0) {
        statements(&m, 1);
    }
    write_end(&m);
}

void random_row_kernel(FILE *to, unsigned row)
{
    static struct maker m;
    m = (struct maker){.to = to, .dice = {row}};
    begin_module(&m);
    write_text(&m, random_row(row));
    write_end(&m);
}
