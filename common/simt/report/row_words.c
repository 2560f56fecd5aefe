/* row_words.c - see row_words.h. Called with report.c's lock held. */
#include "report/row_words.h"

#include "base/room.h"
#include "report/array_name.h"
#include "report/moved.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 64 }; /* kernels, as a rule */

static struct known {
    char *key; /* NULL: none yet */
    size_t key_bytes;
    struct row_words *words;
} known[KEPT];
static unsigned next; /* to be replaced */

/* All that the words are made of, but the source's text. */
static char *key_of(const struct access_row *rows, unsigned count, const char *kernel,
                    size_t *bytes)
{
    size_t room = strlen(kernel) + 1;
    for (unsigned i = 0; i < count; i++) {
        room += 2 * sizeof(int) + strlen(rows[i].array) + 1;
        room += rows[i].file != NULL ? strlen(rows[i].file) + 1 : 1;
    }
    char *key = room_raw(room, 1), *at = stpcpy(key, kernel) + 1;
    for (unsigned i = 0; i < count; i++) {
        const int place[2] = {(int)rows[i].line, rows[i].parameter};
        at = (char *)memcpy(at, place, sizeof place) + sizeof place;
        at = stpcpy(at, rows[i].array) + 1;
        at = stpcpy(at, rows[i].file != NULL ? rows[i].file : "") + 1;
    }
    *bytes = room;
    return key;
}

static struct row_words *find_words(const struct access_row *rows, unsigned count,
                                    const char *kernel)
{
    struct row_words *words = room_new(count + 1u, sizeof *words);
    for (unsigned i = 0; i < count; i++) {
        words[i].moved = moved_by_compiler(rows, count, i, kernel);
        array_name_of(rows, count, i, kernel, words[i].array, sizeof words[i].array);
    }
    return words;
}

const struct row_words *row_words_of(const struct access_row *rows, unsigned count,
                                     const char *kernel)
{
    size_t bytes;
    char *key = key_of(rows, count, kernel, &bytes);
    for (unsigned i = 0; i < KEPT; i++) {
        const struct known *k = &known[i];
        if (k->key != NULL && k->key_bytes == bytes && memcmp(k->key, key, bytes) == 0) {
            free(key);
            return k->words;
        }
    }
    struct known *k = &known[next++ % KEPT];
    free(k->key);
    free(k->words);
    *k = (struct known){key, bytes, find_words(rows, count, kernel)};
    return k->words;
}
