/* test_sites.c - what the numbers of an instruction's site mean (watch/lines.h): each kind grows
 * its counters, by its numbers, and no others. */
#include "common/simt/watch/lines.h"
#include "suite.h"

#include <stddef.h>
#include <string.h>

enum { NOTHING = 0, A = 3, B = 50, C = 700, INSTRUCTIONS = 4, BEFORE = 10000, MOST_GROWN = 2 };

#define AT(field) offsetof(struct simt_counters, field)

static const struct {
    enum site_kind kind;
    struct {
        size_t field;
        uint64_t by; /* NOTHING: the list ends */
    } grows[MOST_GROWN];
} kinds[] = {
    {SITE_BLOCK, {{AT(instructions), A *INSTRUCTIONS}, {AT(thread_instructions), B *INSTRUCTIONS}}},
    {SITE_BRANCH, {{AT(branches), A}, {AT(divergent_branches), B}}},
    {SITE_BARRIER, {{AT(barriers), A}}},
    {SITE_GLOBAL_LOAD, {{AT(global_load_requests), A}, {AT(global_load_sectors), B}}},
    {SITE_GLOBAL_STORE, {{AT(global_store_requests), A}, {AT(global_store_sectors), B}}},
    {SITE_GLOBAL_RED, {{AT(global_red_requests), A}, {AT(global_red_sectors), B}}},
    {SITE_GLOBAL_ATOM, {{AT(global_atom_requests), A}, {AT(global_atom_sectors), B}}},
    {SITE_SHARED_LOAD, {{AT(shared_load_wavefronts), B}, {AT(shared_load_conflicts), C}}},
    {SITE_SHARED_STORE, {{AT(shared_store_wavefronts), B}, {AT(shared_store_conflicts), C}}},
    {SITE_SHARED_ATOM, {{AT(shared_atom_wavefronts), B}, {AT(shared_atom_conflicts), C}}},
    {SITE_HMMA, {{AT(tensor_hmma), A}, {AT(tensor_gmma), B}}},
    {SITE_IMMA, {{AT(tensor_imma), A}, {AT(tensor_gmma), B}}},
    {SITE_DMMA, {{AT(tensor_dmma), A}}},
    {SITE_COPY, {{AT(copy_requests), A}, {AT(copy_sectors), B}}},
    {SITE_COPY_BANKS, {{AT(copy_wavefronts), B}, {AT(copy_conflicts), C}}},
    {SITE_BULK, {{AT(bulk_copies), A}}},
    {SITE_BULK_LOAD, {{AT(bulk_copies), A}, {AT(bulk_load_sectors), B}}},
    {SITE_BULK_STORE, {{AT(bulk_copies), A}, {AT(bulk_store_sectors), B}}},
    {SITE_BULK_RED, {{AT(bulk_copies), A}, {AT(bulk_red_sectors), B}}},
    {SITE_CLUSTER_LOAD, {{AT(cluster_load_requests), A}, {AT(cluster_load_sectors), B}}},
    {SITE_CLUSTER_STORE, {{AT(cluster_store_requests), A}, {AT(cluster_store_sectors), B}}},
    {SITE_CLUSTER_ATOM, {{AT(cluster_atom_requests), A}, {AT(cluster_atom_sectors), B}}},
    {SITE_UNCOUNTED, {{0, NOTHING}}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void set_all(struct simt_counters *c)
{
#define COUNTER(field, unit, metric) c->field = BEFORE;
#include "common/simt/base/counters.def"
#undef COUNTER
}

static uint64_t *counter_at(struct simt_counters *c, size_t field)
{
    return (uint64_t *)(void *)((char *)c + field);
}

START_TEST(a_site_grows_its_own_counters)
{
    struct simt_counters want = {0}, got = {0};
    set_all(&want);
    set_all(&got);
    for (unsigned i = 0; i < MOST_GROWN; i++) {
        if (kinds[_i].grows[i].by != NOTHING) {
            *counter_at(&want, kinds[_i].grows[i].field) += kinds[_i].grows[i].by;
        }
    }
    lines_add_site(&(struct site_info){.kind = kinds[_i].kind},
                   &(struct site){.a = A, .b = B, .c = C}, INSTRUCTIONS, &got);
#define COUNTER(field, unit, metric)                                                               \
    ck_assert_msg(got.field == want.field, "site kind %d: " #field " is %llu, not %llu",           \
                  (int)kinds[_i].kind, (unsigned long long)got.field,                              \
                  (unsigned long long)want.field);
#include "common/simt/base/counters.def"
#undef COUNTER
}
END_TEST

START_TEST(every_kind_of_site_stands_in_the_table)
{
    bool stands[SITE_UNCOUNTED + 1] = {false};
    for (unsigned i = 0; i < KINDS; i++) {
        stands[kinds[i].kind] = true;
    }
    for (unsigned kind = 0; kind <= SITE_UNCOUNTED; kind++) {
        ck_assert_msg(stands[kind], "site kind %u", kind);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("sites");
    tcase_add_loop_test(tc, a_site_grows_its_own_counters, 0, KINDS);
    tcase_add_test(tc, every_kind_of_site_stands_in_the_table);
    return run_suite("sites", tc);
}
