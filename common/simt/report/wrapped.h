/* wrapped.h - text of a report in the columns of a terminal. */
#ifndef SIMT_WRAPPED_H
#define SIMT_WRAPPED_H

/* The text on stdout from column `indent` on, behind `mark`, broken between words at 80 columns. */
void wrapped_print(int indent, const char *mark, const char *text);

#endif
