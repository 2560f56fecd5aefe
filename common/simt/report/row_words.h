/* row_words.h - what a report says of a launch's accesses that stands in their source alone: the
 * array's name, and whether the compiler has moved them. For report_lines.c.
 *
 * It takes a look at the source for each access, 45 microseconds a launch. Most launches make the
 * accesses of an earlier one, whose words are kept. */
#ifndef SIMT_ROW_WORDS_H
#define SIMT_ROW_WORDS_H

#include "watch/accesses.h"

struct row_words {
    char array[80];
    bool moved;
};

/* One for each of the rows; valid until the next call. */
const struct row_words *row_words_of(const struct access_row *rows, unsigned count,
                                     const char *kernel);

#endif
