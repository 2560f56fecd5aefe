/* test_room.c - memory of the simulator itself: what grows keeps what it held, and without memory
 * the program ends with one line and exit code 2. Maps from numbers and from names. */
#include "base/map.h"
#include "base/names.h"
#include "base/room.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"

START_TEST(elements_survive_growth)
{
    unsigned *items = NULL, count = 0, room = 0;
    for (unsigned i = 0; i < 100; i++) {
        ROOM_FOR_ONE(items, count, room, 3);
        ck_assert_uint_lt(count, room);
        items[count++] = i;
    }
    ck_assert_uint_eq(room, 192); /* 3, doubled */
    for (unsigned i = 0; i < 100; i++) {
        ck_assert_uint_eq(items[i], i);
    }
    items = room_resized(items, 0, sizeof *items); /* nothing is something, too */
    ck_assert_ptr_nonnull(items);
    free(items);
}
END_TEST

START_TEST(cleared_room_is_zero_each_time)
{
    unsigned room = 0;
    unsigned char *items = room_cleared(NULL, &room, 10, 1);
    memset(items, 7, 10);
    unsigned char *same = room_cleared(items, &room, 5, 1);
    ck_assert_ptr_eq(same, items);
    ck_assert_uint_eq(same[4], 0);
    ck_assert_uint_eq(same[5], 7); /* nobody asked for more */
    items = room_cleared(same, &room, 20, 1);
    ck_assert_uint_eq(room, 20);
    ck_assert_uint_eq(items[19], 0);
    free(items);
}
END_TEST

START_TEST(extended_room_keeps_what_it_held)
{
    unsigned room = 0;
    uint64_t *items = room_extended(NULL, &room, 8, sizeof *items);
    items[7] = 42;
    items = room_extended(items, &room, 64, sizeof *items);
    ck_assert_uint_eq(items[7], 42);
    ck_assert_uint_eq(items[63], 0);
    ck_assert_uint_eq((uintptr_t)items % 64, 0);
    free(items);
}
END_TEST

static void ask_for(size_t count, size_t size) { free(room_new(count, size)); }

/* The stream's last bytes cannot be kept, as where a stream into memory cannot grow. */
static void end_full_stream(size_t bytes, size_t unused)
{
    FILE *full = fopen("/dev/full", "w");
    (void)unused;
    for (size_t i = 0; i < bytes; i++) {
        fputc('a', full);
    }
    room_stream_end(full);
}

/* The exit code of a process that calls this, and what it says. */
static int status_of(void (*call)(size_t, size_t), size_t count, size_t size, char *said,
                     size_t room)
{
    int end[2], status;
    ck_assert_int_eq(pipe(end), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(end[1], STDERR_FILENO);
        call(count, size);
        _exit(0);
    }
    close(end[1]);
    size_t length = 0;
    for (ssize_t more; (more = read(end[0], said + length, room - 1 - length)) > 0;) {
        length += (size_t)more;
    }
    said[length] = '\0';
    close(end[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(without_memory_the_program_ends_with_one_line)
{
    char said[1000];
    ck_assert_int_eq(status_of(ask_for, SIZE_MAX / 2, 1, said, sizeof said), 2);
    const char *line = strstr(said, "simt:"); /* behind what a sanitizer says of such a number */
    ck_assert_str_eq(line != NULL ? line : said, "simt: out of memory: cannot get 9223372036854775807 bytes\n");
    ck_assert_int_eq(status_of(ask_for, SIZE_MAX / 2, 3, said, sizeof said), 2); /* the product wraps */
    ck_assert_int_eq(status_of(ask_for, 0, 8, said, sizeof said), 0);
}
END_TEST

START_TEST(a_stream_keeps_all_or_ends_the_program)
{
    char said[1000], *text = NULL;
    size_t length = 0;
    FILE *stream = room_stream(&text, &length);
    for (int i = 0; i < 1000; i++) {
        fprintf(stream, "%03d ", i);
    }
    room_stream_end(stream);
    ck_assert_uint_eq(length, 4000);
    ck_assert_str_eq(text + 3996, "999 ");
    free(text);
    ck_assert_int_eq(status_of(end_full_stream, 1, 0, said, sizeof said), 2);
    ck_assert_str_eq(said, "simt: out of memory: cannot get 1 bytes\n");
    ck_assert_int_eq(status_of(end_full_stream, 0, 0, said, sizeof said), 0);
}
END_TEST

START_TEST(a_map_finds_what_was_put_into_it)
{
    struct map m = {0};
    ck_assert_uint_eq(map_find(&m, 0), 0); /* empty: it has no slots yet */
    for (uint64_t i = 0; i < 1000; i++) {
        map_put(&m, i * 4096, i + 1);
    }
    ck_assert_uint_eq(m.count, 1000);
    for (uint64_t i = 0; i < 1000; i++) {
        ck_assert_uint_eq(map_find(&m, i * 4096), i + 1);
    }
    ck_assert_uint_eq(map_find(&m, 1), 0);
    map_put(&m, 4096, 77); /* the same key: another value */
    ck_assert_uint_eq(map_find(&m, 4096), 77);
    ck_assert_uint_eq(m.count, 1000);
    map_clear(&m);
    ck_assert_uint_eq(map_find(&m, 4096), 0);
    ck_assert_uint_eq(m.count, 0);
    map_free(&m);
}
END_TEST

START_TEST(names_are_told_apart)
{
    struct arena arena = {0};
    struct names n = {.arena = &arena};
    char text[500][8];
    unsigned value = 9;
    ck_assert(!names_find(&n, "", &value));
    for (unsigned i = 0; i < 500; i++) {
        snprintf(text[i], sizeof text[i], "%%r%u", i);
        names_add(&n, text[i], i);
    }
    for (unsigned i = 0; i < 500; i++) {
        ck_assert(names_find(&n, text[i], &value));
        ck_assert_uint_eq(value, i);
    }
    ck_assert(!names_find(&n, "%r", &value));
    names_add(&n, "%r7", 1); /* the last value counts */
    ck_assert(names_find(&n, text[7], &value));
    ck_assert_uint_eq(value, 1);
    arena_free(&arena);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("room");
    tcase_add_test(tests, elements_survive_growth);
    tcase_add_test(tests, cleared_room_is_zero_each_time);
    tcase_add_test(tests, extended_room_keeps_what_it_held);
    tcase_add_test(tests, without_memory_the_program_ends_with_one_line);
    tcase_add_test(tests, a_stream_keeps_all_or_ends_the_program);
    tcase_add_test(tests, a_map_finds_what_was_put_into_it);
    tcase_add_test(tests, names_are_told_apart);
    return run_suite("room", tests);
}
