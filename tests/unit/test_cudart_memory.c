/* test_cudart_memory.c - the CUDA runtime: memory of all kinds, copies, fills, and variables. */
#include "cudart_fixture.h"

#include <stdbool.h>

#include "suite.h"

static void setup(void) { register_program(); }

/* ---- memory ---------------------------------------------------------------------------------- */

START_TEST(wrong_frees_are_explained)
{
    int on_stack = 0;
    unsigned *d = device_words(100);
    CHECK_OK(cudaFree(NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "byte 4 of allocation", cudaFree(d + 1));
    CHECK_OK(cudaFree(d));
    CHECK_SAYS(cudaErrorInvalidValue, "was freed already", cudaFree(d));
    CHECK_SAYS(cudaErrorInvalidValue, "400 bytes", cudaFree(d));
    CHECK_SAYS(cudaErrorInvalidValue, "never allocated", cudaFree(&on_stack));
    void *pinned = NULL;
    CHECK_OK(cudaMallocHost(&pinned, 64));
    CHECK_SAYS(cudaErrorInvalidValue, "cudaMallocHost", cudaFree(pinned));
    CHECK_OK(cudaFreeHost(pinned));
    CHECK_SAYS(cudaErrorInvalidValue, "was freed already", cudaFreeHost(pinned));
}
END_TEST

START_TEST(memory_is_limited_and_accounted)
{
    size_t before, after, total;
    void *pointer = &before;
    CHECK_OK(cudaMemGetInfo(&before, &total));
    CHECK_SAYS(cudaErrorMemoryAllocation, "are left", cudaMalloc(&pointer, total + 1));
    ck_assert_ptr_null(pointer);
    CHECK_ERROR(cudaErrorMemoryAllocation, cudaGetLastError());
    CHECK_OK(cudaMalloc(&pointer, 0));
    ck_assert_ptr_null(pointer);
    CHECK_OK(cudaMalloc(&pointer, 1 << 20));
    CHECK_OK(cudaMemGetInfo(&after, &total));
    ck_assert_uint_eq(before - after, 1 << 20);
    CHECK_SAYS(cudaErrorInvalidValue, "address", cudaMalloc(NULL, 4));
}
END_TEST

START_TEST(copies_are_judged)
{
    unsigned host[4] = {1, 2, 3, 4}, back[4] = {0}, *d = device_words(4);
    CHECK_OK(cudaMemcpy(d, host, 16, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy(back, d, 16, cudaMemcpyDefault));
    ck_assert_mem_eq(host, back, 16);
    CHECK_OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "20 bytes from byte 0",
               cudaMemcpy(d, host, 20, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "source needs 16 bytes from byte 4",
               cudaMemcpy(back, d + 1, 16, cudaMemcpyDeviceToHost));
    CHECK_SAYS(cudaErrorInvalidValue, "is a host pointer",
               cudaMemcpy(back, host, 16, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "is a device pointer",
               cudaMemcpy(d, host, 16, cudaMemcpyDeviceToHost));
    CHECK_SAYS(cudaErrorInvalidValue, "null pointer",
               cudaMemcpy(d, NULL, 16, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidMemcpyDirection, "direction",
               cudaMemcpy(d, host, 16, (enum cudaMemcpyKind)9));
    CHECK_OK(cudaFree(d));
    CHECK_SAYS(cudaErrorInvalidValue, "was freed already",
               cudaMemcpy(back, d, 4, cudaMemcpyDeviceToHost));
}
END_TEST

START_TEST(fills_and_overlapping_copies)
{
    unsigned char back[8], *d = (unsigned char *)device_words(2);
    CHECK_OK(cudaMemset(d, 0xab, 8));
    CHECK_OK(cudaMemset(d, 0x101, 2));
    CHECK_OK(cudaMemcpyAsync(d + 1, d, 4, cudaMemcpyDeviceToDevice, NULL));
    CHECK_OK(cudaMemcpy(back, d, 8, cudaMemcpyDeviceToHost));
    ck_assert_mem_eq(back, "\x01\x01\x01\xab\xab\xab\xab\xab", 8);
    CHECK_SAYS(cudaErrorInvalidValue, "host pointer", cudaMemset(back, 0, 8));
}
END_TEST

START_TEST(rows_have_a_pitch)
{
    char host[3][10] = {"row one..", "row two..", "row three"}, back[3][12] = {{0}};
    void *d = NULL;
    size_t pitch = 0;
    CHECK_OK(cudaMallocPitch(&d, &pitch, 10, 3));
    ck_assert_uint_eq(pitch, 512);
    CHECK_OK(cudaMemset2D(d, pitch, 'x', 10, 3));
    CHECK_OK(cudaMemcpy2D(d, pitch, host, 10, 10, 3, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy2D(back, 12, d, pitch, 10, 3, cudaMemcpyDeviceToHost));
    for (unsigned y = 0; y < 3; y++) {
        ck_assert_str_eq(back[y], host[y]);
    }
    CHECK_SAYS(cudaErrorInvalidPitchValue, "pitch",
               cudaMemcpy2D(d, 9, host, 10, 10, 3, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "pitch",
               cudaMemcpy2D(d, 9, host, 10, 10, 1, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy2D(d, 0, host, 10, 10, 1, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "pitch", cudaMemset2D(d, 9, 0, 10, 2));
    CHECK_OK(cudaMemset2D(d, 9, 0, 10, 1));
    CHECK_SAYS(cudaErrorInvalidValue, "destination needs",
               cudaMemcpy2D(d, pitch, host, 10, 10, 4, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "addresses",
               cudaMemcpy2D(d, SIZE_MAX / 2, host, 10, 10, 9, cudaMemcpyHostToDevice));
}
END_TEST

START_TEST(boxes_are_copied)
{
    unsigned char host[4][3][5], back[2][2][2] = {{{0}}};
    for (unsigned i = 0; i < sizeof host; i++) {
        ((unsigned char *)host)[i] = (unsigned char)i;
    }
    struct cudaPitchedPtr d;
    struct cudaExtent all = {5, 3, 4}, part = {2, 2, 2};
    CHECK_OK(cudaMalloc3D(&d, all));
    CHECK_OK(cudaMemset3D(d, 0, all));
    struct cudaMemcpy3DParms in = {.srcPtr = {host, 5, 5, 3}, .dstPtr = d, .extent = all};
    in.kind = cudaMemcpyHostToDevice;
    CHECK_OK(cudaMemcpy3D(&in));
    struct cudaMemcpy3DParms out = {.srcPtr = d, .srcPos = {3, 1, 2}, .extent = part};
    out.dstPtr = (struct cudaPitchedPtr){back, 2, 2, 2};
    out.kind = cudaMemcpyDeviceToHost;
    CHECK_OK(cudaMemcpy3D(&out));
    for (unsigned z = 0; z < 2; z++) {
        for (unsigned y = 0; y < 2; y++) {
            ck_assert_mem_eq(back[z][y], &host[2 + z][1 + y][3], 2);
        }
    }
}
END_TEST

START_TEST(pinned_and_managed_memory_serve_both_sides)
{
    void *pinned = NULL, *managed = NULL, *same = NULL;
    CHECK_OK(cudaHostAlloc(&pinned, 4, cudaHostAllocMapped));
    CHECK_OK(cudaHostGetDevicePointer(&same, pinned, 0));
    ck_assert_ptr_eq(same, pinned);
    CHECK_OK(store(pinned, 31));
    CHECK_OK(cudaMallocManaged(&managed, 4, cudaMemAttachGlobal));
    CHECK_OK(store(managed, 32));
    CHECK_OK(cudaDeviceSynchronize());
    ck_assert_uint_eq(*(unsigned *)pinned, 31);
    ck_assert_uint_eq(*(unsigned *)managed, 32);
    static unsigned ordinary;
    CHECK_OK(cudaHostRegister(&ordinary, 4, cudaHostRegisterDefault));
    CHECK_SAYS(cudaErrorHostMemoryAlreadyRegistered, "pinned already",
               cudaHostRegister(&ordinary, 4, 0));
    CHECK_OK(store(&ordinary, 33));
    ck_assert_uint_eq(ordinary, 33);
    CHECK_OK(cudaHostUnregister(&ordinary));
    CHECK_SAYS(cudaErrorHostMemoryNotRegistered, "cudaHostRegister", cudaHostUnregister(&ordinary));
}
END_TEST

START_TEST(pointers_tell_what_they_are)
{
    struct cudaPointerAttributes is;
    void *pinned = NULL, *managed = NULL, *d = device_words(1);
    CHECK_OK(cudaMallocHost(&pinned, 4));
    CHECK_OK(cudaMallocManaged(&managed, 4, cudaMemAttachGlobal));
    CHECK_OK(cudaPointerGetAttributes(&is, d));
    ck_assert(is.type == cudaMemoryTypeDevice && is.devicePointer == d && is.hostPointer == NULL);
    CHECK_OK(cudaPointerGetAttributes(&is, pinned));
    ck_assert(is.type == cudaMemoryTypeHost && is.hostPointer == pinned);
    CHECK_OK(cudaPointerGetAttributes(&is, managed));
    ck_assert(is.type == cudaMemoryTypeManaged && is.hostPointer == managed);
    CHECK_OK(cudaPointerGetAttributes(&is, &is));
    ck_assert(is.type == cudaMemoryTypeUnregistered && is.device == cudaInvalidDeviceId);
}
END_TEST

/* ---- variables ------------------------------------------------------------------------------- */

START_TEST(variables_are_copied_by_their_shadow)
{
    unsigned value = 0;
    void *address = NULL;
    size_t bytes = 0;
    CHECK_OK(cudaMemcpyFromSymbol(&value, counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
    ck_assert_uint_eq(value, 3);
    value = 40;
    CHECK_OK(cudaMemcpyToSymbol(counter_shadow, &value, 4, 0, cudaMemcpyHostToDevice));
    CHECK_OK(cudaGetSymbolAddress(&address, counter_shadow));
    ck_assert_uint_eq(word_at(address), 40);
    CHECK_OK(cudaGetSymbolSize(&bytes, table_shadow));
    ck_assert_uint_eq(bytes, 16);
    CHECK_OK(cudaMemcpyToSymbol(table_shadow, &value, 4, 12, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "16 bytes",
               cudaMemcpyToSymbol(table_shadow, &value, 4, 13, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidSymbol, "no __device__",
               cudaMemcpyToSymbol("counter", &value, 4, 0, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidMemcpyDirection, "on the device",
               cudaMemcpyToSymbol(table_shadow, &value, 4, 0, cudaMemcpyDeviceToHost));
}
END_TEST

START_TEST(a_managed_variable_is_shared)
{
    unsigned *d = device_words(1);
    void *args[] = {&d};
    CHECK_OK(launch(&read_stub, 1, 1, args));
    ck_assert_uint_eq(word_at(d), 3 + 11);
    ck_assert_uint_eq(*shared_count, 12);
    *shared_count = 100;
    CHECK_OK(launch(&read_stub, 1, 1, args));
    ck_assert_uint_eq(word_at(d), 103);
    CHECK_OK(store(shared_count, 55)); /* its address is good on the device too */
    ck_assert_uint_eq(*shared_count, 55);
    CHECK_OK(cudaDeviceReset());
    ck_assert_uint_eq(*shared_count, 11);
}
END_TEST

/* ---- hints of managed memory ----------------------------------------------------------------- */

static int told(enum cudaMemRangeAttribute attribute, const char *begin, size_t bytes)
{
    int value = 77;
    CHECK_OK(cudaMemRangeGetAttribute(&value, sizeof value, attribute, begin, bytes));
    return value;
}

START_TEST(hints_are_told_by_pages)
{
    const struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    const struct cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    enum { PAGE = 4096, BYTES = 4 * PAGE };
    void *memory = NULL;
    int users[3];
    CHECK_OK(cudaMallocManaged(&memory, BYTES, cudaMemAttachGlobal));
    /* The two pages in the middle, whose edges are the memory's as the host's pages are. */
    char *const all = memory, *const middle =
                                  (char *)(((uintptr_t)all + 2 * PAGE - 1) / PAGE * PAGE);
    ck_assert_int_eq(told(cudaMemRangeAttributeReadMostly, all, BYTES), 0);
    ck_assert_int_eq(told(cudaMemRangeAttributePreferredLocation, all, BYTES), cudaInvalidDeviceId);
    ck_assert_int_eq(told(cudaMemRangeAttributeLastPrefetchLocation, all, 1), cudaInvalidDeviceId);
    CHECK_OK(cudaMemAdvise(all, BYTES, cudaMemAdviseSetReadMostly, host));
    CHECK_OK(cudaMemAdvise(all, BYTES, cudaMemAdviseSetPreferredLocation, here));
    ck_assert_int_eq(told(cudaMemRangeAttributeReadMostly, all, BYTES), 1);
    ck_assert_int_eq(told(cudaMemRangeAttributePreferredLocation, all, BYTES), 0);
    ck_assert_int_eq(told(cudaMemRangeAttributePreferredLocationType, all, BYTES), 1);
    ck_assert_int_eq(told(cudaMemRangeAttributePreferredLocationId, all, BYTES), 0);
    /* One byte speaks for its page. */
    CHECK_OK(cudaMemAdvise(middle + 9, 1, cudaMemAdviseUnsetReadMostly, here));
    CHECK_OK(cudaMemAdvise(middle + 9, 1, cudaMemAdviseSetPreferredLocation, host));
    ck_assert_int_eq(told(cudaMemRangeAttributeReadMostly, all, BYTES), 0);
    ck_assert_int_eq(told(cudaMemRangeAttributeReadMostly, middle, PAGE), 0);
    ck_assert_int_eq(told(cudaMemRangeAttributeReadMostly, middle + PAGE, PAGE), 1);
    ck_assert_int_eq(told(cudaMemRangeAttributePreferredLocation, middle, PAGE), cudaCpuDeviceId);
    ck_assert_int_eq(told(cudaMemRangeAttributePreferredLocationType, middle, PAGE + 1), 0);
    ck_assert_int_eq(told(cudaMemRangeAttributePreferredLocation, middle + PAGE, 1), 0);
    CHECK_OK(cudaMemAdvise(all, BYTES, cudaMemAdviseUnsetPreferredLocation, here));
    ck_assert_int_eq(told(cudaMemRangeAttributePreferredLocation, middle, 1), cudaInvalidDeviceId);
    /* The last prefetch counts; and who uses all of the range. */
    CHECK_OK(cudaMemPrefetchAsync(all, BYTES, here, 0, NULL));
    CHECK_OK(cudaMemPrefetchAsync(middle, PAGE, host, 0, NULL));
    ck_assert_int_eq(told(cudaMemRangeAttributeLastPrefetchLocation, middle, 5), cudaCpuDeviceId);
    ck_assert_int_eq(told(cudaMemRangeAttributeLastPrefetchLocationType, middle, 5), 2);
    ck_assert_int_eq(told(cudaMemRangeAttributeLastPrefetchLocation, all, BYTES),
                     cudaInvalidDeviceId);
    ck_assert_int_eq(told(cudaMemRangeAttributeLastPrefetchLocationId, middle + PAGE, 5), 0);
    CHECK_OK(cudaMemAdvise(all, BYTES, cudaMemAdviseSetAccessedBy, host));
    CHECK_OK(cudaMemAdvise(middle, PAGE, cudaMemAdviseSetAccessedBy, here));
    CHECK_OK(cudaMemRangeGetAttribute(users, sizeof users, cudaMemRangeAttributeAccessedBy, middle,
                                      PAGE));
    ck_assert(users[0] == 0 && users[1] == cudaCpuDeviceId && users[2] == cudaInvalidDeviceId);
    ck_assert_int_eq(told(cudaMemRangeAttributeAccessedBy, all, BYTES), cudaCpuDeviceId);
    /* What has been freed has no hints left. */
    CHECK_OK(cudaMemAdvise(all, BYTES, cudaMemAdviseSetReadMostly, here));
    CHECK_OK(cudaFree(memory));
    CHECK_OK(cudaMallocManaged(&memory, BYTES, cudaMemAttachGlobal));
    ck_assert_int_eq(told(cudaMemRangeAttributeReadMostly, memory, BYTES), 0);
}
END_TEST

START_TEST(questions_of_hints_are_judged)
{
    enum cudaMemRangeAttribute two[] = {cudaMemRangeAttributeReadMostly,
                                        cudaMemRangeAttributeLastPrefetchLocation};
    size_t sizes[] = {4, 4};
    int values[3] = {7, 7, 7};
    void *places[] = {values, values + 1}, *managed = NULL, *device = device_words(16);
    CHECK_OK(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
    CHECK_OK(cudaMemRangeGetAttributes(places, sizes, two, 2, managed, 64));
    ck_assert(values[0] == 0 && values[1] == cudaInvalidDeviceId && values[2] == 7);
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemRangeGetAttributes(places, sizes, two, 0, managed, 64));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemRangeGetAttribute(values, 4, two[0], device, 64));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemRangeGetAttribute(values, 4, two[0], managed, 65));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemRangeGetAttribute(values, 8, two[0], managed, 64));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemRangeGetAttribute(NULL, 4, two[0], managed, 64));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemRangeGetAttribute(values, 0, cudaMemRangeAttributeAccessedBy, managed, 64));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemRangeGetAttribute(values, 4, (enum cudaMemRangeAttribute)9, managed, 64));
    capture_end();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("cudart_memory");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, wrong_frees_are_explained);
    tcase_add_test(tests, memory_is_limited_and_accounted);
    tcase_add_test(tests, copies_are_judged);
    tcase_add_test(tests, fills_and_overlapping_copies);
    tcase_add_test(tests, rows_have_a_pitch);
    tcase_add_test(tests, boxes_are_copied);
    tcase_add_test(tests, pinned_and_managed_memory_serve_both_sides);
    tcase_add_test(tests, pointers_tell_what_they_are);
    tcase_add_test(tests, variables_are_copied_by_their_shadow);
    tcase_add_test(tests, a_managed_variable_is_shared);
    tcase_add_test(tests, hints_are_told_by_pages);
    tcase_add_test(tests, questions_of_hints_are_judged);
    return run_suite("cudart_memory", tests);
}
