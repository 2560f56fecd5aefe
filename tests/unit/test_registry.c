/* The registry: what start-up code registers is found by address, loaded when used, rejected
 * clearly; kernel names for people; stream and event handles. */
#include "common/simt/runtime/registry.h"

#include "common/simt/base/demangle.h"
#include "common/simt/base/describe.h"
#include "common/simt/base/handles.h"
#include "cudart_fixture.h"
#include "suite.h"

static void **handle;

static void setup(void) { handle = register_program(); }

START_TEST(a_kernel_is_found_by_its_stub)
{
    const struct CUkern_st *k = registry_kernel(&store_stub);
    ck_assert_ptr_nonnull(k);
    ck_assert_str_eq(k->name, "_Z5storePjj");
    ck_assert_ptr_null(registry_kernel(&handle));
    ck_assert_ptr_null(registry_kernel(NULL));
}
END_TEST

START_TEST(a_kernel_is_loaded_at_its_first_use)
{
    struct CUkern_st *k = registry_kernel(&store_stub);
    ck_assert(!k->ready);
    CHECK_OK(registry_load_kernel(k));
    ck_assert(k->ready);
    const struct simt_kernel *first = k->kernel;
    ck_assert_ptr_nonnull(first);
    ck_assert_str_eq(k->plain, "store");
    CHECK_OK(registry_load_kernel(k));
    ck_assert_ptr_eq(k->kernel, first);
    ck_assert_int_eq(registry_target(k), 80);
}
END_TEST

START_TEST(many_kernels_are_all_found)
{
    static char stubs[5000];
    for (unsigned i = 0; i < sizeof stubs; i++) {
        char name[32];
        snprintf(name, sizeof name, "kernel_%u", i);
        register_kernel(handle, &stubs[i], name);
    }
    for (unsigned i = 0; i < sizeof stubs; i++) {
        char name[32];
        snprintf(name, sizeof name, "kernel_%u", i);
        ck_assert_str_eq(registry_kernel(&stubs[i])->name, name);
    }
    ck_assert_str_eq(registry_kernel(&store_stub)->name, "_Z5storePjj");
}
END_TEST

START_TEST(a_kernel_that_the_module_lacks_is_rejected_by_name)
{
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidDeviceFunction,
                registry_load_kernel(registry_kernel(&absent_stub)));
    ck_assert_ptr_nonnull(strstr(capture_end(), "absent"));
}
END_TEST

/* Objects of relocatable device code become one module. */
void simt_register_linked_binary(void (*registers)(void **handle), void *fatbin, void *module_id,
                                 void (*refers)(void *));
static const char linked_stubs[2];

static void register_first(void **linked) { register_kernel(linked, &linked_stubs[0], "first"); }
static void register_second(void **linked) { register_kernel(linked, &linked_stubs[1], "second"); }

START_TEST(objects_of_relocatable_code_are_linked)
{
#define OBJECT(text) ".version 7.0\n.target sm_80\n.address_size 64\n" text
    static struct fatbin_wrapper objects[] = {
        {0x466243b1, 1, OBJECT(".visible .global .u32 count;\n.visible .entry first() { ret; }\n"),
         NULL},
        {0x466243b1, 1,
         OBJECT(".extern .global .u32 count;\n.visible .entry second() {\n"
                ".reg .u32 %r<2>; ld.global.u32 %r1, [count]; ret; }\n"),
         NULL}};
    simt_register_linked_binary(register_first, &objects[0], NULL, NULL);
    simt_register_linked_binary(register_second, &objects[1], NULL, NULL);
    for (unsigned i = 0; i < 2; i++) {
        CHECK_OK(registry_load_kernel(registry_kernel(&linked_stubs[i])));
    }
    ck_assert_ptr_eq(registry_kernel(&linked_stubs[0])->image,
                     registry_kernel(&linked_stubs[1])->image);
}
END_TEST

START_TEST(a_module_that_is_no_ptx_is_explained_once)
{
    static const char other_stub;
    static struct fatbin_wrapper wrapper = {0x466243b1, 1, ".version 7.0\n.target sm_80\nnonsense;",
                                            NULL};
    void **other = __cudaRegisterFatBinary(&wrapper);
    register_kernel(other, &other_stub, "k");
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidPtx, registry_load_kernel(registry_kernel(&other_stub)));
    ck_assert_ptr_nonnull(strstr(capture_end(), "nonsense"));
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidPtx, registry_load_kernel(registry_kernel(&other_stub)));
    ck_assert_str_eq(capture_end(), "");
}
END_TEST

START_TEST(a_fat_binary_that_is_none_is_rejected)
{
    static const char other_stub;
    static struct fatbin_wrapper wrapper = {0x12345678, 1, program_ptx, NULL};
    register_kernel(__cudaRegisterFatBinary(&wrapper), &other_stub, "k");
    capture_begin();
    CHECK_ERROR(cudaErrorNoKernelImageForDevice,
                registry_load_kernel(registry_kernel(&other_stub)));
    ck_assert_str_ne(capture_end(), "");
}
END_TEST

START_TEST(variables_have_an_address_and_a_size)
{
    uint64_t address = 0, bytes = 0;
    CHECK_OK(registry_symbol("test", table_shadow, &address, &bytes));
    ck_assert_uint_eq(bytes, 16);
    const struct allocation *a = memory_find(runtime()->memory, address);
    ck_assert_ptr_nonnull(a);
    ck_assert_int_eq(a->kind, MEMORY_CONSTANT);
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidSymbol, registry_symbol("test", "counter", &address, &bytes));
    ck_assert_ptr_nonnull(strstr(capture_end(), "no __device__ or __constant__ variable"));
}
END_TEST

START_TEST(a_managed_variable_is_set_before_host_code_reads_it)
{
    ck_assert_ptr_null(shared_count);
    ck_assert_int_ne(__cudaInitModule(handle), 0);
    ck_assert_uint_eq(*shared_count, 11);
}
END_TEST

START_TEST(an_unregistered_library_does_not_load)
{
    __cudaUnregisterFatBinary(handle);
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidDeviceFunction, registry_load_kernel(registry_kernel(&store_stub)));
    ck_assert_ptr_nonnull(strstr(capture_end(), "unloaded"));
}
END_TEST

/* ---- names for people ------------------------------------------------------------------------ */

static const char *plain(const char *mangled)
{
    static char text[512];
    demangle_name(mangled, text, sizeof text);
    return text;
}

START_TEST(kernel_names_have_no_arguments)
{
    ck_assert_str_eq(plain("_Z6reduceIfLi256EEvPT_i"), "reduce<float, 256>");
    ck_assert_str_eq(plain("_Z9vectorAddPKfS0_Pfi"), "vectorAdd");
    ck_assert_str_eq(plain("_ZN3sub5scaleEPf"), "sub::scale");
    ck_assert_str_eq(plain("_ZN12_GLOBAL__N_14anonEi"), "(anonymous namespace)::anon");
    ck_assert_str_eq(plain("_Z5applyIXadL_Z4plusiiEEEvPi"), "apply<&(plus(int, int))>");
    ck_assert_str_eq(plain("_Z4takePFiiE"), "take");
    ck_assert_str_eq(plain("plain_c_name"), "plain_c_name");
}
END_TEST

__attribute__((noinline)) static const void *site_here(void) { return CALL_SITE(); }

START_TEST(one_place_is_one_call_site)
{
    const void *sites[3];
    for (volatile unsigned i = 0; i < 2; i++) { /* volatile: unrolled, it would be two places */
        sites[i] = site_here();
    }
    sites[2] = site_here();
    ck_assert_ptr_eq(sites[0], sites[1]);
    ck_assert_ptr_ne(sites[0], sites[2]);
}
END_TEST

/* ---- handles --------------------------------------------------------------------------------- */

struct thing {
    struct handle handle;
    int value;
};

START_TEST(only_live_handles_are_live)
{
    static struct handle_pool pool = HANDLE_POOL(struct thing);
    int elsewhere = 0;
    ck_assert(!handle_is_live(&pool, &elsewhere));
    struct thing *a = handle_create(&pool), *b = handle_create(&pool);
    ck_assert(handle_is_live(&pool, a) && handle_is_live(&pool, b));
    ck_assert(!handle_is_live(&pool, (char *)a + 1));
    ck_assert(!handle_is_live(&pool, NULL));
    ck_assert(!handle_is_live(&pool, &elsewhere));
    ck_assert(handle_destroy(&pool, a));
    ck_assert(!handle_destroy(&pool, a));
    ck_assert(!handle_is_live(&pool, a));
    ck_assert_ptr_ne(handle_create(&pool), a);
    handle_destroy_all(&pool);
    ck_assert(!handle_is_live(&pool, b));
    arena_free(&pool.arena);
}
END_TEST

START_TEST(slots_are_used_again_in_the_end)
{
    static struct handle_pool pool = HANDLE_POOL(struct thing);
    struct thing *first = handle_create(&pool);
    unsigned until_reuse = 0;
    ck_assert(handle_destroy(&pool, first));
    for (struct thing *t = NULL; t != first && until_reuse < 100000; until_reuse++) {
        t = handle_create(&pool);
        ck_assert_int_eq(t->value, 0);
        t->value = 7;
        ck_assert(handle_destroy(&pool, t));
    }
    ck_assert_uint_gt(until_reuse, 1000);
    ck_assert_uint_lt(until_reuse, 100000);
    arena_free(&pool.arena);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("registry");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, a_kernel_is_found_by_its_stub);
    tcase_add_test(tests, a_kernel_is_loaded_at_its_first_use);
    tcase_add_test(tests, many_kernels_are_all_found);
    tcase_add_test(tests, a_kernel_that_the_module_lacks_is_rejected_by_name);
    tcase_add_test(tests, objects_of_relocatable_code_are_linked);
    tcase_add_test(tests, a_module_that_is_no_ptx_is_explained_once);
    tcase_add_test(tests, a_fat_binary_that_is_none_is_rejected);
    tcase_add_test(tests, variables_have_an_address_and_a_size);
    tcase_add_test(tests, a_managed_variable_is_set_before_host_code_reads_it);
    tcase_add_test(tests, an_unregistered_library_does_not_load);
    tcase_add_test(tests, kernel_names_have_no_arguments);
    tcase_add_test(tests, one_place_is_one_call_site);
    tcase_add_test(tests, only_live_handles_are_live);
    tcase_add_test(tests, slots_are_used_again_in_the_end);
    return run_suite("registry", tests);
}
