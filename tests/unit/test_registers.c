/* test_registers.c - one entry cut out of a module's PTX, and what ptxas says of it, if it is
 * there. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/registers.h"
#include "runtime/registers_kept.h"
#include "suite.h"

static const char text[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".global .u32 counter;\n"
    ".func (.reg .u32 %out) twice(.reg .u32 %in)\n{ add.u32 %out, %in, %in; ret; }\n"
    ".visible .entry first(.param .u64 p)\n.maxntid 64, 1, 1\n"
    "{ // a brace: {\n{ .reg .u32 %r<3>; mov.u32 %r1, %tid.x; /* } */ }\nret;\n}\n"
    "\t// .globl\tfirst_more\n.visible .entry first_more(\n\t.param .u64 first_more_param_0\n)\n"
    "{ .reg .u64 %d<3>; .reg .f32 %f<3>; ld.param.u64 %d1, [first_more_param_0];\n"
    "ld.global.f32 %f1, [%d1]; add.f32 %f2, %f1, %f1; st.global.f32 [%d1], %f2; ret; }\n"
    ".weak .entry last() { ret; }\n";

static char *cut(const char *kernel)
{
    size_t length = 0;
    char *own = registers_cut(text, sizeof text - 1, kernel, &length);
    if (own != NULL) {
        own = realloc(own, length + 1);
        own[length] = '\0';
    }
    return own;
}

static bool has(const char *own, const char *part) { return strstr(own, part) != NULL; }

START_TEST(one_entry)
{
    static const char *const names[] = {"first", "first_more", "last"};
    static const char *const bodies[] = {"mov.u32 %r1, %tid.x", "add.f32", "last() { ret; }"};
    for (unsigned i = 0; i < 3; i++) {
        char *own = cut(names[i]);
        ck_assert_ptr_nonnull(own);
        ck_assert(has(own, ".address_size 64") && has(own, "counter") && has(own, "twice"));
        for (unsigned k = 0; k < 3; k++) {
            ck_assert_msg(has(own, bodies[k]) == (i == k), "%s: %s", names[i], own);
        }
        free(own);
    }
    ck_assert_ptr_null(cut("firs"));
}
END_TEST

static unsigned asked(const char *kernel)
{
    return registers_of(text, sizeof text - 1, kernel, 80);
}

START_TEST(what_ptxas_says)
{
    const bool there = system("command -v ptxas >/dev/null 2>&1") == 0;
    const unsigned registers = asked("first_more");
    ck_assert(there ? registers >= 4 && registers <= 32 : registers == 0);
    ck_assert_uint_eq(asked("none"), 0);
    setenv("PATH", "/nowhere", 1); /* from now on only what was kept */
    ck_assert_uint_eq(asked("first_more"), registers);
}
END_TEST

static bool is_kept_in(const char *file)
{
    char line[100] = "";
    FILE *f = fopen(file, "r");
    if (f == NULL) {
        return false;
    }
    const bool has_line = fgets(line, sizeof line, f) != NULL;
    fclose(f);
    unlink(file);
    return has_line && has(line, "sm_90 33 kernel");
}

/* XDG_CACHE_HOME counts if it is an absolute path, as its specification says; else HOME does. */
START_TEST(the_cache_folder_is_found)
{
    char folder[] = "/tmp/registers-XXXXXX", file[100];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    unsetenv("SIMT_CACHE_DIR");
    setenv("HOME", folder, 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    registers_keep(7, 90, 33, "kernel");
    ck_assert_uint_eq(registers_kept(7, 90), 33);
    snprintf(file, sizeof file, "%s/.cache/simt/registers", folder);
    ck_assert(is_kept_in(file));
    setenv("XDG_CACHE_HOME", folder, 1);
    registers_keep(7, 90, 33, "kernel");
    snprintf(file, sizeof file, "%s/simt/registers", folder);
    ck_assert(is_kept_in(file));
    setenv("SIMT_CACHE_DIR", "", 1);
    registers_keep(7, 90, 33, "kernel");
    ck_assert_uint_eq(registers_kept(7, 90), 0);
    ck_assert_int_eq(system("rm -r .cache simt && rmdir \"$PWD\""), 0);
}
END_TEST

/* What was kept by an earlier run of this test would hide a ptxas that is not asked. */
static void forget(void)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
    ck_assert(length > 0);
    memcpy(path + length, ".registers", sizeof ".registers");
    unlink(path);
}

int main(void)
{
    TCase *tc = tcase_create("registers");
    tcase_add_checked_fixture(tc, forget, forget);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, one_entry);
    tcase_add_test(tc, what_ptxas_says);
    tcase_add_test(tc, the_cache_folder_is_found);
    return run_suite("registers", tc);
}
