/* test_hazard.c - SIMT_CHECK=races between streams, and between the device and the host: one order,
 * or one missing order, a test. */
#include "cudart_fixture.h"

#include "check/host/hazard.h"
#include "suite.h"

/* The runtime leaves a handler alone that it finds, and a sanitizer installs one. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "handle_segv=0"; }

enum { BYTES = 4096 };
static char *device;
static cudaStream_t one, other;

static void setup(void)
{
    register_program();
    CHECK_OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK_OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK_OK(cudaMalloc((void **)&device, 2 * BYTES));
    CHECK_OK(cudaDeviceSynchronize());
    capture_begin();
}

/* A program with findings ends with exit code 1, which Check takes for a failure; it calls this
 * only where no assertion has failed. */
static void teardown(void) { _exit(0); }

/* What is reported by the end of all work. */
static const char *said(void)
{
    CHECK_OK(cudaDeviceSynchronize());
    return capture_end();
}

static void fill(cudaStream_t stream, unsigned first, unsigned bytes)
{
    CHECK_OK(cudaMemsetAsync(device + first, 1, bytes, stream));
}

static cudaEvent_t recorded_in(cudaStream_t stream)
{
    cudaEvent_t event;
    CHECK_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK_OK(cudaEventRecord(event, stream));
    return event;
}

/* ---- streams --------------------------------------------------------------------------------- */

START_TEST(two_streams_that_write_one_byte_are_a_race)
{
    fill(one, 0, 65);
    fill(other, 64, 64);
    const char *text = said();
    ck_assert_ptr_nonnull(strstr(text, "simt: race of two streams: "));
    ck_assert_ptr_nonnull(strstr(text, "byte 64: written by cudaMemsetAsync"));
    ck_assert_ptr_nonnull(strstr(text, " in stream 1, written by "));
    ck_assert_ptr_nonnull(strstr(text, " in stream 2: "));
}
END_TEST

START_TEST(neighbouring_bytes_are_none)
{
    fill(one, 0, 64);
    fill(other, 64, 64);
    ck_assert_str_eq(said(), "");
}
END_TEST

START_TEST(two_readers_are_none)
{
    char to[2][64];
    CHECK_OK(cudaMemset(device, 0, BYTES));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaMemcpyAsync(to[0], device, 64, cudaMemcpyDeviceToHost, one));
    CHECK_OK(cudaMemcpyAsync(to[1], device, 64, cudaMemcpyDeviceToHost, other));
    ck_assert_str_eq(said(), "");
}
END_TEST

START_TEST(an_event_orders_two_streams)
{
    fill(one, 0, 64);
    CHECK_OK(cudaStreamWaitEvent(other, recorded_in(one), 0));
    fill(other, 0, 64);
    ck_assert_str_eq(said(), "");
}
END_TEST

START_TEST(an_event_orders_nothing_that_comes_behind_it)
{
    const cudaEvent_t event = recorded_in(one);
    fill(one, 0, 64);
    CHECK_OK(cudaStreamWaitEvent(other, event, 0));
    fill(other, 0, 64);
    ck_assert_ptr_nonnull(strstr(said(), "race of two streams"));
}
END_TEST

START_TEST(the_host_orders_what_it_has_waited_for)
{
    fill(one, 0, 64);
    CHECK_OK(cudaStreamSynchronize(one));
    fill(other, 0, 64);
    CHECK_OK(cudaEventSynchronize(recorded_in(other)));
    fill(one, 0, 64);
    ck_assert_str_eq(said(), "");
}
END_TEST

START_TEST(waiting_for_another_stream_orders_nothing)
{
    fill(one, 0, 64);
    CHECK_OK(cudaStreamSynchronize(other));
    fill(other, 0, 64);
    ck_assert_ptr_nonnull(strstr(said(), "race of two streams"));
}
END_TEST

START_TEST(a_new_stream_is_behind_what_the_host_has_waited_for)
{
    cudaStream_t late;
    fill(one, 0, 64);
    CHECK_OK(cudaStreamSynchronize(one));
    CHECK_OK(cudaStreamCreateWithFlags(&late, cudaStreamNonBlocking));
    const cudaEvent_t event = recorded_in(late);
    CHECK_OK(cudaStreamWaitEvent(other, event, 0));
    fill(other, 0, 64);
    ck_assert_str_eq(said(), "");
}
END_TEST

START_TEST(the_default_stream_orders_blocking_streams_alone)
{
    cudaStream_t blocking;
    CHECK_OK(cudaStreamCreate(&blocking));
    fill(blocking, 0, 64);
    fill(NULL, 0, 64);
    fill(blocking, 0, 64);
    ck_assert_str_eq(said(), "");
    capture_begin();
    fill(one, 0, 64);
    fill(NULL, 0, 64);
    ck_assert_ptr_nonnull(strstr(said(), " in the default stream"));
}
END_TEST

/* The default stream of a thread is a stream of its own, behind none that is not the old default.
 */
START_TEST(the_stream_of_a_thread_is_no_default_stream)
{
    cudaStream_t blocking;
    CHECK_OK(cudaStreamCreate(&blocking));
    fill(blocking, 0, 64);
    fill(cudaStreamPerThread, 0, 64);
    ck_assert_ptr_nonnull(strstr(said(), "simt: race of two streams: "));
}
END_TEST

START_TEST(one_pair_of_places_is_reported_once)
{
    for (unsigned i = 0; i < 3; i++) {
        fill(one, 0, 64);
        CHECK_OK(cudaMemsetAsync(device, 2, 64, other));
    }
    const char *text = said(), *first = strstr(text, "race of two streams");
    unsigned count = 0;
    for (; first != NULL; first = strstr(first + 1, "race of two streams")) {
        count++;
    }
    ck_assert_uint_eq(count, 2); /* first fill, then memset; and the other way round */
}
END_TEST

/* ---- the host -------------------------------------------------------------------------------- */

START_TEST(the_hosts_bytes_are_left_alone_until_somebody_waits)
{
    static char from[64];
    CHECK_OK(cudaMemcpyAsync(device, from, sizeof from, cudaMemcpyHostToDevice, one));
    CHECK_OK(cudaStreamSynchronize(other));
    from[63] = 1;
    CHECK_OK(cudaStreamSynchronize(one));
    const char *text = said();
    ck_assert_ptr_nonnull(strstr(text, "simt: race of host and device: the host's 64 bytes at "));
    ck_assert_ptr_nonnull(strstr(text, "overwritten or freed before cudaStreamSynchronize"));
}
END_TEST

/* Of two copies the one that reads the lower addresses is issued second. */
START_TEST(memory_of_each_copy_is_missed_when_it_is_freed)
{
    static char both[1024];
    CHECK_OK(cudaMemcpyAsync(device, both + 512, 64, cudaMemcpyHostToDevice, one));
    CHECK_OK(cudaMemcpyAsync(device + 128, both, 64, cudaMemcpyHostToDevice, one));
    hazard_freed(both, 64, NULL); /* as free() reports it in a program that simtcc has linked */
    const char *text = said();
    ck_assert_ptr_nonnull(strstr(text, "they were freed"));
}
END_TEST

START_TEST(what_the_copy_itself_writes_is_no_change)
{
    static char to[64];
    CHECK_OK(cudaMemset(device, 7, 64));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaMemcpyAsync(to, device, sizeof to, cudaMemcpyDeviceToHost, one));
    CHECK_OK(cudaStreamSynchronize(one));
    to[0] = 1;
    ck_assert_str_eq(said(), "");
}
END_TEST

START_TEST(pinned_memory_is_watched_to_the_byte)
{
    char *pinned;
    CHECK_OK(cudaMallocHost((void **)&pinned, 2 * BYTES));
    memset(pinned, 0, 2 * BYTES);
    CHECK_OK(cudaMemcpyAsync(device, pinned, 64, cudaMemcpyHostToDevice, one));
    pinned[64] = 1; /* beside what is copied */
    ck_assert_str_eq(said(), "");
    capture_begin();
    CHECK_OK(cudaMemcpyAsync(device, pinned, 64, cudaMemcpyHostToDevice, one));
    pinned[63] = 1;
    const char *text = said();
    ck_assert_ptr_nonnull(strstr(text, "read by cudaMemcpyAsync"));
    ck_assert_ptr_nonnull(strstr(text, "written by the host"));
}
END_TEST

START_TEST(what_the_device_writes_may_not_be_read)
{
    char *pinned;
    CHECK_OK(cudaMallocHost((void **)&pinned, BYTES));
    CHECK_OK(cudaMemset(device, 7, 64));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaMemcpyAsync(pinned, device, 64, cudaMemcpyDeviceToHost, one));
    const char seen = *(volatile char *)pinned;
    ck_assert_int_eq(seen, 7);
    const char *text = said();
    ck_assert_ptr_nonnull(strstr(text, "written by cudaMemcpyAsync"));
    ck_assert_ptr_nonnull(strstr(text, "read by the host"));
}
END_TEST

START_TEST(what_is_read_may_be_read)
{
    char *pinned;
    CHECK_OK(cudaMallocHost((void **)&pinned, BYTES));
    memset(pinned, 3, BYTES);
    CHECK_OK(cudaMemcpyAsync(device, pinned, 64, cudaMemcpyHostToDevice, one));
    ck_assert_int_eq(*(volatile char *)pinned, 3);
    ck_assert_str_eq(said(), "");
}
END_TEST

START_TEST(a_fill_of_pinned_memory_is_waited_for)
{
    char *pinned;
    CHECK_OK(cudaMallocHost((void **)&pinned, BYTES));
    CHECK_OK(cudaMemsetAsync(pinned, 5, 64, one));
    ck_assert_int_eq(*(volatile char *)pinned, 5);
    const char *text = said();
    ck_assert_ptr_nonnull(strstr(text, "written by cudaMemsetAsync"));
    ck_assert_ptr_nonnull(strstr(text, "read by the host"));
    capture_begin();
    CHECK_OK(cudaMemset(pinned, 6, 64)); /* waits, for the memory is the host's */
    ck_assert_int_eq(*(volatile char *)pinned, 6);
    ck_assert_str_eq(said(), "");
}
END_TEST

/* ---- who asks -------------------------------------------------------------------------------- */

START_TEST(work_is_under_way_when_it_is_asked_for_first)
{
    ck_assert_int_eq(cudaStreamQuery(one), cudaSuccess); /* no work at all */
    fill(one, 0, 64);
    ck_assert_int_eq(cudaStreamQuery(one), cudaErrorNotReady);
    ck_assert_int_eq(cudaStreamQuery(other), cudaSuccess);
    ck_assert_int_eq(cudaStreamQuery(one), cudaSuccess);
    fill(other, 0, 64); /* the host knows */
    const cudaEvent_t event = recorded_in(other);
    ck_assert_int_eq(cudaEventQuery(event), cudaErrorNotReady);
    CHECK_OK(cudaEventSynchronize(event));
    ck_assert_int_eq(cudaEventQuery(event), cudaSuccess);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
    ck_assert_str_eq(said(), "");
}
END_TEST

START_TEST(who_asks_once_knows_nothing)
{
    fill(one, 0, 64);
    cudaStreamQuery(one);
    fill(other, 0, 64);
    ck_assert_ptr_nonnull(strstr(said(), "race of two streams"));
}
END_TEST

/* ---- graphs ---------------------------------------------------------------------------------- */

START_TEST(launches_of_one_executable_graph_wait_for_each_other)
{
    cudaGraph_t graph;
    cudaGraphExec_t first, second;
    CHECK_OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    fill(one, 0, 64);
    CHECK_OK(cudaStreamEndCapture(one, &graph));
    CHECK_OK(cudaGraphInstantiate(&first, graph, 0));
    CHECK_OK(cudaGraphInstantiate(&second, graph, 0));
    CHECK_OK(cudaGraphLaunch(first, one));
    CHECK_OK(cudaGraphLaunch(first, other));
    fill(other, 0, 64); /* behind both */
    ck_assert_str_eq(said(), "");
    capture_begin();
    CHECK_OK(cudaGraphLaunch(first, one));
    CHECK_OK(cudaGraphLaunch(second, other));
    ck_assert_ptr_nonnull(strstr(said(), "race of two streams"));
}
END_TEST

int main(int argc, char **argv)
{
    (void)argc;
    if (getenv("SIMT_CHECK") == NULL) { /* the runtime reads it before main() */
        setenv("SIMT_CHECK", "races", 1);
        execv("/proc/self/exe", argv);
        return 2;
    }
    TCase *tests = tcase_create("hazard");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, two_streams_that_write_one_byte_are_a_race);
    tcase_add_test(tests, neighbouring_bytes_are_none);
    tcase_add_test(tests, two_readers_are_none);
    tcase_add_test(tests, an_event_orders_two_streams);
    tcase_add_test(tests, an_event_orders_nothing_that_comes_behind_it);
    tcase_add_test(tests, the_host_orders_what_it_has_waited_for);
    tcase_add_test(tests, waiting_for_another_stream_orders_nothing);
    tcase_add_test(tests, a_new_stream_is_behind_what_the_host_has_waited_for);
    tcase_add_test(tests, the_default_stream_orders_blocking_streams_alone);
    tcase_add_test(tests, the_stream_of_a_thread_is_no_default_stream);
    tcase_add_test(tests, one_pair_of_places_is_reported_once);
    tcase_add_test(tests, the_hosts_bytes_are_left_alone_until_somebody_waits);
    tcase_add_test(tests, what_the_copy_itself_writes_is_no_change);
    tcase_add_test(tests, memory_of_each_copy_is_missed_when_it_is_freed);
    tcase_add_test(tests, pinned_memory_is_watched_to_the_byte);
    tcase_add_test(tests, what_the_device_writes_may_not_be_read);
    tcase_add_test(tests, what_is_read_may_be_read);
    tcase_add_test(tests, a_fill_of_pinned_memory_is_waited_for);
    tcase_add_test(tests, work_is_under_way_when_it_is_asked_for_first);
    tcase_add_test(tests, who_asks_once_knows_nothing);
    tcase_add_test(tests, launches_of_one_executable_graph_wait_for_each_other);
    return run_suite("hazard", tests);
}
