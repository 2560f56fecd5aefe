/* test_draw.c - pictures of an access: worked examples line by line, and, on random accesses, that
 * what is drawn is what access.h counts, within 80 columns. */
#include <stdlib.h>
#include <string.h>

#include "common/gpu/draw.h"
#include "common/gpu/draw_layout.h"
#include "suite.h"

enum { LANES = 32, ROUNDS = 3000, TEXT_SIZE = 1 << 18, COLUMNS = 80 };

static const struct draw_style plain = {false, false, false};
static char drawn[TEXT_SIZE];

static const char *text_of(const struct draw_access *a, struct draw_style style)
{
    FILE *f = fmemopen(drawn, sizeof drawn, "w");
    draw_text(f, a, style);
    fclose(f);
    return drawn;
}

static const char *svg_of(const struct draw_access *a, const char *title)
{
    FILE *f = fmemopen(drawn, sizeof drawn, "w");
    draw_svg(f, a, title, plain);
    fclose(f);
    return drawn;
}

static unsigned times_in(const char *text, const char *part)
{
    unsigned times = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        times++;
    return times;
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        size_t columns = 0;
        for (const char *c = text; *c && *c != '\n'; c++)
            columns += ((unsigned char)*c & 0xc0) != 0x80;
        longest = columns > longest ? columns : longest;
    }
    return longest;
}

START_TEST(an_offset_of_one)
{
    struct draw_access a = draw_strided(DRAW_GLOBAL, 4, 4, 4);
    ck_assert_str_eq(text_of(&a, plain),
                     " lanes  0-6      7-14     15-22    23-30    31\n"
                     " bytes [.#######|########|########|########[#.......|\n"
                     "sector  0        1        2        3        4\n"
                     "        5 sectors: 160 bytes move, 128 wanted; 4 would do\n");
}
END_TEST

START_TEST(three_doubles_apart)
{
    struct draw_access a = draw_strided(DRAW_GLOBAL, 0, 24, 8);
    text_of(&a, plain);
    ck_assert_ptr_nonnull(strstr(drawn, " bytes [##....##|....##..|..##....|##....##[....##..|"));
    ck_assert_ptr_nonnull(strstr(drawn, "24 sectors: 768 bytes move, 256 wanted; 8 would do\n"));
}
END_TEST

START_TEST(what_lies_apart_keeps_its_numbers)
{
    struct draw_access a = draw_strided(DRAW_GLOBAL, 0x7f0000000080, 4096, 4);
    a.mask = 0x5;
    ck_assert_str_eq(text_of(&a, plain),
                     " lanes  0        2\n"
                     " bytes [#.......[#.......|\n"
                     "sector  0        256\n"
                     "        (sectors counted from address 0x7f0000000080 on)\n"
                     "        2 lanes, 2 sectors: 64 bytes move, 8 wanted; "
                     "1 would do\n");
}
END_TEST

START_TEST(bytes_are_parts_of_words)
{
    struct draw_access a = draw_strided(DRAW_GLOBAL, 0, 2, 1);
    ck_assert_ptr_nonnull(strstr(text_of(&a, plain), " bytes [++++++++|++++++++|\n"));
}
END_TEST

START_TEST(a_column_of_an_unpadded_tile)
{
    struct draw_access a = draw_strided(DRAW_SHARED, 0, 128, 4);
    text_of(&a, plain);
    ck_assert_ptr_nonnull(strstr(drawn, "pass  1| 0 . . .| . . . .|"));
    ck_assert_ptr_nonnull(strstr(drawn, "pass  4| 3 . . .| . . . .|"));
    ck_assert_ptr_nonnull(strstr(drawn, "... | 27 more passes\npass 32|31 . . .|"));
    ck_assert_ptr_nonnull(strstr(drawn, "32 wavefronts, 31 bank conflicts\n"));
    a = draw_strided(DRAW_SHARED, 0, 132, 4);
    ck_assert_ptr_nonnull(strstr(text_of(&a, plain), "1 wavefront, no bank conflict\n"));
}
END_TEST

START_TEST(one_word_for_all)
{
    struct draw_access a = draw_strided(DRAW_SHARED, 64, 0, 4);
    text_of(&a, plain);
    ck_assert_ptr_nonnull(strstr(drawn, "served at once: lanes 0-31\n"));
    a.op = DRAW_ATOMIC;
    text_of(&a, plain);
    ck_assert_ptr_nonnull(strstr(drawn, "32 wavefronts, 31 bank conflicts\n"));
    ck_assert_ptr_null(strstr(drawn, "at once"));
}
END_TEST

START_TEST(nobody)
{
    struct draw_access a = draw_strided(DRAW_GLOBAL, 0, 4, 4);
    a.mask = 0;
    ck_assert_str_eq(text_of(&a, plain), "        no lane takes part: no request\n");
    ck_assert_ptr_nonnull(strstr(svg_of(&a, NULL), "no lane takes part"));
    a.space = DRAW_SHARED;
    ck_assert_str_eq(text_of(&a, plain), "        no lane takes part: no request\n");
    ck_assert_ptr_nonnull(strstr(svg_of(&a, NULL), "</svg>\n"));
}
END_TEST

START_TEST(lists_of_lanes)
{
    char text[17];
    ck_assert_str_eq(draw_lanes(text, 8, 0xff), "0-7");
    ck_assert_str_eq(draw_lanes(text, 8, 0x80000001u), "0,31");
    ck_assert_str_eq(draw_lanes(text, 8, 0x01010101u), "0,8,16..");
    ck_assert_str_eq(draw_lanes(text, 16, 0x01010101u), "0,8,16,24");
    ck_assert_str_eq(draw_lanes(text, 8, 0), "");
    ck_assert_str_eq(draw_lanes(text, 3, 0x3e), "1-5"); /* nothing follows: no room for ".." */
    ck_assert_str_eq(draw_lanes(text, 8, UINT32_MAX), "0-31");
}
END_TEST

/* Seven kinds of random access: single lanes and all, near and far, strided and repeated. */
static struct draw_access random_access(void)
{
    struct draw_access a = {.space = rand() % 2 ? DRAW_SHARED : DRAW_GLOBAL,
                            .op = (enum draw_op)(rand() % 4),
                            .bytes = 1u << rand() % 5,
                            .mask = rand() % 3 ? UINT32_MAX : (uint32_t)rand()};
    const uint64_t range = UINT64_C(1) << rand() % 15, stride = (uint64_t)(rand() % 70);
    const bool strided = rand() % 2;
    if (a.space == DRAW_SHARED && a.op >= DRAW_ATOMIC)
        a.bytes = rand() % 2 ? 4 : 8;
    for (unsigned lane = 0; lane < LANES; lane++) {
        const uint64_t at = strided ? lane * stride : (uint64_t)rand() % range;
        a.address[lane] = at * a.bytes;
    }
    if (a.space == DRAW_GLOBAL && rand() % 2)
        for (unsigned lane = 0; lane < LANES; lane++)
            a.address[lane] += UINT64_C(0x7f1200000000);
    return a;
}

static void ck_sectors_drawn(const struct draw_access *a)
{
    struct draw_sectors s;
    struct draw_cost cost = draw_cost(a);
    unsigned wanted = 0;
    draw_layout_sectors(a, &s);
    for (unsigned i = 0; i < s.count; i++)
        wanted += (unsigned)__builtin_popcount(s.sector[i].wanted);
    ck_assert_uint_eq(wanted, cost.wanted_bytes);
    ck_assert_uint_eq(access_global_sectors(a->address, a->mask, a->bytes), s.count);
    if (a->op == DRAW_LOAD || a->op == DRAW_STORE)
        ck_assert_uint_eq(cost.count, s.count);
    text_of(a, plain);
    ck_assert_uint_eq(times_in(drawn, "|") + times_in(drawn, "["), s.count + (s.count + 7) / 8);
    ck_assert_uint_eq(times_in(svg_of(a, "a < b"), "<title>sector "), s.count);
}

static void ck_passes_drawn(const struct draw_access *a)
{
    struct draw_passes p;
    struct draw_cost cost = draw_cost(a);
    draw_layout_passes(a, &p);
    ck_assert_uint_eq(cost.count, a->op == DRAW_CAS ? 2 * p.count : p.count);
    for (unsigned lane = 0; lane < LANES; lane++)
        ck_assert_int_eq(p.pass[lane] != DRAW_NOBODY, a->mask >> lane & 1u);
    ck_assert_uint_eq(times_in(svg_of(a, NULL), ">pass "), p.count);
}

START_TEST(drawn_is_counted)
{
    srand(20261122);
    for (int round = 0; round < ROUNDS; round++) {
        struct draw_access a = random_access();
        const struct draw_style loud = {.color = false, .utf8 = round % 2};
        if (a.space == DRAW_GLOBAL)
            ck_sectors_drawn(&a);
        else
            ck_passes_drawn(&a);
        ck_assert_uint_le(longest_line(text_of(&a, loud)), COLUMNS);
    }
}
END_TEST

START_TEST(legends_and_titles)
{
    struct draw_access a = draw_strided(DRAW_GLOBAL, 0, 4, 4);
    for (int utf8 = 0; utf8 < 2; utf8++) {
        FILE *f = fmemopen(drawn, sizeof drawn, "w");
        draw_legend(f, DRAW_GLOBAL, (struct draw_style){.utf8 = utf8});
        draw_legend(f, DRAW_SHARED, (struct draw_style){.utf8 = utf8});
        draw_legend_part(f, (struct draw_style){.utf8 = utf8});
        fclose(f);
        ck_assert_uint_le(longest_line(drawn), COLUMNS);
        /* A picture of bytes, a float apart: its mark is the legend's. */
        const char *const part = utf8 ? "▒" : "+";
        ck_assert_ptr_nonnull(strstr(drawn, part));
        struct draw_access bytes = draw_strided(DRAW_GLOBAL, 0, 4, 1);
        f = fmemopen(drawn, sizeof drawn, "w");
        draw_text(f, &bytes, (struct draw_style){.utf8 = utf8});
        fclose(f);
        ck_assert_ptr_nonnull(strstr(drawn, part));
    }
    ck_assert_ptr_nonnull(strstr(svg_of(&a, "a < b & c"), "a &lt; b &amp; c</text>"));
    ck_assert_uint_eq(times_in(svg_of(&a, NULL), "<path d=\"M"), 4 + LANES);
    ck_assert_uint_eq(times_in(svg_of(&a, NULL), ">sector</text>"), 1); /* what the row is */
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("draw");
    tcase_add_test(tests, an_offset_of_one);
    tcase_add_test(tests, three_doubles_apart);
    tcase_add_test(tests, what_lies_apart_keeps_its_numbers);
    tcase_add_test(tests, bytes_are_parts_of_words);
    tcase_add_test(tests, a_column_of_an_unpadded_tile);
    tcase_add_test(tests, one_word_for_all);
    tcase_add_test(tests, nobody);
    tcase_add_test(tests, lists_of_lanes);
    tcase_add_test(tests, drawn_is_counted);
    tcase_add_test(tests, legends_and_titles);
    return run_suite("draw", tests);
}
