/* Device memory: addresses, bounds, what is remembered of freed memory, limits, speed, threads. */
#include "common/simt/machine/memory.h"
#include "suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include <time.h>

static const uint64_t GIB = (uint64_t)1 << 30;

static struct memory *m;

static void setup(void)
{
    struct err e = {0};
    m = memory_open(4 * GIB, &e);
    ck_assert_msg(m != NULL, "%s", e.text);
}

static void teardown(void) { memory_close(m); }

static const struct allocation *device(uint64_t bytes)
{
    const struct allocation *a = memory_alloc(m, bytes, MEMORY_DEVICE, "cudaMalloc", NULL);
    ck_assert_ptr_nonnull(a);
    return a;
}

START_TEST(an_allocation_is_aligned_junk_and_found_at_each_byte)
{
    const struct allocation *a = device(1000);
    ck_assert_uint_eq(a->begin % 512, 0);
    ck_assert_uint_eq(a->bytes, 1000);
    ck_assert_ptr_eq(memory_find(m, a->begin), a);
    ck_assert_ptr_eq(memory_find(m, a->begin + 999), a);
    ck_assert_ptr_null(memory_find(m, a->begin + 1000));
    ck_assert_ptr_null(memory_find(m, a->begin - 1));
    const unsigned char *host = memory_host(m, a->begin, 1000);
    for (unsigned i = 0; i < 1000; i++) {
        ck_assert_uint_eq(host[i], 0xff);
    }
}
END_TEST

START_TEST(a_device_address_is_not_a_host_address)
{
    const struct allocation *a = device(64);
    char *host = memory_host(m, a->begin, 64);
    ck_assert_ptr_nonnull(host);
    ck_assert_int_ne(a->delta, 0);
    ck_assert(memory_is_device_address(m, a->begin));
    ck_assert(!memory_is_device_address(m, (uint64_t)(uintptr_t)host));
    ck_assert_ptr_null(memory_find(m, (uint64_t)(uintptr_t)host));
    ck_assert_ptr_null(memory_find(m, (uint64_t)(uintptr_t)&a));
    ck_assert_ptr_null(memory_find(m, 0));
    ck_assert_ptr_null(memory_find(m, UINT64_MAX));
}
END_TEST

START_TEST(host_access_needs_the_whole_range)
{
    const struct allocation *a = device(100);
    ck_assert_ptr_nonnull(memory_host(m, a->begin, 100));
    ck_assert_ptr_null(memory_host(m, a->begin, 101));
    ck_assert_ptr_nonnull(memory_host(m, a->begin + 99, 1));
    ck_assert_ptr_null(memory_host(m, a->begin + 99, 2));
    ck_assert_ptr_null(memory_host(m, a->begin + 50, UINT64_MAX));
}
END_TEST

START_TEST(neighbours_are_separated)
{
    uint64_t sizes[] = {1, 65535, 65536, 65537, 1 << 20, 5 << 20};
    const struct allocation *previous = device(7);
    for (unsigned i = 0; i < ARRAY_LENGTH(sizes); i++) {
        const struct allocation *next = device(sizes[i]);
        uint64_t gap = next->begin - (previous->begin + previous->bytes);
        ck_assert_uint_ge(gap, 64 << 10);
        ck_assert_uint_ge(gap, previous->bytes); /* twice the size still hits nothing */
        ck_assert_ptr_null(memory_find(m, next->begin - 1));
        previous = next;
    }
}
END_TEST

START_TEST(freed_memory_is_remembered)
{
    int here = 0;
    const struct allocation *a = device(300), *b = device(300);
    uint64_t begin = a->begin;
    ck_assert(!memory_free(m, begin + 4, NULL));
    ck_assert_ptr_null(memory_find_freed(m, begin));
    ck_assert(memory_free(m, begin, &here));
    ck_assert(a->freed);
    ck_assert_ptr_eq(a->freed_at, &here);
    ck_assert_ptr_null(memory_find(m, begin + 10));
    ck_assert_ptr_eq(memory_find_freed(m, begin + 10), a);
    ck_assert_ptr_null(memory_find_freed(m, begin + 300));
    ck_assert(!memory_free(m, begin, NULL));
    const struct allocation *c = device(300);
    ck_assert_uint_ne(c->begin, begin);
    ck_assert_uint_eq(c->serial, b->serial + 1);
}
END_TEST

START_TEST(freed_memory_is_given_again_where_a_pool_asks_for_it)
{
    const struct allocation *a = device(1000), *b = device(1000);
    const uint64_t begin = a->begin;
    ck_assert(memory_free(m, begin, NULL));
    const struct allocation *again = memory_alloc_again(m, begin, 1000, "cudaMallocAsync", NULL);
    ck_assert_ptr_nonnull(again);
    ck_assert_uint_eq(again->begin, begin);
    ck_assert_ptr_eq(memory_find(m, begin + 999), again);
    ck_assert_uint_eq(((unsigned char *)memory_host(m, begin, 1000))[500], 0xff); /* junk */
    /* Live memory, and what would reach into it, lies elsewhere. */
    ck_assert_uint_ne(memory_alloc_again(m, begin, 1000, "x", NULL)->begin, begin);
    ck_assert(memory_free(m, begin, NULL));
    ck_assert_uint_gt(memory_alloc_again(m, begin, (uint64_t)1 << 20, "x", NULL)->begin, b->begin);
    ck_assert_ptr_eq(memory_find(m, b->begin), b);
}
END_TEST

START_TEST(nearest_is_the_live_neighbour)
{
    ck_assert_ptr_null(memory_nearest(m, 1234));
    const struct allocation *a = device(4096), *b = device(4096);
    ck_assert_ptr_eq(memory_nearest(m, a->begin + 4096), a);
    ck_assert_ptr_eq(memory_nearest(m, b->begin - 4), b);
    ck_assert_ptr_eq(memory_nearest(m, a->begin + 5), a);
    memory_free(m, a->begin, NULL);
    ck_assert_ptr_eq(memory_nearest(m, a->begin + 4096), b);
}
END_TEST

START_TEST(managed_and_pinned_memory_have_one_pointer)
{
    enum memory_kind kinds[] = {MEMORY_MANAGED, MEMORY_PINNED};
    for (unsigned i = 0; i < ARRAY_LENGTH(kinds); i++) {
        const struct allocation *a = memory_alloc(m, 100, kinds[i], "cudaMallocManaged", NULL);
        ck_assert_int_eq(a->delta, 0);
        memset((void *)(uintptr_t)a->begin, 7, 100);
        ck_assert_ptr_eq(memory_find(m, a->begin + 99), a);
        ck_assert_ptr_null(memory_find(m, a->begin + 100));
        ck_assert(!memory_is_device_address(m, a->begin));
        ck_assert(memory_free(m, a->begin, NULL));
        ck_assert_ptr_eq(memory_find_freed(m, a->begin), a);
    }
}
END_TEST

static const struct allocation *register_host(void *host, uint64_t bytes)
{
    return memory_register(m, host, bytes, MEMORY_PINNED, "cudaHostRegister", NULL);
}

START_TEST(registered_host_memory_is_found_until_it_is_freed)
{
    static char array[1000], other[1000];
    uint64_t begin = (uint64_t)(uintptr_t)array;
    const struct allocation *a = register_host(array, 1000);
    ck_assert(a->registered);
    ck_assert_ptr_eq(memory_find(m, begin + 999), a);
    ck_assert_ptr_null(register_host(array + 500, 10));
    ck_assert_ptr_null(register_host(array, 0));
    ck_assert_ptr_null(register_host(array, UINT64_MAX));
    ck_assert_ptr_nonnull(register_host(other, 1000));
    array[3] = 5;
    ck_assert(memory_free(m, begin, NULL));
    ck_assert_int_eq(array[3], 5); /* it belongs to the program */
    ck_assert_ptr_null(memory_find(m, begin));
    ck_assert_ptr_eq(memory_find_freed(m, begin), a);
    const struct allocation *again = register_host(array, 1000);
    ck_assert_ptr_nonnull(again);
    ck_assert(memory_free(m, begin, NULL));
    ck_assert_ptr_eq(memory_find_freed(m, begin), again); /* the latest of several */
    ck_assert_ptr_nonnull(register_host(array, 1000));
}
END_TEST

START_TEST(a_managed_variable_has_one_copy)
{
    static unsigned shadow[4];
    const struct allocation *a = memory_alloc(m, 16, MEMORY_SYMBOL, "variable", NULL);
    *(unsigned *)memory_host(m, a->begin, 4) = 77;
    memory_rebind(m, a->begin, shadow);
    ck_assert_uint_eq(shadow[0], 77);
    *(unsigned *)memory_host(m, a->begin + 12, 4) = 88;
    ck_assert_uint_eq(shadow[3], 88);
    ck_assert(memory_free(m, a->begin, NULL));
    ck_assert_uint_eq(shadow[3], 88);
}
END_TEST

START_TEST(the_card_has_a_limit)
{
    uint64_t used, limit;
    ck_assert_ptr_null(memory_alloc(m, 4 * GIB + 1, MEMORY_DEVICE, "cudaMalloc", NULL));
    ck_assert_ptr_null(memory_alloc(m, UINT64_MAX, MEMORY_DEVICE, "cudaMalloc", NULL));
    ck_assert_ptr_null(memory_alloc(m, UINT64_MAX - 100, MEMORY_PINNED, "cudaMallocHost", NULL));
    const struct allocation *a = device(1000);
    const struct allocation *pinned = memory_alloc(m, 77, MEMORY_PINNED, "cudaMallocHost", NULL);
    memory_usage(m, &used, &limit);
    ck_assert_uint_eq(used, 1000); /* pinned memory is the host's */
    ck_assert_uint_eq(limit, 4 * GIB);
    uint64_t before = memory_available(m);
    memory_free(m, a->begin, NULL);
    memory_free(m, pinned->begin, NULL);
    memory_usage(m, &used, &limit);
    ck_assert_uint_eq(used, 0);
    ck_assert_uint_ge(memory_available(m), before);
}
END_TEST

START_TEST(what_the_computer_lacks_is_rejected)
{
    struct memory *huge = memory_open((uint64_t)1 << 60, NULL);
    uint64_t available = memory_available(huge);
    ck_assert_uint_lt(available, (uint64_t)1 << 50);
    ck_assert_ptr_null(memory_alloc(huge, available + 1, MEMORY_DEVICE, "cudaMalloc", NULL));
    memory_close(huge);
}
END_TEST

START_TEST(an_empty_allocation_has_an_address_of_its_own)
{
    const struct allocation *a = device(0), *b = device(0);
    ck_assert_uint_ne(a->begin, b->begin);
    ck_assert(memory_free(m, a->begin, NULL));
}
END_TEST

/* A memory whose window is 128 or 256 MiB, because the process may map only 1 GiB more. */
static struct memory *open_small(void)
{
    unsigned long long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(statm);
    ck_assert_int_eq(fscanf(statm, "%llu", &pages), 1);
    fclose(statm);
    struct rlimit saved, tight;
    getrlimit(RLIMIT_AS, &saved);
    tight = saved;
    tight.rlim_cur = pages * (uint64_t)sysconf(_SC_PAGESIZE) + GIB;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &tight), 0);
    struct memory *small = memory_open(4 * GIB, NULL);
    setrlimit(RLIMIT_AS, &saved);
    ck_assert_ptr_nonnull(small);
    return small;
}

/* A small window, so that it wraps: what is live is never given twice, and is junk when new. */
START_TEST(addresses_come_back_only_when_the_window_is_used_up)
{
    struct memory *small = open_small();
    const struct allocation *keep = memory_alloc(small, 1 << 20, MEMORY_DEVICE, "keep", NULL);
    uint64_t first = 0;
    bool reused = false;
    memset(memory_host(small, keep->begin, 1 << 20), 1, 1 << 20);
    for (unsigned i = 0; i < 300; i++) { /* 1.2 GB: the window some five times */
        uint64_t bytes = (uint64_t)(1 + i % 7) << 20;
        const struct allocation *a = memory_alloc(small, bytes, MEMORY_DEVICE, "loop", NULL);
        ck_assert_msg(a != NULL, "allocation %u", i);
        first = i == 0 ? a->begin : first;
        reused |= i > 0 && a->begin == first;
        ck_assert(i > 20 || a->begin >= first);
        ck_assert(a->begin + bytes <= keep->begin || a->begin >= keep->begin + keep->bytes);
        unsigned char *host = memory_host(small, a->begin, bytes);
        ck_assert_int_eq(host[0] + host[bytes / 2] + host[bytes - 1], 3 * 0xff);
        host[0] = host[bytes / 2] = host[bytes - 1] = 7;
        ck_assert(memory_free(small, a->begin, NULL));
    }
    ck_assert(reused);
    ck_assert_uint_eq(*(unsigned char *)memory_host(small, keep->begin, 1), 1);
    memory_close(small);
}
END_TEST

START_TEST(a_full_window_is_rejected_and_recovers)
{
    struct memory *small = open_small();
    uint64_t last = 0;
    const struct allocation *a;
    unsigned count = 0;
    while ((a = memory_alloc(small, 8 << 20, MEMORY_DEVICE, "fill", NULL)) != NULL) {
        last = a->begin;
        count++;
    }
    ck_assert_uint_gt(count, 5);
    ck_assert_ptr_null(memory_alloc(small, 8 << 20, MEMORY_DEVICE, "fill", NULL));
    ck_assert(memory_free(small, last, NULL));
    ck_assert_ptr_nonnull(memory_alloc(small, 8 << 20, MEMORY_DEVICE, "fill", NULL));
    memory_close(small);
}
END_TEST

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other programs do not count */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Well under a second; the limit is far from that, see test_cudart.c. */
START_TEST(a_hundred_thousand_pairs_are_not_slow)
{
    double begin = seconds();
    for (unsigned i = 0; i < 100000; i++) {
        const struct allocation *a = device(1024);
        memset(memory_host(m, a->begin, 1024), 1, 1024);
        ck_assert(memory_free(m, a->begin, NULL));
    }
    double elapsed = seconds() - begin;
    ck_assert_msg(elapsed < RUNNING_SLOWLY * 10.0, "%.3f s", elapsed);
}
END_TEST

START_TEST(a_hundred_thousand_may_live_together)
{
    static uint64_t begins[100000];
    for (unsigned i = 0; i < ARRAY_LENGTH(begins); i++) {
        begins[i] = device(16)->begin;
        *(unsigned *)memory_host(m, begins[i], 4) = i;
    }
    for (unsigned i = 0; i < ARRAY_LENGTH(begins); i++) {
        ck_assert_uint_eq(*(unsigned *)memory_host(m, begins[i], 4), i);
        ck_assert(memory_free(m, begins[i], NULL));
    }
}
END_TEST

struct reader {
    uint64_t address;
    bool stop;
    uint64_t wrong;
};

static void *read_loop(void *state)
{
    struct reader *r = state;
    while (!__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE)) {
        const struct allocation *a = memory_find(m, r->address);
        r->wrong += a == NULL || a->bytes != 4000;
    }
    return NULL;
}

START_TEST(lookups_go_on_while_others_allocate)
{
    static char array[64];
    struct reader reader = {.address = device(4000)->begin + 3999};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, read_loop, &reader), 0);
    for (unsigned i = 0; i < 4000; i++) {
        memory_free(m, device(1 + i % 9 * 40000)->begin, NULL);
        const struct allocation *a = register_host(array, 64);
        ck_assert(memory_free(m, a->begin, NULL));
    }
    __atomic_store_n(&reader.stop, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(reader.wrong, 0);
}
END_TEST

/* A module's variable is spoken of when the module, and its text, are gone. */
START_TEST(a_variable_keeps_its_name)
{
    char name[] = "table";
    uint64_t begin = memory_alloc(m, 64, MEMORY_SYMBOL, name, NULL)->begin;
    memset(name, 'x', sizeof name - 1);
    ck_assert(memory_free(m, begin, NULL));
    ck_assert_str_eq(memory_find_freed(m, begin)->name, "table");
}
END_TEST

/* cudaDeviceReset() closes the memory and opens another: an old address is none of the new ones. */
START_TEST(new_memory_does_not_begin_where_closed_memory_lay)
{
    const uint64_t old = device(1000)->begin;
    ck_assert(!memory_is_former(m, old));
    memory_close(m);
    setup();
    const struct allocation *a = device(1000);
    ck_assert_uint_gt(a->begin, old + 1000);
    ck_assert(memory_is_former(m, old));
    ck_assert(!memory_is_former(m, a->begin) && !memory_is_former(m, a->begin + 1000));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("memory");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, an_allocation_is_aligned_junk_and_found_at_each_byte);
    tcase_add_test(tests, a_device_address_is_not_a_host_address);
    tcase_add_test(tests, host_access_needs_the_whole_range);
    tcase_add_test(tests, neighbours_are_separated);
    tcase_add_test(tests, freed_memory_is_remembered);
    tcase_add_test(tests, a_variable_keeps_its_name);
    tcase_add_test(tests, freed_memory_is_given_again_where_a_pool_asks_for_it);
    tcase_add_test(tests, nearest_is_the_live_neighbour);
    tcase_add_test(tests, managed_and_pinned_memory_have_one_pointer);
    tcase_add_test(tests, registered_host_memory_is_found_until_it_is_freed);
    tcase_add_test(tests, a_managed_variable_has_one_copy);
    tcase_add_test(tests, the_card_has_a_limit);
    tcase_add_test(tests, what_the_computer_lacks_is_rejected);
    tcase_add_test(tests, an_empty_allocation_has_an_address_of_its_own);
    tcase_add_test(tests, addresses_come_back_only_when_the_window_is_used_up);
    tcase_add_test(tests, a_full_window_is_rejected_and_recovers);
    tcase_add_test(tests, a_hundred_thousand_pairs_are_not_slow);
    tcase_add_test(tests, a_hundred_thousand_may_live_together);
    tcase_add_test(tests, lookups_go_on_while_others_allocate);
    tcase_add_test(tests, new_memory_does_not_begin_where_closed_memory_lay);
    return run_suite("memory", tests);
}
