/* test_source.c - what reports read in the learner's source text: lines, names of parameters, which
 * variable a statement assigns to, whether an access stands where it was written; and text in the
 * columns of a terminal. */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/array_name.h"
#include "report/assigned.h"
#include "report/moved.h"
#include "report/source.h"
#include "report/wrapped.h"

#include "suite.h"

static char path[64], other_path[64];

/* Line numbers stand in the tests: line 1 is the first one here. */
static const char text[] = "__device__ float square(float x) { return x * x; }\n"
                           "__global__ void scale(const float *__restrict__ in, float *out,\n"
                           "                      int table[4])\n"
                           "{\n"
                           "    float sum = 0, most;\n"
                           "    int i = threadIdx.x;\n"
                           "    { sum += in[i]; }\n"
                           "    sum = sum + in[i] * 2;\n"
                           "    most = in[i];\n"
                           "    i = table[i];\n"
                           "    sum = in[table[i]];\n"
                           "    sum = square(sum);\n"
                           "    double wide = in[i + 1] * sum;\n"
                           "    out[i] = in[i] + in[2 * i];\n"
                           "    out[i] = square(i);\n"
                           "    sum *= most\n"
                           "        ; sum -= 3;\n"
                           "}\n"
                           "int scaled;\n"
                           "__global__ void scaled_twice(int n);\n"
                           "__global__ void sized(dim3 size = {1, 2}, int last = 3) {}\n"
                           "template <int N> __global__ void reduce(float (&in)[N]) {}\n";

static void write_file(char *name, size_t size, const char *what, const char *content)
{
    snprintf(name, size, "/tmp/test_source_%s_%ld.cu", what, (long)getpid());
    FILE *f = fopen(name, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(content, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

static void setup(void)
{
    write_file(path, sizeof path, "one", text);
    write_file(other_path, sizeof other_path, "other", "int scale(int n);\n");
}

static void teardown(void)
{
    unlink(path);
    unlink(other_path);
}

/* ---- lines ----------------------------------------------------------------------------------- */

START_TEST(lines_have_numbers_from_one)
{
    ck_assert_str_eq(source_line(path, 4), "{");
    ck_assert_str_eq(source_line(path, 0), "");
    ck_assert_str_eq(source_line(path, 22),
                     "template <int N> __global__ void reduce(float (&in)[N]) {}");
    ck_assert_str_eq(source_line(path, 23), "");
}
END_TEST

START_TEST(a_file_that_is_not_there_has_no_lines)
{
    char name[32] = "untouched";
    ck_assert_uint_eq(source_line_count("/nowhere/x.cu"), 0);
    ck_assert_str_eq(source_line("/nowhere/x.cu", 1), "");
    ck_assert_str_eq(source_line(NULL, 1), "");
    ck_assert(!source_parameter("/nowhere/x.cu", "scale", 0, name, sizeof name));
    ck_assert(!source_is_in_kernel("/nowhere/x.cu", 1, "scale"));
}
END_TEST

/* ---- parameters ------------------------------------------------------------------------------ */

static const char *parameter(const char *kernel, unsigned index)
{
    static char name[32];
    return source_parameter(path, kernel, index, name, sizeof name) ? name : "(none)";
}

START_TEST(parameters_are_called_as_the_source_spells_them)
{
    ck_assert_str_eq(parameter("scale", 0), "in");
    ck_assert_str_eq(parameter("scale", 1), "out");
    ck_assert_str_eq(parameter("ns::scale<float, 256>", 1), "out");
}
END_TEST

START_TEST(default_values_and_brackets_are_no_names)
{
    ck_assert_str_eq(parameter("scale", 2), "table");
    ck_assert_str_eq(parameter("sized", 0), "size");
    ck_assert_str_eq(parameter("sized", 1), "last");
}
END_TEST

START_TEST(there_is_no_parameter_behind_the_last)
{
    ck_assert_str_eq(parameter("scale", 3), "(none)");
    ck_assert_str_eq(parameter("scal", 0), "(none)"); /* the beginning of a name is another name */
    ck_assert_str_eq(parameter("scaled", 0), "(none)");
    ck_assert_str_eq(parameter("", 0), "(none)");
}
END_TEST

START_TEST(a_kernel_reaches_from_its_head_to_its_last_brace)
{
    ck_assert(!source_is_in_kernel(path, 1, "scale"));
    ck_assert(source_is_in_kernel(path, 2, "scale"));
    ck_assert(source_is_in_kernel(path, 7, "scale"));
    ck_assert(source_is_in_kernel(path, 8, "scale")); /* behind an inner block */
    ck_assert(source_is_in_kernel(path, 18, "scale"));
    ck_assert(!source_is_in_kernel(path, 19, "scale"));
    ck_assert(!source_is_in_kernel(path, 7, "square")); /* no kernel */
}
END_TEST

/* ---- assignments ----------------------------------------------------------------------------- */

static struct assigned assigned(unsigned line, unsigned column)
{
    struct assigned a = {.kind = ASSIGNED_LOAD};
    ck_assert_msg(assigned_read(path, line, column, &a), "line %u is not understood", line);
    return a;
}

START_TEST(a_sum_names_its_variable)
{
    const struct assigned a = assigned(7, 7); /* sum += in[i] */
    ck_assert_str_eq(a.name, "sum");
    ck_assert_int_eq(a.kind, ASSIGNED_SUM);
    ck_assert(a.is_float);
    ck_assert_uint_eq(a.bytes, 4);
}
END_TEST

START_TEST(a_load_names_its_variable)
{
    const struct assigned a = assigned(9, 5); /* most, declared behind a comma */
    ck_assert_str_eq(a.name, "most");
    ck_assert_int_eq(a.kind, ASSIGNED_LOAD);
    ck_assert_int_eq(assigned(10, 5).is_float, false);
}
END_TEST

START_TEST(a_declaration_has_its_type)
{
    const struct assigned a =
        assigned(13, 5); /* double wide = in[i + 1] * sum: the + is in brackets */
    ck_assert_str_eq(a.name, "wide");
    ck_assert_int_eq(a.kind, ASSIGNED_PRODUCT);
    ck_assert_uint_eq(a.bytes, 8);
}
END_TEST

START_TEST(a_statement_may_go_on_in_the_next_line)
{
    ck_assert_int_eq(assigned(16, 5).kind, ASSIGNED_PRODUCT); /* sum *= most ; */
    ck_assert_int_eq(assigned(17, 11).kind, ASSIGNED_SUM);    /* sum -= 3 */
}
END_TEST

START_TEST(sum_and_product_together_are_a_sum)
{
    ck_assert_int_eq(assigned(8, 5).kind, ASSIGNED_SUM);
}
END_TEST

START_TEST(what_depends_on_more_is_not_understood)
{
    struct assigned a;
    ck_assert(!assigned_read(path, 11, 5, &a)); /* an element of an element */
    ck_assert(!assigned_read(path, 12, 5, &a)); /* a call */
    ck_assert(!assigned_read(path, 14, 5, &a)); /* an element is no scalar */
    ck_assert(!assigned_read(path, 1, 1, &a));
    ck_assert(!assigned_read(path, 18, 1, &a));
}
END_TEST

/* ---- arrays ---------------------------------------------------------------------------------- */

static struct access_row row_at(const char *file, unsigned line, int index, const char *array)
{
    struct access_row r = {.line = line, .parameter = index};
    r.file = (char *)(uintptr_t)file;
    snprintf(r.array, sizeof r.array, "%s", array);
    return r;
}

START_TEST(an_array_is_called_as_the_kernels_parameter)
{
    char name[32];
    const struct access_row rows[] = {row_at(other_path, 1, 1, "argument 1"),
                                      row_at(path, 9, 0, "argument 0"),
                                      row_at(path, 9, -1, "shared")};
    ck_assert_str_eq(array_name_of(rows, 3, 1, "scale", name, sizeof name), "in");
    ck_assert_str_eq(array_name_of(rows, 3, 0, "scale", name, sizeof name),
                     "out"); /* in the other row's file */
    ck_assert_str_eq(array_name_of(rows, 3, 2, "scale", name, sizeof name), "shared");
    ck_assert_str_eq(array_name_of(rows, 1, 0, "scale", name, sizeof name), "argument 1");
}
END_TEST

START_TEST(an_access_stands_where_its_array_is_mentioned)
{
    const struct access_row rows[] = {row_at(path, 9, 0, ""), row_at(path, 9, 1, ""),
                                      row_at(path, 15, 0, ""), row_at(path, 0, 0, ""),
                                      row_at(path, 19, 0, "")};
    ck_assert(!moved_by_compiler(rows, 5, 0, "scale")); /* most = in[i] reads in */
    ck_assert(moved_by_compiler(rows, 5, 1, "scale"));  /* and cannot reach out */
    ck_assert(!moved_by_compiler(rows, 5, 2, "scale")); /* a call may reach anything */
    ck_assert(moved_by_compiler(rows, 5, 3, "scale"));  /* no line at all */
    ck_assert(!moved_by_compiler(rows, 5, 4, "scale")); /* outside of the kernel: in doubt not */
}
END_TEST

/* ---- text in columns ------------------------------------------------------------------------- */

static char printed[1024];
static int old_stdout;
static FILE *file;

static void print_begin(void)
{
    fflush(stdout);
    old_stdout = dup(STDOUT_FILENO);
    file = tmpfile();
    ck_assert(old_stdout >= 0 && file != NULL && dup2(fileno(file), STDOUT_FILENO) >= 0);
}

static const char *print_end(void)
{
    fflush(stdout);
    ck_assert_int_ge(dup2(old_stdout, STDOUT_FILENO), 0);
    rewind(file);
    const size_t length = fread(printed, 1, sizeof printed - 1, file);
    printed[length] = '\0';
    fclose(file);
    return printed;
}

START_TEST(text_is_broken_between_words_at_80_columns)
{
    char line[256] = "";
    for (unsigned i = 0; i < 16; i++) { /* 16 words of 9 letters and a blank */
        strcat(line, i == 0 ? "ninechars" : " ninechars");
    }
    print_begin();
    wrapped_print(2, "-> ", line);
    const char *said = print_end(), *second = strchr(said, '\n');
    ck_assert_int_eq(second - said, 5 + 7 * 9 + 6); /* an eighth word would end in column 84 */
    ck_assert_int_eq(strncmp(said, "  -> ninechars ninechars", 24), 0);
    ck_assert_int_eq(strncmp(second, "\n     ninechars ninechars", 25), 0);
    ck_assert_int_eq(strchr(second + 1, '\n') - second, 1 + 5 + 7 * 9 + 6);
    ck_assert_str_eq(strrchr(said, ' '), " ninechars\n");
}
END_TEST

START_TEST(a_word_that_ends_in_column_80_stays)
{
    char line[128];
    memset(line, 'a', sizeof line);
    line[38] = ' ';
    line[78] = '\0';
    print_begin();
    wrapped_print(2, "", line);
    ck_assert_int_eq(strchr(print_end(), '\n') - printed, 80);
}
END_TEST

START_TEST(what_moves_the_cursor_is_not_printed)
{
    print_begin();
    wrapped_plain("a\033[2Jb\tc", 100);
    wrapped_plain("dropped", 4);
    ck_assert_str_eq(print_end(), "a?[2Jb\tcdrop");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("source");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, lines_have_numbers_from_one);
    tcase_add_test(tests, a_file_that_is_not_there_has_no_lines);
    tcase_add_test(tests, parameters_are_called_as_the_source_spells_them);
    tcase_add_test(tests, default_values_and_brackets_are_no_names);
    tcase_add_test(tests, there_is_no_parameter_behind_the_last);
    tcase_add_test(tests, a_kernel_reaches_from_its_head_to_its_last_brace);
    tcase_add_test(tests, a_sum_names_its_variable);
    tcase_add_test(tests, a_load_names_its_variable);
    tcase_add_test(tests, a_declaration_has_its_type);
    tcase_add_test(tests, a_statement_may_go_on_in_the_next_line);
    tcase_add_test(tests, sum_and_product_together_are_a_sum);
    tcase_add_test(tests, what_depends_on_more_is_not_understood);
    tcase_add_test(tests, an_array_is_called_as_the_kernels_parameter);
    tcase_add_test(tests, an_access_stands_where_its_array_is_mentioned);
    tcase_add_test(tests, text_is_broken_between_words_at_80_columns);
    tcase_add_test(tests, a_word_that_ends_in_column_80_stays);
    tcase_add_test(tests, what_moves_the_cursor_is_not_printed);
    return run_suite("source", tests);
}
