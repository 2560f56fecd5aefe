/* test_join.c - which neighbouring accesses become one, and which must not: PTX in, instructions out.
 *
 * A line "16:4 ld..." is an access of 4 bytes (of each lane, as the compiler saw it) at a multiple of 16; "16:c" a
 * piece of a copy; a line without a number has none. Printed are opcode, words and operands, one line each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/simt/ptx/parse.h"
#include "suite.h"

static unsigned code(const char *line)
{
    unsigned align = (unsigned)strtoul(line, (char **)&line, 10), align_code = 1, size = 0;
    while (1u << (align_code - 1) < align) {
        align_code++;
    }
    if (line[1] == 'c') {
        size = 7;
    } else {
        for (unsigned bytes = (unsigned)strtoul(line + 1, NULL, 10); 1u << size < bytes;) {
            size++;
        }
    }
    return 1024 * (size + 8 * align_code) + 9;
}

static void write_text(FILE *out, const char *pragma, const char *body)
{
    fprintf(out, ".version 8.0\n.target sm_80\n.address_size 64\n%s\n.file 1 \"t.cu\"\n", pragma);
    fprintf(out, ".visible .entry k()\n{\n.reg .f32 %%f<20>;\n.reg .b32 %%r<20>;\n.reg .b64 %%rd<20>;\n.reg .f64 %%fd<4>;\n"
                 ".reg .pred %%p<4>;\n.shared .align 16 .b8 tile[64];\n");
    while (*body != '\0') {
        size_t length = strcspn(body, "\n");
        size_t skip = body[0] >= '0' && body[0] <= '9' ? strcspn(body, " ") : 0;
        fprintf(out, ".loc 1 1 %u\n%.*s\n", skip > 0 ? code(body) : 3, (int)(length - skip), body + skip);
        body += length + (body[length] == '\n');
    }
    fprintf(out, "ret;\n}\n");
}

static void print_operand(FILE *out, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_MEMORY) {
        fprintf(out, "[%s+%d]", o->name, (int)o->bits);
        return;
    }
    for (unsigned i = 0; i < o->item_count; i++) {
        fprintf(out, "%s%s", i > 0 ? " " : "{", o->items[i].name != NULL ? o->items[i].name : "number");
    }
    fprintf(out, "%s", o->item_count > 0 ? "}" : o->name != NULL ? o->name : "number");
}

/* What the loads and stores of the body have become; labels are printed where they stand. */
static void check(const char *pragma, const char *body, const char *wanted)
{
    char *text = NULL, *got = NULL;
    size_t length = 0, got_length = 0;
    FILE *out = open_memstream(&text, &length);
    write_text(out, pragma, body);
    fclose(out);
    struct err e = {0};
    struct ptx_module *m = parse_module(text, length, "t.ptx", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    out = open_memstream(&got, &got_length);
    const struct ptx_func *f = &m->funcs[0];
    for (unsigned i = 0; i < f->insn_count; i++) {
        const struct ptx_insn *in = &f->insns[i];
        for (unsigned k = 0; k < f->label_count; k++) {
            if (f->labels[k].insn == i) {
                fprintf(out, "%s:\n", f->labels[k].name);
            }
        }
        ck_assert(pragma[0] == '\0' || in->loc->column < 1024);
        bool halves = in->op == PTX_OP_MOV && (in->operands[0].kind == PTX_OPERAND_VECTOR ||
                                               in->operands[1].kind == PTX_OPERAND_VECTOR);
        if (in->op != PTX_OP_LD && in->op != PTX_OP_ST && !halves) {
            continue;
        }
        fprintf(out, "%s", in->op_name);
        for (unsigned k = 1; k < in->modifier_count; k++) { /* all but the first, the space */
            fprintf(out, ".%s", in->modifiers[k].text);
        }
        for (unsigned k = 0; k < in->operand_count; k++) {
            fprintf(out, " ");
            print_operand(out, &in->operands[k]);
        }
        fprintf(out, "\n");
    }
    fclose(out);
    ck_assert_str_eq(got, wanted);
    ptx_module_free(m);
    free(text);
    free(got);
}

#define PRAGMA ".pragma \"simt_alignments\";"
#define JOINS(body, wanted) check(PRAGMA, body, wanted)

START_TEST(test_fields_of_a_vector)
{
    /* x and one of z and w: all four; x and y: two; y and z: as they are; z and w: two. */
    JOINS("16:4 ld.global.f32 %f1, [%rd1];\n8:4 ld.global.f32 %f3, [%rd1+8];",
          "ld.v4.f32 {%f1 _ %f3 _} [%rd1+0]\n");
    JOINS("16:4 ld.global.f32 %f1, [%rd1+16];\n4:4 ld.global.f32 %f3, [%rd1+28];",
          "ld.v4.f32 {%f1 _ _ %f3} [%rd1+16]\n");
    JOINS("4:4 ld.global.f32 %f2, [%rd1+4];\n16:4 ld.global.f32 %f1, [%rd1];",
          "ld.v2.f32 {%f1 %f2} [%rd1+0]\n");
    JOINS("4:4 ld.global.f32 %f2, [%rd1+4];\n8:4 ld.global.f32 %f3, [%rd1+8];",
          "ld.f32 %f2 [%rd1+4]\nld.f32 %f3 [%rd1+8]\n");
    JOINS("8:4 ld.global.f32 %f3, [%rd1+8];\n4:4 ld.global.f32 %f4, [%rd1+12];",
          "ld.v2.f32 {%f3 %f4} [%rd1+8]\n");
    JOINS("16:8 ld.global.v2.f32 {%f1,%f2}, [%rd1];\n8:4 ld.global.f32 %f3, [%rd1+8];",
          "ld.v4.f32 {%f1 %f2 %f3 _} [%rd1+0]\n");
    JOINS("4:1 ld.global.u8 %r1, [%rd1];\n1:1 ld.global.u8 %r2, [%rd1+3];",
          "ld.v4.u8 {%r1 _ _ %r2} [%rd1+0]\n");
    JOINS("16:8 ld.global.u64 %rd3, [%rd1];\n8:8 ld.global.u64 %rd4, [%rd1+8];",
          "ld.v2.u64 {%rd3 %rd4} [%rd1+0]\n");
}
END_TEST

START_TEST(test_what_must_be_alike)
{
    const char *apart = "ld.f32 %f1 [%rd1+0]\nld.f32 %f3 [%rd1+8]\n";
    JOINS("4:4 ld.global.f32 %f1, [%rd1];\n4:4 ld.global.f32 %f3, [%rd1+8];", apart);
    JOINS("ld.global.f32 %f1, [%rd1];\n8:4 ld.global.f32 %f3, [%rd1+8];", apart);
    /* The compiler has made a narrow load of a wide one: at which offset is not known. */
    JOINS("16:16 ld.global.f32 %f1, [%rd1];\n8:4 ld.global.f32 %f3, [%rd1+8];", apart);
    JOINS("16:4 ld.global.f32 %f1, [%rd1];\n8:4 ld.global.u32 %r3, [%rd1+8];",
          "ld.v4.b32 {%f1 _ %r3 _} [%rd1+0]\n"); /* as nvcc does it */
    JOINS("8:2 ld.global.u16 %r1, [%rd1];\n4:2 ld.global.s16 %r3, [%rd1+4];",
          "ld.u16 %r1 [%rd1+0]\nld.s16 %r3 [%rd1+4]\n");
    JOINS("2:1 st.global.u8 [%rd1], %rd3;\n1:1 st.global.u8 [%rd1+1], %r3;",
          "st.u8 [%rd1+0] %rd3\nst.u8 [%rd1+1] %r3\n"); /* registers of two widths */
    JOINS("8:4 st.global.u32 [%rd1], %r3;\n4:4 st.global.u32 [%rd1+4], %rd4;",
          "st.u32 [%rd1+0] %r3\nst.u32 [%rd1+4] %rd4\n");
    JOINS("16:4 st.global.u32 [%rd1], 7;\n4:4 st.global.u32 [%rd1+4], %r3;\n"
          "8:4 st.global.u32 [%rd1+8], %rd4;\n4:4 st.global.u32 [%rd1+12], %rd5;",
          "st.v2.u32 [%rd1+0] {number %r3}\nst.v2.u32 [%rd1+8] {%rd4 %rd5}\n");
    JOINS("2:1 st.global.u8 [%rd1], %rd3;\n1:1 st.global.u8 [%rd1+1], %rd4;",
          "st.v2.u8 [%rd1+0] {%rd3 %rd4}\n");
    JOINS("2:1 st.global.u8 [%rd1], %r3;\n1:1 st.global.u8 [%rd1+1], 7;",
          "st.v2.u8 [%rd1+0] {%r3 number}\n");
    JOINS("16:4 ld.global.f32 %f1, [%rd1];\n8:4 @%p1 ld.global.f32 %f3, [%rd1+8];", apart);
    JOINS("16:4 ld.global.f32 %f1, [%rd1];\n8:4 ld.global.f32 %f3, [%rd2+8];",
          "ld.f32 %f1 [%rd1+0]\nld.f32 %f3 [%rd2+8]\n");
    /* They contradict each other: base and base + 4 cannot both be multiples of 16. */
    JOINS("16:4 ld.global.f32 %f1, [%rd1];\n8:4 ld.global.f32 %f3, [%rd1+8];\n"
          "16:4 ld.global.f32 %f4, [%rd1+4];",
          "ld.f32 %f1 [%rd1+0]\nld.f32 %f3 [%rd1+8]\nld.f32 %f4 [%rd1+4]\n");
    check("", "16:4 ld.global.f32 %f1, [%rd1];\n8:4 ld.global.f32 %f3, [%rd1+8];", apart);
}
END_TEST

START_TEST(test_what_stands_between_loads)
{
#define BETWEEN(middle) "16:4 ld.global.f32 %f1, [%rd1];\n" middle "\n8:4 ld.global.f32 %f3, [%rd1+8];"
    const char *joined = "ld.v4.f32 {%f1 _ %f3 _} [%rd1+0]\n", *apart = "ld.f32 %f1 [%rd1+0]\nld.f32 %f3 [%rd1+8]\n";
    JOINS(BETWEEN("add.f32 %f4, %f1, %f1;"), joined);
    JOINS(BETWEEN("add.f32 %f4, %f1, %f3;"), apart); /* reads what the second load will overwrite */
    JOINS(BETWEEN("mov.f32 %f3, %f1;"), apart);
    JOINS(BETWEEN("add.s64 %rd1, %rd1, 4;"), apart);
    JOINS(BETWEEN("bar.sync 0;"), apart);
    JOINS(BETWEEN("bar.sync %r1;"), apart);
    JOINS(BETWEEN("membar.gl;"), apart);
    JOINS(BETWEEN("atom.global.add.u32 %r1, [%rd2], 1;"), apart);
    JOINS(BETWEEN("@%p1 ret;"), apart);
    JOINS(BETWEEN("ld.volatile.global.f32 %f4, [%rd2];"),
          "ld.f32 %f1 [%rd1+0]\nld.global.f32 %f4 [%rd2+0]\nld.f32 %f3 [%rd1+8]\n");
}
END_TEST

START_TEST(test_stores_between_loads)
{
    const char *behind = "ld.v4.f32 {%f1 _ %f3 _} [%rd1+0]\nst.f32 [%rd2+0] %f9\n";
    JOINS(BETWEEN("4:4 st.global.f32 [%rd2], %f9;"),
          "ld.f32 %f1 [%rd1+0]\nst.f32 [%rd2+0] %f9\nld.f32 %f3 [%rd1+8]\n");
    /* The first field of something that is aligned to 16 is not the third of something else. */
    JOINS(BETWEEN("16:4 st.global.f32 [%rd2], %f9;"), behind);
    JOINS(BETWEEN("8:4 st.global.f32 [%rd2], %f9;"),
          "ld.f32 %f1 [%rd1+0]\nst.f32 [%rd2+0] %f9\nld.f32 %f3 [%rd1+8]\n");
    JOINS(BETWEEN("4:4 st.shared.f32 [%rd2], %f9;"), behind);
    JOINS(BETWEEN("4:4 st.global.f32 [%rd1+4], %f9;"),
          "ld.v4.f32 {%f1 _ %f3 _} [%rd1+0]\nst.f32 [%rd1+4] %f9\n");
    JOINS(BETWEEN("4:4 st.global.f32 [%rd1+8], %f9;"),
          "ld.f32 %f1 [%rd1+0]\nst.f32 [%rd1+8] %f9\nld.f32 %f3 [%rd1+8]\n");
    JOINS("16:4 ld.global.nc.f32 %f1, [%rd1];\n4:4 st.global.f32 [%rd2], %f9;\n"
          "8:4 ld.global.nc.f32 %f3, [%rd1+8];",
          "ld.nc.v4.f32 {%f1 _ %f3 _} [%rd1+0]\nst.f32 [%rd2+0] %f9\n");
}
END_TEST

/* A base that is another one plus a number, known before or behind where the joined access stands. */
START_TEST(test_sums)
{
    JOINS("add.s64 %rd2, %rd1, 8;\n16:4 ld.global.f32 %f1, [%rd1];\n8:4 ld.global.f32 %f3, [%rd2];",
          "ld.v4.f32 {%f1 _ %f3 _} [%rd1+0]\n");
    JOINS("8:4 ld.global.f32 %f3, [%rd1+8];\nadd.s64 %rd2, %rd1, -16;\n16:4 ld.global.f32 %f1, [%rd2+16];",
          "ld.v4.f32 {%f1 _ %f3 _} [%rd1+0]\n");
    JOINS("add.s64 %rd2, %rd1, 8;\nadd.s64 %rd1, %rd1, 8;\n16:4 ld.global.f32 %f1, [%rd1];\n"
          "8:4 ld.global.f32 %f3, [%rd2];",
          "ld.f32 %f1 [%rd1+0]\nld.f32 %f3 [%rd2+0]\n");
    /* Sums of registers, in either order; what is computed behind the first access is not used for it. */
    JOINS("mov.u64 %rd1, 0;\nmov.u64 %rd2, 16;\nadd.s64 %rd3, %rd1, %rd2;\nadd.s64 %rd4, %rd1, 8;\n"
          "8:4 ld.global.f32 %f3, [%rd3+8];\nadd.s64 %rd5, %rd2, %rd4;\n16:4 ld.global.f32 %f1, [%rd5+-8];",
          "ld.v4.f32 {%f1 _ %f3 _} [%rd3+0]\n");
    JOINS("mov.u64 %rd1, 0;\nmov.u64 %rd2, 16;\nadd.s64 %rd3, %rd1, %rd1;\nadd.s64 %rd5, %rd1, %rd2;\n"
          "8:4 ld.global.f32 %f3, [%rd3+8];\n16:4 ld.global.f32 %f1, [%rd5];",
          "ld.f32 %f3 [%rd3+8]\nld.f32 %f1 [%rd5+0]\n");
    /* Two sums that have one summand in common are two numbers, whichever register was named first. */
    JOINS("mov.u64 %rd1, 0;\nmov.u64 %rd2, 16;\nmov.u64 %rd3, 64;\nadd.s64 %rd4, %rd1, %rd3;\n"
          "add.s64 %rd5, %rd2, %rd3;\n16:4 ld.global.f32 %f1, [%rd4];\n8:4 ld.global.f32 %f3, [%rd5+8];",
          "ld.f32 %f1 [%rd4+0]\nld.f32 %f3 [%rd5+8]\n");
    JOINS("mov.u64 %rd3, 0;\nmov.u64 %rd2, 16;\nmov.u64 %rd1, 64;\nadd.s64 %rd4, %rd1, %rd3;\n"
          "add.s64 %rd5, %rd2, %rd3;\n16:4 ld.global.f32 %f1, [%rd4];\n8:4 ld.global.f32 %f3, [%rd5+8];",
          "ld.f32 %f1 [%rd4+0]\nld.f32 %f3 [%rd5+8]\n");
    JOINS("@%p1 add.s64 %rd2, %rd1, 8;\n16:4 ld.global.f32 %f1, [%rd1];\n8:4 ld.global.f32 %f3, [%rd2];",
          "ld.f32 %f1 [%rd1+0]\nld.f32 %f3 [%rd2+0]\n");
    JOINS("add.s64 %rd2, %rd1, 8;\nadd.s64 %rd2, %rd2, 8;\n16:4 ld.global.f32 %f1, [%rd1];\n"
          "8:4 ld.global.f32 %f3, [%rd2];",
          "ld.f32 %f1 [%rd1+0]\nld.f32 %f3 [%rd2+0]\n");
}
END_TEST

/* Two fields that the compiler has copied as 8 bytes: halves of a register, taken apart and put together by mov. */
START_TEST(test_pairs)
{
    JOINS("16:4 ld.global.f32 %f1, [%rd1];\n4:4 ld.global.f32 %f2, [%rd1+4];\n8:8 ld.global.u64 %rd3, [%rd1+8];\n"
          "16:4 st.global.f32 [%rd2], %f1;\n4:4 st.global.f32 [%rd2+4], %f2;\n8:8 st.global.u64 [%rd2+8], %rd3;",
          "ld.v4.b32 {%f1 %f2 %join#0 %join#1} [%rd1+0]\nmov %rd3 {%join#0 %join#1}\n"
          "mov {%join#2 %join#3} %rd3\nst.v4.b32 [%rd2+0] {%f1 %f2 %join#2 %join#3}\n");
    /* Two of them in one stretch of code: each mov behind its own load. */
    JOINS("16:4 ld.global.f32 %f1, [%rd1];\n4:4 ld.global.f32 %f2, [%rd1+4];\n8:8 ld.global.u64 %rd3, [%rd1+8];\n"
          "16:4 ld.global.f32 %f5, [%rd7];\n4:4 ld.global.f32 %f6, [%rd7+4];\n8:8 ld.global.u64 %rd8, [%rd7+8];",
          "ld.v4.b32 {%f1 %f2 %join#0 %join#1} [%rd1+0]\nmov %rd3 {%join#0 %join#1}\n"
          "ld.v4.b32 {%f5 %f6 %join#2 %join#3} [%rd7+0]\nmov %rd8 {%join#2 %join#3}\n");
    /* the pair may come first, for which a gap is filled, too; a double is none */
    JOINS("16:8 st.global.u64 [%rd2], %rd3;\n8:4 st.global.f32 [%rd2+8], %f1;\n4:4 st.global.f32 [%rd2+12], %f2;",
          "mov {%join#0 %join#1} %rd3\nst.v4.b32 [%rd2+0] {%join#0 %join#1 %f1 %f2}\n");
    JOINS("16:8 ld.global.u64 %rd3, [%rd1];\n8:4 ld.global.f32 %f1, [%rd1+8];",
          "ld.v4.b32 {%join#0 %join#1 %f1 _} [%rd1+0]\nmov %rd3 {%join#0 %join#1}\n");
    JOINS("16:8 st.global.f64 [%rd2], %fd1;\n8:4 st.global.f32 [%rd2+8], %f1;\n4:4 st.global.f32 [%rd2+12], %f2;",
          "st.f64 [%rd2+0] %fd1\nst.v2.f32 [%rd2+8] {%f1 %f2}\n");
    /* a double beside an integer of 8 bytes */
    JOINS("16:8 st.global.f64 [%rd2], %fd1;\n8:8 st.global.u64 [%rd2+8], %rd3;",
          "st.v2.b64 [%rd2+0] {%fd1 %rd3}\n");
}
END_TEST

/* A value of 4 bytes that is extended to 64 bits keeps its type, so it joins its own type only. */
START_TEST(test_extension)
{
    JOINS("16:4 ld.global.s32 %rd3, [%rd1];\n8:4 ld.global.s32 %r3, [%rd1+8];",
          "ld.v4.s32 {%rd3 _ %r3 _} [%rd1+0]\n");
    JOINS("16:4 ld.global.s32 %rd3, [%rd1];\n8:4 ld.global.u32 %r3, [%rd1+8];",
          "ld.s32 %rd3 [%rd1+0]\nld.u32 %r3 [%rd1+8]\n");
    JOINS("16:4 ld.global.s32 %rd4, [%rd1];\n4:4 ld.global.s32 %r2, [%rd1+4];\n8:8 ld.global.u64 %rd3, [%rd1+8];",
          "ld.v2.s32 {%rd4 %r2} [%rd1+0]\nld.u64 %rd3 [%rd1+8]\n");
}
END_TEST

START_TEST(test_labels)
{
    const char *loads = "16:4 ld.global.f32 %f1, [%rd1];\nL:\n8:4 ld.global.f32 %f3, [%rd1+8];\n";
    char body[400];
    /* Nobody jumps there: a mark of the debugger's. */
    JOINS(loads, "ld.v4.f32 {%f1 _ %f3 _} [%rd1+0]\nL:\n");
    snprintf(body, sizeof body, "%s@%%p1 bra L;", loads);
    JOINS(body, "ld.f32 %f1 [%rd1+0]\nL:\nld.f32 %f3 [%rd1+8]\n");
    /* A label behind what has been joined stays with its instruction. */
    JOINS("16:4 ld.global.f32 %f1, [%rd1];\n8:4 ld.global.f32 %f3, [%rd1+8];\nL:\n"
          "4:4 ld.global.f32 %f5, [%rd2];\n@%p1 bra L;",
          "ld.v4.f32 {%f1 _ %f3 _} [%rd1+0]\nL:\nld.f32 %f5 [%rd2+0]\n");
}
END_TEST

START_TEST(test_stores)
{
    JOINS("16:4 st.global.f32 [%rd1], %f1;\n4:4 st.global.f32 [%rd1+4], %f2;\n"
          "8:4 st.global.f32 [%rd1+8], %f3;\n4:4 st.global.f32 [%rd1+12], %f4;",
          "st.v4.f32 [%rd1+0] {%f1 %f2 %f3 %f4}\n");
    /* Stores have no gaps. */
    JOINS("16:4 st.global.f32 [%rd1], %f1;\n4:4 st.global.f32 [%rd1+4], %f2;\n"
          "8:4 st.global.f32 [%rd1+8], %f3;",
          "st.v2.f32 [%rd1+0] {%f1 %f2}\nst.f32 [%rd1+8] %f3\n");
    JOINS("16:4 st.global.f32 [%rd1], %f1;\nmov.f32 %f1, %f7;\n4:4 st.global.f32 [%rd1+4], %f2;",
          "st.f32 [%rd1+0] %f1\nst.f32 [%rd1+4] %f2\n");
    JOINS("16:4 st.global.f32 [%rd1], %f1;\n4:4 ld.global.f32 %f7, [%rd2];\n"
          "4:4 st.global.f32 [%rd1+4], %f2;",
          "st.f32 [%rd1+0] %f1\nld.f32 %f7 [%rd2+0]\nst.f32 [%rd1+4] %f2\n");
}
END_TEST

START_TEST(test_copies)
{
#define PIECE(at) "16:c ld.global.u64 %rd3, [%rd1+" #at "];\n16:c st.global.u64 [%rd2+" #at "], %rd3;\n"
#define PIECE_BY(reg, at)                                                                          \
    "16:c ld.global.u64 " reg ", [%rd1+" #at "];\n16:c st.global.u64 [%rd2+" #at "], " reg ";\n"
    JOINS(PIECE_BY("%rd3", 24) PIECE_BY("%rd4", 16),
          "ld.v2.u64 {%rd4 %rd3} [%rd1+16]\nst.v2.u64 [%rd2+16] {%rd4 %rd3}\n");
    /* A copy of which the first piece is missing tells nothing. */
    JOINS(PIECE_BY("%rd3", 24) PIECE_BY("%rd4", 16) PIECE_BY("%rd5", 8),
          "ld.u64 %rd3 [%rd1+24]\nst.u64 [%rd2+24] %rd3\nld.u64 %rd4 [%rd1+16]\nst.u64 [%rd2+16] %rd4\n"
          "ld.u64 %rd5 [%rd1+8]\nst.u64 [%rd2+8] %rd5\n");
    JOINS(PIECE(8) PIECE(0), /* one register for both: nothing can be moved */
          "ld.u64 %rd3 [%rd1+8]\nst.u64 [%rd2+8] %rd3\nld.u64 %rd3 [%rd1+0]\nst.u64 [%rd2+0] %rd3\n");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("join");
    tcase_add_test(tests, test_fields_of_a_vector);
    tcase_add_test(tests, test_what_must_be_alike);
    tcase_add_test(tests, test_what_stands_between_loads);
    tcase_add_test(tests, test_stores_between_loads);
    tcase_add_test(tests, test_sums);
    tcase_add_test(tests, test_pairs);
    tcase_add_test(tests, test_extension);
    tcase_add_test(tests, test_labels);
    tcase_add_test(tests, test_stores);
    tcase_add_test(tests, test_copies);
    return run_suite("join", tests);
}
