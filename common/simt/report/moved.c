/* moved.c - see moved.h. */
#include "report/moved.h"

#include "report/array_name.h"
#include "report/source.h"
#include "report/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What a look at one line needs: the array that is sought, and the others of the kernel. */
struct look {
    const struct access_row *rows;
    unsigned count;
    const char *kernel, *file;
    const char *array;
};

static bool is_one_of(const char *const *words, const char *word)
{
    while (*words != NULL && strcmp(*words, word) != 0) {
        words++;
    }
    return *words != NULL;
}

/* Words before a bracket that are no function, and variables whose members are no memory. */
static const char *const plain_words[] = {"if",       "for",     "while",     "switch",
                                          "return",   "sizeof",  "threadIdx", "blockIdx",
                                          "blockDim", "gridDim", NULL};

static bool is_other_array(const struct look *l, const char *word)
{
    char name[80];
    for (unsigned i = 0; i < l->count; i++) {
        array_name_of(l->rows, l->count, i, l->kernel, name, sizeof name);
        if (strcmp(name, word) == 0) {
            return strcmp(word, l->array) != 0;
        }
    }
    return false;
}

/* "&word" stands somewhere in the file, or "#define word" with a subscript: it may be a reference,
 * be reached by a pointer, or stand for an access. */
static bool may_stand_for_another(const struct look *l, const char *word)
{
    for (unsigned n = 1; n <= source_line_count(l->file); n++) {
        const char *text = source_line(l->file, n), *define = strstr(text, "#define ");
        for (const char *at = text; (at = word_find(at, word)) != NULL; at += strlen(word)) {
            const char *before = at;
            while (before > text && before[-1] == ' ') {
                before--;
            }
            const bool is_defined = define != NULL && at == define + 8 && strchr(at, '[') != NULL;
            const bool both = before > text + 1 && before[-2] == '&'; /* && */
            if (is_defined || (before > text && before[-1] == '&' && !both)) {
                return true;
            }
        }
    }
    return false;
}

/* Can this word, with what stands behind it, reach memory that is not another array? */
static bool may_reach(const struct look *l, const char *word, const char *behind)
{
    behind = words_skip_blanks(behind);
    if (strcmp(word, l->array) == 0) {
        return true;
    }
    if (is_one_of(plain_words, word) || is_other_array(l, word)) {
        return false;
    }
    const bool calls = *behind == '(' || (*behind == '<' && strstr(behind, ">(") != NULL);
    const bool member = *behind == '.' || *behind == '[';
    const bool pointer = behind[0] == '-' && behind[1] == '>';
    return calls || member || pointer || may_stand_for_another(l, word);
}

static bool line_may_reach(const struct look *l, const char *text)
{
    char word[128], before = '\0', quote = '\0';
    for (const char *c = text; *c != '\0';) {
        if (quote != '\0') {
            quote = *c == quote ? '\0' : quote;
            c++;
        } else if (c[0] == '/' && (c[1] == '/' || c[1] == '*')) {
            return c[1] == '*'; /* a comment may go on in the next line: in doubt */
        } else if (isalpha((unsigned char)*c) || *c == '_') {
            const size_t length = word_length(c);
            snprintf(word, sizeof word, "%.*s", (int)length, c);
            if (may_reach(l, word, c + length)) {
                return true;
            }
            before = 'a';
            c += length;
        } else {
            /* '*' between two values multiplies: elsewhere it asks for memory */
            if (*c == '*' && !word_has(before) && before != ')' && before != ']') {
                return true;
            }
            quote = *c == '"' || *c == '\'' ? *c : '\0';
            before = isspace((unsigned char)*c) ? before : *c;
            c++;
        }
    }
    return false;
}

bool moved_by_compiler(const struct access_row *rows, unsigned count, unsigned index,
                       const char *kernel)
{
    const struct access_row *row = &rows[index];
    char array[80];
    if (row->line == 0) {
        return true;
    }
    const char *text = source_line(row->file, row->line);
    array_name_of(rows, count, index, kernel, array, sizeof array);
    const struct look l = {rows, count, kernel, row->file, array};
    return row->parameter >= 0 && source_is_in_kernel(row->file, row->line, kernel) &&
           !line_may_reach(&l, text);
}
