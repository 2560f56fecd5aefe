/* words.c - see words.h. */
#include "report/words.h"

#include <ctype.h>
#include <string.h>

bool word_has(char c) { return isalnum((unsigned char)c) || c == '_'; }

size_t word_length(const char *c)
{
    size_t length = 0;
    while (word_has(c[length])) {
        length++;
    }
    return length;
}

const char *word_begin(const char *text, const char *end)
{
    while (end > text && word_has(end[-1])) {
        end--;
    }
    return end;
}

const char *word_find(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *c = text; (c = strstr(c, word)) != NULL; c += length) {
        if ((c == text || !word_has(c[-1])) && !word_has(c[length])) {
            return c;
        }
    }
    return NULL;
}

const char *words_skip_blanks(const char *c) { return c + strspn(c, " \t\r\n"); }
