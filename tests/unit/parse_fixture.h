/* parse_fixture.h - PTX text in, a module out, or what is said of the text: for test_parse*.c. */
#ifndef TESTS_PARSE_FIXTURE_H
#define TESTS_PARSE_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/simt/ptx/parse.h"

static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n";

static const char body_head[] = ".global .b32 var[64]; .entry k(.param .u64 out) {\n"
                                ".reg .b32 %r<10>, plain; .reg .b64 %rd<4>; .reg .f32 %f<5>;"
                                ".reg .f64 %fd<2>; .reg .pred %p<4>, q;\n";

/* The text as one block of memory of exactly its length, so that a sanitizer sees overruns. */
static inline struct ptx_module *parse_bytes(const char *text, size_t length, struct err *e)
{
    char *copy = malloc(length + (length == 0));
    memcpy(copy, text, length);
    *e = (struct err){0};
    struct ptx_module *module = parse_module(copy, length, "t.ptx", e);
    free(copy); /* the module must not point into the text */
    ck_assert_int_eq(module == NULL, e->set);
    return module;
}

static inline struct ptx_module *parse_good(const char *before, const char *text, const char *after)
{
    char whole[20000];
    struct err e;
    int length = snprintf(whole, sizeof whole, "%s%s%s%s", head, before, text, after);
    ck_assert_int_lt(length, sizeof whole);
    struct ptx_module *module = parse_bytes(whole, (size_t)length, &e);
    ck_assert_msg(module != NULL, "%s", e.text);
    return module;
}

#endif
