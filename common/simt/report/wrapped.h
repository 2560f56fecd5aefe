/* wrapped.h - text of a report in the columns of a terminal. */
#ifndef SIMT_WRAPPED_H
#define SIMT_WRAPPED_H

/* The text on stdout from column `indent` on, behind `mark`, broken between words at 80 columns. */
void wrapped_print(int indent, const char *mark, const char *text);

/* Text from elsewhere on stdout, at most `most` bytes of it: what would move the cursor, hide, or
 * turn the direction of writing is a `?`; a tab stays. */
void wrapped_plain(const char *text, int most);

#endif
