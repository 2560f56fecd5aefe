/* wrapped.c - see wrapped.h. */
#include "report/wrapped.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80 };

void wrapped_print(int indent, const char *mark, const char *text)
{
    int column = indent + (int)strlen(mark);
    printf("%*s%s", indent, "", mark);
    for (const char *between = ""; *text != '\0'; between = " ") {
        int word = (int)strcspn(text, " ");
        if (column + (int)strlen(between) + word > WIDTH) {
            column = indent + 3;
            printf("\n%*s", column, "");
            between = "";
        }
        column += printf("%s", between) + word;
        wrapped_plain(text, word);
        text += word + (int)strspn(text + word, " ");
    }
    printf("\n");
}

void wrapped_plain(const char *text, int most)
{
    for (int at = 0; text[at] != '\0';) {
        uint32_t character;
        const unsigned length = utf8_decode(text + at, &character);
        const bool hidden = length == 0 || (text[at] != '\t' && utf8_is_hidden(character));
        if (at + (length > 0 ? (int)length : 1) > most) {
            return;
        }
        printf("%.*s", hidden ? 1 : (int)length, hidden ? "?" : text + at);
        at += length > 0 ? (int)length : 1;
    }
}
