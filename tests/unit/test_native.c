/* test_native.c - functions that the simulator answers itself: every row of native.def gives what
 * the function named there gives (mostly the C library's), and device printf, assert, malloc and
 * free. */
#include "machine_fixture.h"

#include "common/gpu/special.h"

#include <math.h>
#include <unistd.h>

#include "common/simt/exec/exec_native.h"

/* --- the math library ------------------------------------------------------------------------- */

static const struct {
    const char *name, *signature;
    void (*function)(void);
} natives[] = {
#define NATIVE(name, signature) {#name, signature, (void (*)(void))(name)},
#define NATIVE_OF_CARD(name)    {#name, "f:f", (void (*)(void))(special_##name)},
#include "common/simt/exec/native.def"
#undef NATIVE
#undef NATIVE_OF_CARD
};

/* Operands of thread t, exact in a float. */
static double first_of(uint32_t t) { return 0.25 + 0.375 * t; }
static double second_of(uint32_t t) { return 1.5 - 0.125 * t; }
static int whole_of(uint32_t t) { return (int)t - 3; }

static uint64_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t by_the_c_library(unsigned n, uint32_t t)
{
    const char *s = natives[n].signature;
    void (*f)(void) = natives[n].function;
    float a = (float)first_of(t), b = (float)second_of(t);
#define AS_FLOAT(letters, arguments, call)                                                         \
    if (strcmp(s, letters) == 0) {                                                                 \
        return bits_of_float(((float(*) arguments)f)call);                                         \
    }
#define AS_DOUBLE(letters, arguments, call)                                                        \
    if (strcmp(s, letters) == 0) {                                                                 \
        return bits_of_double(((double(*) arguments)f)call);                                       \
    }
    AS_FLOAT("f:f", (float), (a))
    AS_FLOAT("f:ff", (float, float), (a, b))
    AS_FLOAT("f:fi", (float, int), (a, whole_of(t)))
    AS_FLOAT("f:if", (int, float), (whole_of(t), a))
    AS_DOUBLE("d:d", (double), (first_of(t)))
    AS_DOUBLE("d:dd", (double, double), (first_of(t), second_of(t)))
    AS_DOUBLE("d:di", (double, int), (first_of(t), whole_of(t)))
    AS_DOUBLE("d:id", (int, double), (whole_of(t), first_of(t)))
    ck_abort_msg("%s: signature %s is new: add it here", natives[n].name, s);
    return 0;
}

/* The k-th argument: its type, and the register that holds it. */
static const char *argument_of(char letter, bool second, const char **reg)
{
    *reg = letter == 'i'   ? "%r7"
           : letter == 'f' ? (second ? "%r6" : "%r5")
                           : (second ? "%rd6" : "%rd5");
    return letter == 'd' ? "b64" : "b32";
}

/* The declaration and the call of native n; both texts have `size` bytes. */
static void native_texts(unsigned n, char *function, char *body, size_t size)
{
    const char *letters = natives[n].signature + 2, *type, *reg;
    const char *result = natives[n].signature[0] == 'd' ? "b64" : "b32";
    bool reals = false;
    size_t at = (size_t)snprintf(function, size, ".extern .func (.param .%s r) __simt_%s(", result,
                                 natives[n].name);
    size_t used = (size_t)snprintf(
        body, size,
        "cvt.rn.f64.u32 %%rd4, %%r1; fma.rn.f64 %%rd5, %%rd4, 0d3FD8000000000000, "
        "0d3FD0000000000000; fma.rn.f64 %%rd6, %%rd4, 0dBFC0000000000000, 0d3FF8000000000000;"
        "cvt.rn.f32.f64 %%r5, %%rd5; cvt.rn.f32.f64 %%r6, %%rd6; sub.s32 %%r7, %%r1, 3;"
        "{ .param .%s r; ",
        result);
    for (unsigned k = 0; letters[k] != '\0'; k++) {
        type = argument_of(letters[k], reals, &reg);
        reals |= letters[k] != 'i';
        at += (size_t)snprintf(function + at, size - at, "%s.param .%s p%u", k > 0 ? ", " : "",
                               type, k);
        used += (size_t)snprintf(body + used, size - used,
                                 ".param .%s p%u; st.param.%s [p%u], %s; ", type, k, type, k, reg);
    }
    snprintf(function + at, size - at, ");");
    snprintf(body + used, size - used, "call (r), __simt_%s, (p0%s); ld.param.%s %s, [r]; } %s",
             natives[n].name, letters[1] != '\0' ? ", p1" : "", result,
             result[1] == '6' ? "%rd7" : "%r8",
             result[1] == '6' ? "mov.b64 {%r2, %r9}, %rd7; st.global.u32 [%rd2+2048], %r9;"
                              : "mov.u32 %r2, %r8;");
}

START_TEST(math_is_the_c_librarys)
{
    char function[1024], body[1024];
    struct machine m = {.functions = function};
    native_texts((unsigned)_i, function, body, sizeof body);
    machine_run(&m, body);
    ck_assert_msg(m.good, "%s: %s", natives[_i].name, m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        uint64_t got = m.out[t] | (uint64_t)m.out[512 + t] << 32;
        uint64_t want = by_the_c_library((unsigned)_i, t);
        ck_assert_msg(got == want, "%s(%g, ...) is 0x%llx, not 0x%llx", natives[_i].name,
                      first_of(t), (unsigned long long)got, (unsigned long long)want);
    }
}
END_TEST

START_TEST(sizes_are_those_of_the_signature)
{
    static const struct {
        const char *name;
        unsigned result, parameters[6];
    } known[] = {{"__simt_sinf", 4, {4}},
                 {"__simt_pow", 8, {8, 8}},
                 {"__simt_ldexpf", 4, {4, 4}},
                 {"__simt_jn", 8, {4, 8}},
                 {"vprintf", 4, {8, 8}},
                 {"malloc", 8, {8}},
                 {"__assertfail", 0, {8, 8, 4, 8, 8}},
                 {"free", 0, {8}}};
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        unsigned n = native_find(known[i].name);
        ck_assert_msg(n != NO_NATIVE, "%s", known[i].name);
        ck_assert_uint_eq(native_result_bytes(n), known[i].result);
        for (unsigned k = 0; k < 6; k++) {
            ck_assert_uint_eq(native_param_bytes(n, k), known[i].parameters[k]);
        }
    }
    ck_assert_uint_eq(native_find("sinf"), NO_NATIVE);
    ck_assert_uint_eq(native_find(""), NO_NATIVE);
}
END_TEST

/* --- printf, assert, malloc: texts as PTX has them -------------------------------------------- */

static void add_text(char *to, size_t size, const char *name, const char *text)
{
    size_t used = strlen(to);
    used += (size_t)snprintf(to + used, size - used, ".global .align 1 .b8 %s[%zu] = {", name,
                             strlen(text) + 1);
    for (size_t i = 0; i <= strlen(text); i++) {
        used += (size_t)snprintf(to + used, size - used, "%s%d", i > 0 ? ", " : "",
                                 (unsigned char)text[i]);
    }
    snprintf(to + used, size - used, "};\n");
}

#define PRINTS ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
/* Prints `format` with the values at `values` (an address in %rd7); %r2 is the result. */
#define PRINT                                                                                      \
    "mov.u64 %rd8, format; { .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %rd8;" \
    "st.param.b64 [v], %rd7; call (r), vprintf, (f, v); ld.param.b32 %r2, [r]; } "
#define VALUES ".local .align 8 .b8 v[64]; cvta.local.u64 %rd7, v; "

static const struct {
    const char *what, *format, *values, *printed;
    uint32_t result;
} prints[] = {
    {"width and precision from arguments", "[%*d|%.*f]",
     "st.local.u32 [v], 6; st.local.u32 [v+4], 42; st.local.u32 [v+8], 1;"
     "st.local.f64 [v+16], 0d400921FB54442D18;",
     "[    42|3.1]", 2},
    {"a negative width is to the left, a negative precision none", "[%*d|%.*f]",
     "st.local.u32 [v], -6; st.local.u32 [v+4], 42; st.local.u32 [v+8], -1;"
     "st.local.f64 [v+16], 0d400921FB54442D18;",
     "[42    |3.141593]", 2},
    {"shorts and chars are ints", "%hd %hhu %c",
     "st.local.u32 [v], -2; st.local.u32 [v+4], 200;"
     "st.local.u32 [v+8], 65;",
     "-2 200 A", 3},
    {"unsigned and hexadecimal", "%u %x %llX",
     "st.local.u32 [v], -1; st.local.u32 [v+4], -1;"
     "st.local.u64 [v+8], -1;",
     "4294967295 ffffffff FFFFFFFFFFFFFFFF", 3},
    {"a pointer", "%p", "st.local.u64 [v], 4096;", "0x1000", 1},
    {"letters that are no conversion", "%y %d", "st.local.u32 [v], 5;", "%y 5", 1},
    {"a percent sign at the end", "100%", "", "100", 0},
    {"more stars than sense", "%************d|",
     "st.local.v4.u32 [v], {-1000000000, -1000000000, -1000000000, -1000000000};"
     "st.local.v4.u32 [v+16], {-1000000000, -1000000000, -1000000000, -1000000000};"
     "st.local.v4.u32 [v+32], {-1000000000, -1000000000, -1000000000, -1000000000};"
     "st.local.u32 [v+48], 7;",
     NULL, 1},
};

START_TEST(printf_reads_its_format)
{
    char functions[2048] = PRINTS, body[1024];
    struct machine m = {.functions = functions, .block = {1, 1, 1}};
    add_text(functions, sizeof functions, "format", prints[_i].format);
    snprintf(body, sizeof body, "%s%s %s", VALUES, prints[_i].values, PRINT);
    machine_run(&m, body);
    ck_assert_msg(m.good, "%s: %s", prints[_i].what, m.e.text);
    ck_assert_msg(prints[_i].printed == NULL || strcmp(m.printed, prints[_i].printed) == 0,
                  "%s: '%s'", prints[_i].what, m.printed);
    ck_assert_msg(m.out[0] == prints[_i].result, "%s: returns %u", prints[_i].what, m.out[0]);
}
END_TEST

START_TEST(lanes_print_in_order_and_only_those_that_call)
{
    char functions[2048] = PRINTS;
    struct machine m = {.functions = functions, .block = {40, 1, 1}};
    add_text(functions, sizeof functions, "format", "%d ");
    machine_run(&m, VALUES "rem.u32 %r3, %r1, 5; setp.ne.u32 %p1, %r3, 2; @%p1 bra END;"
                           "st.local.u32 [v], %r1; " PRINT "END:");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_str_eq(m.printed, "2 7 12 17 22 27 32 37 ");
}
END_TEST

START_TEST(a_string_may_lie_anywhere)
{
    char functions[2048] = PRINTS;
    struct machine m = {.functions = functions, .block = {1, 1, 1}};
    add_text(functions, sizeof functions, "format", "%s-%s-%s");
    add_text(functions, sizeof functions, "word", "global");
    machine_run(&m, VALUES ".shared .align 4 .b8 s[4]; .local .align 4 .b8 l[4];"
                           "mov.u64 %rd3, word; st.local.u64 [v], %rd3; mov.u64 %rd4, s;"
                           "st.shared.u32 [s], 0x00646873; cvta.shared.u64 %rd4, %rd4;"
                           "st.local.u64 [v+8], %rd4; st.local.u32 [l], 0x00636f6c;"
                           "cvta.local.u64 %rd5, l; st.local.u64 [v+16], %rd5; " PRINT);
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_str_eq(m.printed, "global-shd-loc");
}
END_TEST

START_TEST(a_long_line_is_cut)
{
    char functions[4096] = PRINTS;
    struct machine m = {.functions = functions, .block = {1, 1, 1}};
    add_text(functions, sizeof functions, "format", "%900d%900d%900d%900d%900d%900d.");
    machine_run(&m,
                VALUES "st.local.v4.u32 [v], {1, 2, 3, 4}; st.local.v2.u32 [v+16], {5, 6}; " PRINT);
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(strlen(m.printed), sizeof m.printed - 1);
    ck_assert_int_eq(m.printed[899], '1');
    ck_assert_int_eq(m.printed[3599], '4');
}
END_TEST

#define ALLOCATES                                                                                  \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
#define MALLOC(bytes)                                                                              \
    "{ .param .b64 n; .param .b64 r; st.param.b64 [n], " bytes                                     \
    "; call (r), malloc, (n); ld.param.b64 %rd3, [r]; } "
#define FREE "{ .param .b64 p; st.param.b64 [p], %rd3; call free, (p); } "

START_TEST(kernels_allocate)
{
    struct machine m = {.functions = ALLOCATES, .block = {64, 1, 1}};
    machine_run(
        &m, MALLOC("64") "st.u32 [%rd3+60], %r1; bar.sync 0; ld.u32 %r2, [%rd3+60];" FREE
                         "mov.u64 %rd3, 0; " FREE MALLOC(
                             "0x7fffffffffff") "setp.ne.u64 %p1, %rd3, 0; @%p1 mov.u32 %r2, 99;");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 64; t++) {
        ck_assert_uint_eq(m.out[t], t);
    }
}
END_TEST

static const struct {
    const char *what, *body, *texts[2];
    int code;
} mistakes[] = {
    {"free twice",
     MALLOC("16") FREE FREE,
     {"freed already, memory of malloc in a kernel at case.cu:20"},
     SIMT_ILLEGAL_ADDRESS},
    {"free of an inner pointer",
     MALLOC("16") "add.u64 %rd3, %rd3, 4; " FREE,
     {"that is byte 4 of the 16 bytes of malloc in a kernel at case.cu:20"},
     SIMT_ILLEGAL_ADDRESS},
    {"far from null, with a full heap",
     MALLOC("9000000") "ld.u32 %r2, [%rd3+8999996];",
     {"null pointer plus an offset", "heap of kernels holds 8388608 bytes"},
     SIMT_ILLEGAL_ADDRESS},
    {"far from null, with room in the heap",
     MALLOC("16") "mov.u64 %rd3, 8999996; ld.u32 %r2, [%rd3];",
     {"no device address"},
     SIMT_ILLEGAL_ADDRESS},
    {"free of something else",
     "mov.u64 %rd3, 4096; " FREE,
     {"free(0x1000)", "no such allocation"},
     SIMT_ILLEGAL_ADDRESS},
    {"use after free",
     MALLOC("16") FREE "ld.u32 %r2, [%rd3];",
     {"use after free", "malloc in a kernel"},
     SIMT_ILLEGAL_ADDRESS},
    {"behind the end",
     MALLOC("16") "ld.u32 %r2, [%rd3+16];",
     {"16 bytes", "malloc in a kernel"},
     SIMT_ILLEGAL_ADDRESS},
    {"before the note of new[]",
     MALLOC("16") "st.u64 [%rd3+-8], %rd3; ld.u32 %r2, [%rd3+-20];",
     {"20 bytes before the start", "16 bytes at"},
     SIMT_ILLEGAL_ADDRESS},
    {"a format that is nowhere",
     "mov.u64 %rd7, 0; { .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %rd7;"
     "st.param.b64 [v], %rd7; call (r), vprintf, (f, v); }",
     {"null pointer"},
     SIMT_ILLEGAL_ADDRESS},
    {"a string that is nowhere",
     VALUES "st.local.u64 [v], 0; " PRINT,
     {"null pointer"},
     SIMT_ILLEGAL_ADDRESS},
};

START_TEST(mistakes_are_faults)
{
    char functions[2048] = ALLOCATES PRINTS;
    struct machine m = {.functions = functions};
    add_text(functions, sizeof functions, "format", "%s");
    machine_run(&m, mistakes[_i].body);
    ck_assert_msg(!m.good, "%s: runs", mistakes[_i].what);
    ck_assert_msg(m.e.code == mistakes[_i].code, "%s: %s", mistakes[_i].what, m.e.text);
    ck_assert_msg(strstr(m.e.text, "at case.cu:20, block (0,0,0), thread (0,0,0)") != NULL,
                  "%s: %s", mistakes[_i].what, m.e.text);
    for (unsigned i = 0; i < 2 && mistakes[_i].texts[i] != NULL; i++) {
        ck_assert_msg(strstr(m.e.text, mistakes[_i].texts[i]) != NULL, "%s: %s", mistakes[_i].what,
                      m.e.text);
    }
}
END_TEST

/* What CUDA prints: file:line: function: block: [..], thread: [..] Assertion `...` failed. */
START_TEST(a_failed_assertion_says_what_cuda_says)
{
    char functions[2048] =
        ".extern .func __assertfail(.param .b64 c, .param .b64 f, .param .b32 l, .param .b64 n,"
        " .param .b64 s);\n";
    struct machine m = {.functions = functions, .grid = {3, 1, 1}, .block = {8, 2, 2}};
    add_text(functions, sizeof functions, "condition", "n < 5");
    add_text(functions, sizeof functions, "file", "dir/x.cu");
    add_text(functions, sizeof functions, "name", "void k(int)");
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    fflush(stderr);
    ck_assert(file != NULL && before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    machine_run(&m, "mov.u32 %r4, %tid.x; mov.u32 %r5, %tid.y; mov.u32 %r6, %tid.z;"
                    "add.u32 %r7, %r4, %r5; add.u32 %r7, %r7, %r6; setp.ne.u32 %p1, %r7, 9;"
                    "setp.ne.or.u32 %p1, %r30, 2, %p1; @%p1 bra END; mov.u64 %rd3, condition;"
                    "mov.u64 %rd4, file; mov.u64 %rd5, name; { .param .b64 c; .param .b64 f;"
                    ".param .b32 l; .param .b64 n; .param .b64 s; st.param.b64 [c], %rd3;"
                    "st.param.b64 [f], %rd4; st.param.b32 [l], 77; st.param.b64 [n], %rd5;"
                    "st.param.b64 [s], 1; call __assertfail, (c, f, l, n, s); } END:");
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    char text[512] = "";
    rewind(file);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    ck_assert_str_eq(text, "dir/x.cu:77: void k(int): block: [2,0,0], thread: [7,1,1] "
                           "Assertion `n < 5` failed.\n");
    ck_assert_ptr_null(fgets(text, sizeof text, file));
    fclose(file);
    ck_assert(!m.good);
    ck_assert_int_eq(m.e.code, SIMT_ASSERT);
    ck_assert_msg(strstr(m.e.text, "block (2,0,0), thread (7,1,1): assertion `n < 5` failed") !=
                      NULL,
                  "%s", m.e.text);
}
END_TEST

/* Block 0 gives its array to three others, on other workers, which look at it twice by the same
 * instruction and wait between: by what, the case says. */
static const char *const polls[] = {
    "ld.volatile.global.u32 %r5, [%rd1+4]",
    "ld.acquire.gpu.u32 %r5, [%rd1+4]",
    "atom.global.or.b32 %r5, [%rd1+4], 0",
};

static void look_twice(struct machine *m, const char *poll, bool right)
{
    static const char said[] = "mov.u32 %r4, 2; membar.gl; st.volatile.global.u32 [%rd1+4], %r4; ";
    char body[4096];
    snprintf(body, sizeof body,
             "setp.ne.u32 %%p1, %%r1, 0; @%%p1 ret; setp.ne.u32 %%p1, %%r30, 0; @%%p1 bra LOOK; "
             "%s mov.u32 %%r3, 7; st.global.u32 [%%rd3], %%r3; "
             "st.volatile.global.u64 [%%rd1+16], %%rd3; membar.gl; mov.u32 %%r4, 1; "
             "st.volatile.global.u32 [%%rd1+4], %%r4; "
             "FIRST: ld.volatile.global.u32 %%r5, [%%rd1+8]; setp.lt.u32 %%p1, %%r5, 3; "
             "@%%p1 bra FIRST; %s"
             "SECOND: ld.volatile.global.u32 %%r5, [%%rd1+8]; setp.lt.u32 %%p1, %%r5, %d; "
             "@%%p1 bra SECOND; %s %s bra END; "
             "LOOK: ld.volatile.global.u32 %%r5, [%%rd1+4]; setp.lt.u32 %%p1, %%r5, 1; "
             "@%%p1 bra LOOK; ld.volatile.global.u64 %%rd6, [%%rd1+16]; mov.u32 %%r6, 2; "
             "AGAIN: ld.global.u32 %%r7, [%%rd6]; add.u32 %%r2, %%r2, %%r7; "
             "red.global.add.u32 [%%rd1+8], 1; setp.gt.u32 %%p1, %%r6, 2; @%%p1 bra END; "
             "POLL: %s; setp.lt.u32 %%p1, %%r5, %%r6; @%%p1 bra POLL; "
             "add.u32 %%r6, %%r6, 1; bra AGAIN; END:",
             MALLOC("16"), right ? said : "", right ? 6 : 3, FREE, right ? "" : said, poll);
    machine_run(m, body);
}

START_TEST(what_another_worker_has_freed_is_gone)
{
    struct machine right = {
        .grid = {4, 1, 1}, .block = {1024, 1, 1}, .workers = 4, .functions = ALLOCATES};
    struct machine wrong = right;
    look_twice(&right, polls[_i], true);
    ck_assert_msg(right.good, "%s", right.e.text);
    for (unsigned block = 1; block < 4; block++) {
        ck_assert_uint_eq(right.out[1024 * block], 14);
    }
    look_twice(&wrong, polls[_i], false);
    ck_assert_msg(!wrong.good && strstr(wrong.e.text, "use after free") != NULL, "%s: %s",
                  polls[_i], wrong.good ? "nothing told" : wrong.e.text);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("native");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, math_is_the_c_librarys, 0, sizeof natives / sizeof natives[0]);
    tcase_add_test(tc, sizes_are_those_of_the_signature);
    tcase_add_loop_test(tc, printf_reads_its_format, 0, sizeof prints / sizeof prints[0]);
    tcase_add_test(tc, lanes_print_in_order_and_only_those_that_call);
    tcase_add_test(tc, a_string_may_lie_anywhere);
    tcase_add_test(tc, a_long_line_is_cut);
    tcase_add_test(tc, kernels_allocate);
    tcase_add_loop_test(tc, mistakes_are_faults, 0, sizeof mistakes / sizeof mistakes[0]);
    tcase_add_test(tc, a_failed_assertion_says_what_cuda_says);
    tcase_add_loop_test(tc, what_another_worker_has_freed_is_gone, 0,
                        sizeof polls / sizeof polls[0]);
    return run_suite("native", tc);
}
