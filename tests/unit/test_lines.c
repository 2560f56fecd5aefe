/* test_lines.c - counters by line of the source: what simt_kernel_lines() tells, and the page that
 * SIMT_REPORT=lines prints. */
#include "machine_fixture.h"

#include <sys/wait.h>
#include <unistd.h>

#include "common/simt/report/report_lines.h"

/* Line 10 has the kernel's head; 11 a branch that divides each warp; 12 a store by one lane in two;
 * 13 a barrier; 14 an atomic of a library, inlined. Lines come out of order; the last has no line.
 */
static const char kernels[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".file 1 \"SOURCE\"\n.file 2 \"/usr/include/library.h\"\n.file 3 \"second.cu\"\n"
    ".visible .entry counted(.param .u64 out)\n{ .reg .pred %p<9>; .reg .b32 %r<40>;"
    " .reg .b64 %rd<20>; .shared .align 4 .b8 s[8192];\n"
    ".loc 1 10 0\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 128;\n"
    ".loc 1 13 0\nbar.sync 0;\n"
    ".loc 1 11 0\nand.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;\n"
    ".loc 1 12 0\nadd.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;\n"
    ".loc 3 5 0\nEVEN: shl.b32 %r3, %r1, 7; mov.u32 %r4, s; add.u32 %r3, %r3, %r4;"
    " st.shared.u32 [%r3], %r1;\n"
    ".loc 1 14 0\n.loc 2 99 0, function_name F, inlined_at 1 14 0\n"
    "atom.global.add.u32 %r5, [%rd1], %r1; mov.u32 %r6, %r5;\n"
    ".loc 1 0 0\nret;\n}\n"
    ".visible .entry nothing() { ret; }\n";

struct counted {
    struct simt *s;
    struct simt_module *module;
    const struct simt_kernel *kernel;
    struct simt_launch launch;
    uint64_t words;
    struct simt_counters counters;
    struct simt_line lines[16];
    unsigned count;
};

static void keep_line(void *state, const struct simt_line *line)
{
    struct counted *c = state;
    ck_assert_uint_lt(c->count, 16);
    c->lines[c->count++] = *line;
}

static void run_counted(struct counted *c, const char *source)
{
    struct err e = {0};
    const char *name = strstr(kernels, "SOURCE");
    char *text;
    int length = asprintf(&text, "%.*s%s%s", (int)(name - kernels), kernels, source,
                          name + strlen("SOURCE"));
    ck_assert_int_gt(length, 0);
    c->s = simt_open(gpu_limits_find("h200"), 1, &e);
    ck_assert_msg(c->s != NULL, "%s", e.text);
    c->module = simt_module_load(c->s, text, (size_t)length, "lines.ptx", &e);
    ck_assert_msg(c->module != NULL, "%s", e.text);
    c->kernel = simt_module_kernel(c->module, "counted", &e);
    ck_assert_msg(c->kernel != NULL, "%s", e.text);
    const struct allocation *a =
        memory_alloc(simt_memory(c->s), 1 << 16, MEMORY_DEVICE, "test", NULL);
    c->words = a->begin;
    memset(memory_host(simt_memory(c->s), c->words, 1 << 16), 0, 1 << 16);
    c->launch = (struct simt_launch){
        .kernel = c->kernel, .grid = {3, 1, 1}, .block = {64, 1, 1}, .params = &c->words};
    ck_assert_msg(simt_run(c->s, &c->launch, &c->counters, &e), "%s", e.text);
    simt_kernel_lines(c->kernel, keep_line, c);
    free(text);
}

START_TEST(each_line_has_its_counts)
{
    struct counted c = {0};
    run_counted(&c, "first.cu");
    static const struct {
        const char *file;
        uint32_t line;
        struct simt_counters want; /* of 6 warps */
    } lines[] = {
        {NULL, 0, {.instructions = 6, .thread_instructions = 192}},
        {"first.cu", 10, {.instructions = 18, .thread_instructions = 576}},
        {"first.cu",
         11,
         {.instructions = 18, .thread_instructions = 576, .branches = 6, .divergent_branches = 6}},
        {"first.cu",
         12,
         {.instructions = 12,
          .thread_instructions = 192,
          .global_store_requests = 6,
          .global_store_sectors = 96}},
        {"first.cu", 13, {.instructions = 6, .thread_instructions = 192, .barriers = 6}},
        {"first.cu",
         14,
         {.instructions = 12,
          .thread_instructions = 384,
          .global_atom_requests = 6,
          .global_atom_sectors = 6}},
        {"second.cu",
         5,
         {.instructions = 24,
          .thread_instructions = 768,
          .shared_store_wavefronts = 192,
          .shared_store_conflicts = 186}},
    };
    ck_assert_uint_eq(c.count, sizeof lines / sizeof lines[0]);
    for (unsigned i = 0; i < c.count; i++) {
        const struct simt_line *got = &c.lines[i];
        ck_assert_msg(got->line == lines[i].line &&
                          (got->file == NULL) == (lines[i].file == NULL) &&
                          (got->file == NULL || strcmp(got->file, lines[i].file) == 0),
                      "line %u is %s:%u", i, got->file != NULL ? got->file : "(none)", got->line);
#define COUNTER(field, unit, metric)                                                               \
    ck_assert_msg(got->counters.field == lines[i].want.field, "line %u: %llu %s, not %llu",        \
                  lines[i].line, (unsigned long long)got->counters.field, #field,                  \
                  (unsigned long long)lines[i].want.field);
#include "common/simt/base/counters.def"
#undef COUNTER
    }
    simt_close(c.s);
}
END_TEST

START_TEST(lines_add_up_to_the_launch_and_only_to_the_last_one)
{
    struct counted c = {0};
    struct err e = {0};
    run_counted(&c, "first.cu");
    for (unsigned round = 0; round < 2; round++) {
        struct simt_counters sum = {.warps = c.counters.warps};
        for (unsigned i = 0; i < c.count; i++) {
#define COUNTER(field, unit, metric) sum.field += c.lines[i].counters.field;
#include "common/simt/base/counters.def"
#undef COUNTER
        }
        ck_assert_int_eq(memcmp(&sum, &c.counters, sizeof sum), 0);
        c.launch.grid.x = 1;
        ck_assert_msg(simt_run(c.s, &c.launch, &c.counters, &e), "%s", e.text);
        c.count = 0;
        simt_kernel_lines(c.kernel, keep_line, &c);
    }
    ck_assert_uint_eq(c.counters.warps, 2);
    simt_close(c.s);
}
END_TEST

START_TEST(a_kernel_that_has_not_run_has_no_lines)
{
    struct counted c = {0};
    struct err e = {0};
    run_counted(&c, "first.cu");
    c.count = 0;
    simt_kernel_lines(simt_module_kernel(c.module, "nothing", &e), keep_line, &c);
    ck_assert_uint_eq(c.count, 0);
    simt_close(c.s);
}
END_TEST

/* --- the page --------------------------------------------------------------------------------- */

static char folder[] = "/tmp/test_lines_XXXXXX", source[64], page[64];

static void setup(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/first.cu", folder);
    snprintf(page, sizeof page, "%s/page", folder);
    FILE *f = fopen(source, "w");
    ck_assert_ptr_nonnull(f);
    for (unsigned i = 1; i <= 14; i++) {
        fprintf(f, i == 12 ? "    the %uth line, %0600u\r\n" : "    the %uth line\n", i, 0u);
    }
    fclose(f);
}

static void teardown(void)
{
    unlink(source);
    unlink(page);
    rmdir(folder);
}

/* The page's line that begins with this number, its blanks made single. */
static const char *page_line(const char *text, const char *number)
{
    static char line[1024];
    for (const char *p = text; *p != '\0'; p += strcspn(p, "\n") + (p[strcspn(p, "\n")] != '\0')) {
        size_t used = 0;
        for (const char *c = p; *c != '\0' && *c != '\n' && used < sizeof line - 1; c++) {
            if (*c != ' ' || (used > 0 && line[used - 1] != ' ')) {
                line[used++] = *c;
            }
        }
        line[used] = '\0';
        size_t length = strlen(number);
        if (strncmp(line, number, length) == 0 && line[length] == ' ') {
            return line;
        }
    }
    return "";
}

static void starts(const char *text, const char *number, const char *want)
{
    const char *line = page_line(text, number);
    ck_assert_msg(strncmp(line, want, strlen(want)) == 0, "'%s', not '%s'", line, want);
}

START_TEST(the_page_shows_the_source)
{
    struct counted c = {0};
    run_counted(&c, source);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        bool good = freopen(page, "w", stdout) != NULL;
        const struct ranges none = {0};
        struct estimate e = {.gpu = "a GPU", .floors = {.floor_us = 3, .limiter = FLOOR_L1}};
        struct report_row row = {
            .kernel = "counted(unsigned*)", .handle = c.kernel, .estimate = &e};
        report_lines_add(&row, &none);
        e.floors.floor_us = 7;
        row.launch = 1;
        report_lines_add(&row, &none);
        report_lines_print(&none);
        fflush(stdout);
        _exit(!good);
    }
    int status = 1;
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    static char text[16384];
    FILE *f = fopen(page, "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    ck_assert_ptr_nonnull(strstr(text, "\ncounted(unsigned*), 2 launches, simulated counts"));
    ck_assert_ptr_nonnull(strstr(text, source));
    ck_assert_ptr_nonnull(strstr(text, "on a GPU\n   the longest at least 7 us: L1\n"));
    /* two launches, so twice the counts */
    starts(text, "10", "10 36 32.0 the 10th line");
    starts(text, "11", "11 36 32.0 12 the 11th line");
    starts(text, "12", "12 24 16.0 the 12th line, 000");
    ck_assert_ptr_null(strchr(page_line(text, "12"), '\r'));
    starts(text, "14", "14 24 32.0 the 14th line");
    starts(text, "5", "5 48 32.0"); /* second.cu is not there */
    ck_assert_ptr_nonnull(strstr(text, "(no line: moved or made by the compiler)"));
    simt_close(c.s);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("lines");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, each_line_has_its_counts);
    tcase_add_test(tc, lines_add_up_to_the_launch_and_only_to_the_last_one);
    tcase_add_test(tc, a_kernel_that_has_not_run_has_no_lines);
    tcase_add_test(tc, the_page_shows_the_source);
    return run_suite("lines", tc);
}
