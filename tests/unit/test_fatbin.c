/* test_fatbin.c - PTX out of fat binaries: plain, LZ4-compressed, several targets, damaged ones.
 * Run from the root of the repository: some of the images are seeds of the fuzz target, made by
 * nvcc 13's fatbinary from tests/fuzz/corpus_ptx/vector_add.ptx and calls.ptx. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/simt/base/base.h"
#include "common/simt/ptx/fatbin.h"
#include "suite.h"

enum { PTX = 1, ELF = 2, LZ4 = 0x2000, ZSTD = 0x8000 };

struct image {
    unsigned char bytes[4096];
    size_t size;
};

static void put(struct image *image, size_t at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        image->bytes[at + i] = (unsigned char)(value >> (8 * i));
    }
}

static void image_begin(struct image *image)
{
    *image = (struct image){.size = 16};
    put(image, 0, 0xba55ed50u, 4);
    put(image, 4, 1, 2);
    put(image, 6, 16, 2);
}

/* Returns where the entry begins. text_bytes is not 0 for a compressed payload. */
static size_t image_add(struct image *image, unsigned kind, unsigned target, unsigned flags,
                        const void *payload, size_t size, size_t text_bytes)
{
    size_t at = image->size, padded = (size + 7) & ~(size_t)7;
    put(image, at, kind, 2);
    put(image, at + 4, 64, 4);
    put(image, at + 8, padded, 8);
    put(image, at + 16, text_bytes != 0 ? size : 0, 4);
    put(image, at + 28, target, 4);
    put(image, at + 40, 0x11 | flags, 8);
    put(image, at + 56, text_bytes, 8);
    memcpy(image->bytes + at + 64, payload, size);
    image->size = at + 64 + padded;
    put(image, 8, image->size - 16, 8);
    return at;
}

/* The PTX, or the error; from memory of exactly the image's size. */
static void read_image_for(unsigned gpu, const unsigned char *bytes, size_t size, bool know_size,
                           char out[4000])
{
    struct arena arena = {0};
    struct err e = {0};
    const char *text;
    size_t length;
    unsigned char *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    unsigned char *exact = realloc(copy, size);
    if (fatbin_ptx(exact, know_size ? size : 0, gpu, &arena, &text, &length, &e)) {
        ck_assert(!e.set);
        ck_assert_uint_lt(length, 4000);
        memcpy(out, text, length);
        out[length] = '\0';
    } else {
        ck_assert(e.set);
        strcpy(out, e.text);
    }
    arena_free(&arena);
    free(exact);
}

static void read_image(const unsigned char *bytes, size_t size, bool know_size, char out[4000])
{
    read_image_for(0, bytes, size, know_size, out);
}

static void ck_image(const struct image *image, const char *want)
{
    char out[4000];
    for (int know_size = 0; know_size < 2; know_size++) {
        read_image(image->bytes, image->size, know_size != 0, out);
        ck_assert_str_eq(out, want);
    }
}

START_TEST(plain_ptx_is_found)
{
    struct image image;
    image_begin(&image);
    image_add(&image, PTX, 80, 0, ".version 8.0\n", 14, 0);
    ck_image(&image, ".version 8.0\n");
}
END_TEST

START_TEST(the_highest_target_wins)
{
    struct image image;
    image_begin(&image);
    image_add(&image, PTX, 75, 0, "75", 3, 0);
    image_add(&image, ELF, 100, 0, "machine code", 13, 0);
    image_add(&image, PTX, 90, 0, "90", 3, 0);
    image_add(&image, PTX, 80, 0, "80", 3, 0);
    image_add(&image, PTX, 120, ZSTD, "unreadable", 11, 400);
    image_add(&image, 8, 130, 0, "unknown kind", 13, 0);
    ck_image(&image, "90");
}
END_TEST

START_TEST(the_latest_target_that_the_gpu_has_is_taken)
{
    static const struct {
        unsigned gpu;
        const char *want;
    } cases[] = {{80, "80"}, {86, "80"}, {75, "75"}, {70, "75"}, {90, "90"}, {100, "90"}};
    struct image image;
    char out[4000];
    image_begin(&image);
    image_add(&image, PTX, 80, 0, "80", 3, 0);
    image_add(&image, PTX, 90, 0, "90", 3, 0);
    image_add(&image, PTX, 75, 0, "75", 3, 0);
    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        read_image_for(cases[i].gpu, image.bytes, image.size, true, out);
        ck_assert_str_eq(out, cases[i].want);
    }
}
END_TEST

/* An entry's options stand behind its 64 bytes, and their place and length in front of them. */
START_TEST(the_options_become_pragmas)
{
    static const char options[64] = " --simt-from=sm_75 --fmad false ";
    struct image image;
    image_begin(&image);
    const size_t at = image_add(&image, PTX, 80, 0, ".version 8.0\n", 14, 0);
    memmove(image.bytes + at + 64 + 72, image.bytes + at + 64, image.size - at - 64);
    memcpy(image.bytes + at + 72, options, sizeof options);
    image.size += 72;
    put(&image, 8, image.size - 16, 8);
    put(&image, at + 4, 64 + 72, 4);
    put(&image, at + 20, 64, 4);
    put(&image, at + 64, 72, 4);
    put(&image, at + 68, sizeof options, 4);
    ck_image(&image, ".version 8.0\n\n.pragma \"simt_no_fmad\";\n//simt_from sm_75\n");
}
END_TEST

START_TEST(what_holds_no_ptx_says_what_would)
{
    struct image image;
    image_begin(&image);
    ck_image(&image, "the program's fat binary holds no PTX; build it with simtcc");
    image_add(&image, ELF, 90, 0, "machine code", 13, 0);
    ck_image(&image, "the program holds machine code for sm_90 but no PTX; build it with simtcc, "
                     "or with nvcc -gencode arch=compute_80,code=compute_80 --no-compress");
    image_add(&image, PTX, 80, ZSTD, "xx", 3, 100);
    ck_image(&image, "the program's PTX for compute_80 is compressed with Zstandard, which the "
                     "simulator does not read; build it with simtcc, or give nvcc --no-compress");
}
END_TEST

/* LZ4 blocks by hand: a token (literals << 4 | match - 4), literals, distance, ... */
static const struct {
    const char *block;
    size_t size, text_bytes;
    const char *text; /* NULL: damaged */
} blocks[] = {
    {"\x50hello", 6, 5, "hello"},
    {"\x1f"
     "a\x01\x00\x01\x50"
     "bcdef",
     11, 26, "aaaaaaaaaaaaaaaaaaaaabcdef"},
    {"\x32"
     "abc\x03\x00\x10"
     "d",
     8, 10, "abcabcabcd"}, /* overlaps itself */
    {"\xf0\x02"
     "abcdefghijklmnopq",
     19, 17, "abcdefghijklmnopq"},
    {"\x50hello", 6, 6, NULL}, /* too short */
    {"\x50hello", 6, 4, NULL}, /* too long */
    {"\x60hello", 6, 5, NULL}, /* literals beyond the block */
    {"\x30"
     "abc\x00\x00",
     6, 10, NULL}, /* distance 0 */
    {"\x30"
     "abc\x04\x00",
     6, 7, NULL}, /* distance before the start */
    {"\x30"
     "abc\x03",
     5, 7, NULL}, /* half a distance */
    {"\x34"
     "abc\x03\x00",
     6, 10, NULL},                  /* match beyond the text */
    {"\xf0\xff\xff", 3, 100, NULL}, /* length without an end */
    {"\x3f"
     "abc\x03\x00\xff",
     7, 100, NULL},
    {"", 0, 5, NULL},
};

START_TEST(lz4_blocks_are_decompressed)
{
    struct image image;
    image_begin(&image);
    image_add(&image, PTX, 80, LZ4, blocks[_i].block, blocks[_i].size, blocks[_i].text_bytes);
    put(&image, 16 + 16, blocks[_i].size, 4);
    char out[4000];
    read_image(image.bytes, image.size, true, out);
    if (blocks[_i].text != NULL) {
        ck_assert_str_eq(out, blocks[_i].text);
    } else {
        ck_assert_ptr_nonnull(strstr(out, "the fat binary's PTX for compute_80 is damaged: "));
    }
}
END_TEST

START_TEST(impossible_sizes_are_rejected_before_memory_is_taken)
{
    struct image image;
    image_begin(&image);
    image_add(&image, PTX, 80, LZ4, "\x50hello", 6, UINT64_C(1) << 40);
    ck_image(&image, "the fat binary's PTX for compute_80 is damaged: 6 bytes cannot hold "
                     "1099511627776; build the program again");
    put(&image, 16 + 56, 400000000, 8);
    ck_image(&image, "the fat binary's PTX for compute_80 is damaged: 6 bytes cannot hold "
                     "400000000; build the program again");
    put(&image, 16 + 56, 5, 8);
    put(&image, 16 + 16, 9, 4); /* more than the payload has */
    ck_image(&image, "the fat binary's PTX for compute_80 is damaged: 9 bytes cannot hold 5; "
                     "build the program again");
}
END_TEST

START_TEST(damaged_headers_are_rejected)
{
    static const char entry_error[] = "the program's fat binary is damaged: an entry reaches "
                                      "beyond its end; build the program again";
    struct image image;
    image_begin(&image);
    size_t at = image_add(&image, PTX, 80, 0, "text", 5, 0);
    put(&image, at + 8, 9, 8); /* payload one byte too long */
    ck_image(&image, entry_error);
    put(&image, at + 8, UINT64_MAX - 10, 8);
    ck_image(&image, entry_error);
    put(&image, at + 8, 8, 8);
    put(&image, at + 4, 63, 4); /* header too short */
    ck_image(&image, entry_error);
    put(&image, at + 4, UINT32_MAX, 4);
    ck_image(&image, entry_error);
    put(&image, at + 4, 64, 4);
    put(&image, 8, 71, 8); /* the entries are cut off */
    ck_image(&image, entry_error);
    put(&image, 8, 72, 8);
    ck_image(&image, "text");
}
END_TEST

START_TEST(text_in_place_of_a_fat_binary_is_taken)
{
    static const char *const texts[] = {"//\n// Generated\n.version 7.0\n", "\n\t .version 7.0",
                                        "/* x */ .version 8.0"};
    char out[4000];
    for (unsigned i = 0; i < ARRAY_LENGTH(texts); i++) {
        const unsigned char *bytes = (const unsigned char *)texts[i];
        read_image(bytes, strlen(texts[i]) + 1, false, out);
        ck_assert_str_eq(out, texts[i]);
        read_image(bytes, strlen(texts[i]), true, out);
        ck_assert_str_eq(out, texts[i]);
    }
}
END_TEST

START_TEST(anything_else_is_rejected)
{
    static const char *const others[] = {("\x7f"
                                          "ELF"),
                                         " ",
                                         ".vers",
                                         "/",
                                         "\x50\xed",
                                         ""};
    char out[4000];
    for (unsigned i = 0; i < ARRAY_LENGTH(others); i++) {
        read_image((const unsigned char *)others[i], strlen(others[i]) + 1, false, out);
        ck_assert_str_eq(out, "the program's GPU code is neither PTX text nor a fat binary; build "
                              "the program with simtcc");
    }
}
END_TEST

static size_t read_seed(const char *name, unsigned char bytes[8000])
{
    char path[200];
    snprintf(path, sizeof path, "tests/fuzz/%s", name);
    FILE *in = fopen(path, "rb");
    ck_assert_msg(in != NULL, "cannot open %s; run from the root of the repository", path);
    size_t size = fread(bytes, 1, 8000, in);
    fclose(in);
    ck_assert(size > 0 && size < 8000);
    return size;
}

/* fatbinary drops comments and leading blanks, so the texts are compared from .visible on. */
START_TEST(what_fatbinary_wrote_is_read)
{
    static const char *const pairs[][2] = {{"corpus_fatbin/plain.fatbin", "vector_add.cu"},
                                           {"corpus_fatbin/lz4.fatbin", "vector_add.cu"},
                                           {"corpus_fatbin/two.fatbin", "inc_ptr"}};
    static unsigned char bytes[8000], source[8000];
    char out[4000];
    for (unsigned i = 0; i < ARRAY_LENGTH(pairs); i++) {
        read_image(bytes, read_seed(pairs[i][0], bytes), true, out);
        ck_assert_ptr_nonnull(strstr(out, ".version"));
        ck_assert_ptr_nonnull(strstr(out, pairs[i][1]));
    }
    read_image(bytes, read_seed("corpus_fatbin/lz4.fatbin", bytes), true, out);
    source[read_seed("corpus_ptx/vector_add.ptx", source)] = '\0';
    const char *got = strstr(out, "ld.param.u64"), *end = strstr(out, "ret;");
    const char *want = strstr((const char *)source, "ld.param.u64");
    ck_assert(got != NULL && end != NULL && want != NULL);
    for (; got < end; got++) { /* blanks differ */
        if (strchr(" \t\n", *got) == NULL) {
            want += strspn(want, " \t\n");
            ck_assert_int_eq(*got, *want);
            want++;
        }
    }
}
END_TEST

/* Every prefix of every seed, and every byte of it wrong in turn, is read safely. */
START_TEST(damage_anywhere_is_safe)
{
    static const char *const seeds[] = {"corpus_fatbin/plain.fatbin", "corpus_fatbin/lz4.fatbin",
                                        "corpus_fatbin/zstd.fatbin"};
    static unsigned char bytes[8000];
    char out[4000];
    for (unsigned i = 0; i < ARRAY_LENGTH(seeds); i++) {
        size_t size = read_seed(seeds[i], bytes);
        for (size_t cut = 1; cut < size; cut++) {
            read_image(bytes, cut, true, out);
            ck_assert_ptr_null(strstr(out, ".version")); /* never half a text */
        }
        for (size_t at = 0; at < size; at++) {
            bytes[at] ^= 0xff;
            read_image(bytes, size, true, out);
            bytes[at] ^= 0xff;
        }
    }
}
END_TEST

START_TEST(wrappers_are_unwrapped)
{
    struct {
        uint32_t magic, version;
        const void *data, *more;
    } wrapper = {0x466243b1u, 1, "data", NULL};
    struct err e = {0};
    ck_assert_ptr_eq(fatbin_unwrap(&wrapper, &e), wrapper.data);
    ck_assert(!e.set);
    wrapper.magic = 0xba55ed50u;
    ck_assert_ptr_null(fatbin_unwrap(&wrapper, &e));
    ck_assert_str_eq(e.text, "the program's GPU code has no fat-binary wrapper (magic 0xba55ed50, "
                             "expected 0x466243b1); build it with simtcc");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("fatbin");
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, plain_ptx_is_found);
    tcase_add_test(tests, the_highest_target_wins);
    tcase_add_test(tests, the_latest_target_that_the_gpu_has_is_taken);
    tcase_add_test(tests, the_options_become_pragmas);
    tcase_add_test(tests, what_holds_no_ptx_says_what_would);
    tcase_add_loop_test(tests, lz4_blocks_are_decompressed, 0, ARRAY_LENGTH(blocks));
    tcase_add_test(tests, impossible_sizes_are_rejected_before_memory_is_taken);
    tcase_add_test(tests, damaged_headers_are_rejected);
    tcase_add_test(tests, text_in_place_of_a_fat_binary_is_taken);
    tcase_add_test(tests, anything_else_is_rejected);
    tcase_add_test(tests, what_fatbinary_wrote_is_read);
    tcase_add_test(tests, damage_anywhere_is_safe);
    tcase_add_test(tests, wrappers_are_unwrapped);
    return run_suite("fatbin", tests);
}
