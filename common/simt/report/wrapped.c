/* wrapped.c - see wrapped.h. */
#include "report/wrapped.h"

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
        column += printf("%s%.*s", between, word, text);
        text += word + (int)strspn(text + word, " ");
    }
    printf("\n");
}
