/* test_record.c - SIMT_REPORT=FILE.json: the text of a record, and what it says of one launch and
 * of its first block, step by step. */
#include "cudart_fixture.h"

#include <math.h>
#include <stdbool.h>

#include "report/json.h"
#include "report/record_rows.h"
#include "suite.h"

static const char *self; /* this program, to start it with another environment */

/* ---- JSON ------------------------------------------------------------------------------------ */

static char *written;
static size_t written_bytes;
static struct json j;

static void json_begin(void) { j = (struct json){open_memstream(&written, &written_bytes), false}; }

static const char *json_end(void)
{
    static char text[1024];
    fclose(j.out);
    snprintf(text, sizeof text, "%s", written);
    free(written);
    return text;
}

START_TEST(values_stand_in_their_brackets)
{
    json_begin();
    json_open(&j, NULL, '{');
    json_number(&j, "largest", UINT64_MAX);
    json_integer(&j, "least", -7);
    json_open(&j, "list", '[');
    json_bool(&j, NULL, true);
    json_bool(&j, NULL, false);
    json_close(&j, ']');
    json_open(&j, "empty", '[');
    json_close(&j, ']');
    json_raw(&j, "raw", "[1]");
    json_close(&j, '}');
    ck_assert_str_eq(json_end(),
                     "{\"largest\":18446744073709551615,\"least\":-7,\"list\":[true,false],"
                     "\"empty\":[],\"raw\":[1]}");
}
END_TEST

START_TEST(what_is_no_number_is_null)
{
    json_begin();
    json_open(&j, NULL, '[');
    json_real(&j, NULL, 0.5);
    json_real(&j, NULL, (double)INFINITY);
    json_real(&j, NULL, (double)NAN);
    json_text(&j, NULL, NULL);
    json_close(&j, ']');
    ck_assert_str_eq(json_end(), "[0.5,null,null,null]");
}
END_TEST

START_TEST(text_ends_no_page_and_no_string)
{
    json_begin();
    json_text(&j, NULL, "a\"b\\c</script>\n\xff\xc3\xa9");
    ck_assert_str_eq(json_end(), "\"a\\\"b\\\\c\\u003c/script>\\u000a\\ufffd\xc3\xa9\"");
}
END_TEST

/* ---- requests -------------------------------------------------------------------------------- */

START_TEST(addresses_count_from_the_line_of_the_lowest)
{
    uint64_t address[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        address[i] = 0x10000 + 100 + 4 * (31 - i);
    }
    const struct draw_access a =
        record_draw_access(PTX_GLOBAL, ACCESS_LOAD, 4, 0xffffffff, address);
    ck_assert_uint_eq(a.address[31], 100);
    ck_assert_uint_eq(a.address[0], 100 + 31 * 4);
    ck_assert_int_eq(a.op, DRAW_LOAD);
}
END_TEST

/* ---- the record of a launch ------------------------------------------------------------------ */

/* void count(unsigned *p): adds up 1 a thousand times, in a word of shared memory, too; and then
 * three times, on a line that stands above. */
static const char loop_ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n.file 1 \"count.cu\"\n"
    ".visible .entry count(.param .u64 p) {\n.shared .align 4 .b8 sum[4];\n"
    ".reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, 0;\n"
    "AGAIN: .pragma \"nounroll\";\n.loc 1 7 0\nadd.u32 %r1, %r1, 1;\n"
    "st.shared.u32 [sum], %r1;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra AGAIN;\n"
    "mov.u32 %r2, 0;\nMORE: .pragma \"nounroll\";\n.loc 1 5 0\nadd.u32 %r2, %r2, 1;\n"
    "setp.lt.u32 %p1, %r2, 3;\n@%p1 bra MORE;\n"
    "st.global.u32 [%rd1], %r1;\nret;\n}\n";

/* This program, started again: it makes one launch of a kernel that has a loop. */
static int make_long_launch(void)
{
    static const char stub;
    static struct fatbin_wrapper wrapper = {0x466243b1, 1, loop_ptx, NULL};
    unsigned *d;
    void **handle = __cudaRegisterFatBinary(&wrapper), *args[] = {&d};
    register_kernel(handle, &stub, "count");
    const bool good = cudaMalloc((void **)&d, 64) == cudaSuccess &&
                      launch(&stub, 1, 1, args) == cudaSuccess &&
                      cudaDeviceSynchronize() == cudaSuccess;
    return good ? 0 : 1;
}

/* void NAME(unsigned *p): so many instructions in a row that give each lane a value of its own. */
enum { LONG_STEPS = 700 };
static size_t write_long_kernel(char *text, size_t size, const char *name)
{
    size_t length = (size_t)snprintf(text, size,
                                     ".visible .entry %s(.param .u64 p) {\n.reg .b32 %%r<3>;\n"
                                     "mov.u32 %%r1, %%tid.x;\n",
                                     name);
    for (unsigned i = 0; i < LONG_STEPS; i++) {
        length += (size_t)snprintf(text + length, size - length,
                                   "mad.lo.u32 %%r1, %%r1, 1664525, 1013904223;\n");
    }
    return length + (size_t)snprintf(text + length, size - length, "ret;\n}\n");
}

/* This program, started again: the traces of its three kernels have no room beside each other. */
static int make_long_traces(void)
{
    static const char stubs[3];
    static const char *const names[] = {"first", "second", "third"};
    static char ptx[3 * LONG_STEPS * 50 + 1000] = ".version 7.0\n.target sm_80\n.address_size 64\n";
    static struct fatbin_wrapper wrapper = {0x466243b1, 1, ptx, NULL};
    unsigned *d;
    size_t length = strlen(ptx);
    for (unsigned i = 0; i < 3; i++) {
        length += write_long_kernel(ptx + length, sizeof ptx - length, names[i]);
    }
    void **handle = __cudaRegisterFatBinary(&wrapper), *args[] = {&d};
    for (unsigned i = 0; i < 3; i++) {
        register_kernel(handle, &stubs[i], names[i]);
    }
    bool good = cudaMalloc((void **)&d, 64) == cudaSuccess;
    for (unsigned i = 0; i < 3; i++) {
        good = good && launch(&stubs[i], 1, 96, args) == cudaSuccess;
    }
    return good && cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

/* This program, started again: it makes one launch. */
static int make_launch(void)
{
    unsigned *d, value = 7;
    register_program();
    void *args[] = {&d, &value};
    const bool good = cudaMalloc((void **)&d, 64) == cudaSuccess &&
                      launch(&store_stub, 2, 8, args) == cudaSuccess &&
                      cudaDeviceSynchronize() == cudaSuccess;
    return good ? 0 : 1;
}

/* The same, and the kernel is gone when the record is written. */
static int make_launch_and_reset(void)
{
    const int failed = make_launch();
    return cudaDeviceReset() == cudaSuccess ? failed : 1;
}

static char record[1 << 22];

static void read_record_of(const char *trace, const char *what)
{
    char path[64], command[4400];
    snprintf(path, sizeof path, "/tmp/test_record_%ld.json", (long)getpid());
    snprintf(command, sizeof command, "SIMT_TRACE='%s' SIMT_THREADS=1 SIMT_REPORT='%s' '%s' %s",
             trace, path, self, what);
    ck_assert_int_eq(system(command), 0);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    record[fread(record, 1, sizeof record - 1, f)] = '\0';
    fclose(f);
    unlink(path);
}

static void read_record(const char *trace) { read_record_of(trace, "--launch"); }

#define CHECK_HAS(text) ck_assert_msg(strstr(record, text) != NULL, "%s is not in %s", text, record)

START_TEST(a_launch_has_its_shape_and_its_counters)
{
    read_record("1:0");
    CHECK_HAS("\"kernel\":\"store\",\"launch\":0,\"launches\":1,\"measured\":0,\"grid\":[2,1,1],"
              "\"block\":[8,1,1]");
    CHECK_HAS(
        "\"warps\":2,\"instructions\":10,\"thread_instructions\":80,\"global_load_requests\":0");
    CHECK_HAS("\"global_store_requests\":2,\"global_store_sectors\":2");
    CHECK_HAS("\"limiter\":\"block slots\"");                  /* of the occupancy */
    CHECK_HAS("\"limiter\":\"block starts\",\"resources\":{"); /* of the time */
}
END_TEST

START_TEST(a_record_outlives_its_kernels)
{
    read_record_of("1:0", "--reset");
    CHECK_HAS("\"limiter\":\"block slots\"");
    CHECK_HAS("\"global_store_requests\":2,\"global_store_sectors\":2");
}
END_TEST

START_TEST(an_access_has_its_array_and_its_picture)
{
    read_record("1:0");
    CHECK_HAS("\"kind\":\"store\",\"space\":\"global\",\"bytes\":4,\"array\":\"parameter 0\"");
    CHECK_HAS("\"array_bytes\":64,\"made_at\":\"test_record.c:");
    CHECK_HAS(
        "\"requests\":2,\"lanes\":16,\"cost\":2,\"least\":2,\"conflicts\":0,\"wanted_bytes\":8");
    CHECK_HAS("\"classes\":[[1,2]]");
    CHECK_HAS("\"lanes\":255,\"addresses\":\"=");
    CHECK_HAS("\"picture\":0}");
    CHECK_HAS("\"pictures\":[\" lanes  0-7\\u000a bytes [#.......|\\u000asector  0");
}
END_TEST

START_TEST(a_trace_has_the_steps_of_its_block)
{
    read_record("1:0");
    CHECK_HAS("\"trace\":{\"block\":[1,0,0],\"warps\":1,");
    CHECK_HAS("\"only_warp\":0,\"steps_of_block\":5,\"shared_bytes\":0,");
    CHECK_HAS("[-1,0,\"ld.param.u32 %r1, [value]\",[\"%r1\",\"b32\"]]");
    CHECK_HAS(
        "\"steps\":[[0,0,255,255,0,-1,[0],[]],[0,1,255,255,0,-1,[1],[]],[0,2,255,255,0,-1,[0],[]],"
        "[0,3,255,255,0,0,[],[]],[0,4,255,255,0,-1,[],[]]]");
    CHECK_HAS("\"cut\":0,\"accesses\":[[\"store\",\"global\",4,255,0,1,0,0,[]]]");
    CHECK_HAS("\"7,7,7,7,7,7,7,7,0,0,0,");
}
END_TEST

START_TEST(a_long_loop_has_a_gap)
{
    read_record_of("0", "--loop");
    CHECK_HAS("\"gaps\":[[");
    CHECK_HAS("[0,2,1,1,0,-1,[11],[]],[0,3,1,1,0,9,[],[]]"); /* the last round, behind the gap, */
    CHECK_HAS("\"3e8,0,0,0,");                               /* in which %r1 is 1000 */
}
END_TEST

START_TEST(branches_stand_in_the_order_of_their_lines)
{
    read_record_of("0", "--loop");
    const char *branches = strstr(record, "\"branches\":[");
    ck_assert_ptr_nonnull(branches);
    const char *first = strstr(branches, "\"line\":5,"), *second = strstr(branches, "\"line\":7,");
    ck_assert_msg(first != NULL && second != NULL && first < second, "%.600s", branches);
}
END_TEST

START_TEST(traces_without_room_are_of_two_warps)
{
    read_record_of("0", "--long");
    ck_assert(strstr(record, "\"warps\":3,\"played\":2,") != NULL);
    ck_assert(strstr(record, "\"played\":3,") == NULL);
}
END_TEST

START_TEST(findings_are_none_where_nothing_was_checked)
{
    read_record("0");
    CHECK_HAS("\"checked\":\"memory\",\"findings\":[]");
    CHECK_HAS("\"trace\":{\"block\":[0,0,0],\"warps\":1,");
    CHECK_HAS("\"only_warp\":-1,");
}
END_TEST

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc > 1) {
        return strcmp(argv[1], "--loop") == 0    ? make_long_launch()
               : strcmp(argv[1], "--long") == 0  ? make_long_traces()
               : strcmp(argv[1], "--reset") == 0 ? make_launch_and_reset()
                                                 : make_launch();
    }
    TCase *tests = tcase_create("record");
    tcase_add_test(tests, values_stand_in_their_brackets);
    tcase_add_test(tests, what_is_no_number_is_null);
    tcase_add_test(tests, text_ends_no_page_and_no_string);
    tcase_add_test(tests, addresses_count_from_the_line_of_the_lowest);
    tcase_add_test(tests, a_launch_has_its_shape_and_its_counters);
    tcase_add_test(tests, a_record_outlives_its_kernels);
    tcase_add_test(tests, an_access_has_its_array_and_its_picture);
    tcase_add_test(tests, a_trace_has_the_steps_of_its_block);
    tcase_add_test(tests, a_long_loop_has_a_gap);
    tcase_add_test(tests, branches_stand_in_the_order_of_their_lines);
    tcase_add_test(tests, traces_without_room_are_of_two_warps);
    tcase_add_test(tests, findings_are_none_where_nothing_was_checked);
    return run_suite("record", tests);
}
