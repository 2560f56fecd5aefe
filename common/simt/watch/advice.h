/* advice.h - how an access could cost less, in one sentence; "" where nothing is.
 *
 * Pure arithmetic on a row of accesses: the distances between the lanes of its worst request tell
 * the cause (a struct, a column, an edge missed, a word that all lanes add to), and each cause has
 * its usual cure. The sentence names numbers that can be counted in the drawing of that request. */
#ifndef SIMT_ADVICE_H
#define SIMT_ADVICE_H

#include "watch/accesses.h"
#include "watch/branches.h"

/* On row `index` of the rows of a launch. array: what the reader calls what is accessed, or "". Cut
 * to size; returns text. */
const char *advice_for(const struct access_row *rows, unsigned count, unsigned index,
                       const char *array, char *text, size_t size);

/* On a loop whose lanes run different numbers of rounds, from its branch back; rows: the accesses
 * of the same launch, as what is said of one of them is not said again. Cut to size; returns text.
 */
const char *advice_for_loop(const struct branch_row *loop, const struct access_row *rows,
                            unsigned count, char *text, size_t size);

#endif
