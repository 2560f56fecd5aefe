/* utf8.h - text from outside (sources, paths, names), character by character, for the reports that
 * show it. */
#ifndef SIMT_UTF8_H
#define SIMT_UTF8_H

#include <stdbool.h>
#include <stdint.h>

/* How many bytes the character has that begins here, and which it is; 0: it is not UTF-8. */
unsigned utf8_decode(const char *text, uint32_t *character);

/* It has no look of its own: it ends a line, moves the cursor, changes the direction of what
 * follows, or hides. */
bool utf8_is_hidden(uint32_t character);

#endif
