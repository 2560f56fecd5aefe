/* words.h - words and blanks of C text, for the files that read the learner's source. */
#ifndef SIMT_WORDS_H
#define SIMT_WORDS_H

#include "base/base.h"

/* Can it stand within a name? */
bool word_has(char c);
/* Of the word that begins there; 0: none does. */
size_t word_length(const char *c);
/* Where the word that ends at `end` begins; `end` itself where none does, and not before `text`. */
const char *word_begin(const char *text, const char *end);
/* `word` as a whole word in the text; NULL: it is not there. */
const char *word_find(const char *text, const char *word);
/* Behind blanks and ends of lines. */
const char *words_skip_blanks(const char *c);

#endif
