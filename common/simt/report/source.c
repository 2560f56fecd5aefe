/* source.c - see source.h. */
#include "report/source.h"
#include "report/words.h"
#include "base/room.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct source {
    char *file;
    char *text; /* lines end with '\0' in `lines`, with '\n' here */
    char **lines;
    unsigned line_count;
    struct source *next;
};

static struct source *sources;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { MOST_BYTES = 16 << 20 }; /* a source beyond that is none */

static char *read_whole(const char *file)
{
    FILE *f = fopen(file, "r");
    char *text = NULL;
    if (f == NULL) {
        return NULL;
    }
    if (fseek(f, 0, SEEK_END) == 0) {
        long bytes = ftell(f);
        text = bytes >= 0 && bytes < MOST_BYTES ? room_raw((size_t)bytes + 1, 1) : NULL;
        if (text != NULL) {
            rewind(f);
            text[fread(text, 1, (size_t)bytes, f)] = '\0';
        }
    }
    fclose(f);
    return text;
}

static void split_lines(struct source *s)
{
    unsigned count = 1;
    for (const char *c = s->text; *c != '\0'; c++) {
        count += *c == '\n';
    }
    s->lines = room_new(count, sizeof *s->lines);
    char *copy = room_text(s->text);
    for (char *line = copy; line != NULL && s->line_count < count;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end++ = '\0';
        }
        line[strcspn(line, "\r")] = '\0';
        s->lines[s->line_count++] = line;
        line = end;
    }
}

static const struct source *source_of(const char *file)
{
    if (file == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&lock);
    struct source **at = &sources;
    while (*at != NULL && strcmp((*at)->file, file) != 0) {
        at = &(*at)->next;
    }
    struct source *s = *at;
    if (s != NULL) {
        *at = s->next; /* to the front: it is asked for line by line */
    } else {
        s = room_new(1, sizeof *s);
        s->file = room_text(file);
        s->text = read_whole(file);
        if (s->text != NULL) {
            split_lines(s);
        }
    }
    s->next = sources;
    sources = s;
    pthread_mutex_unlock(&lock);
    return s != NULL && s->text != NULL ? s : NULL;
}

const char *source_line(const char *file, unsigned number)
{
    const struct source *s = source_of(file);
    return s != NULL && number >= 1 && number <= s->line_count ? s->lines[number - 1] : "";
}

unsigned source_line_count(const char *file)
{
    const struct source *s = source_of(file);
    return s != NULL ? s->line_count : 0;
}

/* --- parameters ------------------------------------------------------------------------------- */

/* "ns::reduce<float, 256>" -> "reduce" */
static void base_name(const char *kernel, char *text, size_t size)
{
    const char *end = kernel + strcspn(kernel, "<(");
    const char *begin = word_begin(kernel, end);
    snprintf(text, size, "%.*s", (int)(end - begin), begin);
}

/* The '(' behind a definition or declaration `__global__ ... name(`, or NULL. */
static const char *find_definition(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, "__global__")) != NULL;) {
        at += strlen("__global__");
        const char *end = at + strcspn(at, ";{"); /* the head of this function */
        for (const char *c = at; c + length < end; c++) {
            bool whole = !word_has(c[-1]) && strncmp(c, name, length) == 0 && !word_has(c[length]);
            const char *behind = words_skip_blanks(c + length);
            if (whole && *behind == '(') {
                return behind;
            }
        }
    }
    return NULL;
}

/* The last word of [begin, end) that no '=' or '[' stands before: the parameter's name. */
static void last_word(const char *begin, const char *end, char *text, size_t size)
{
    const char *stop = begin;
    while (stop < end && *stop != '=' && *stop != '[') {
        stop++;
    }
    while (stop > begin && !word_has(stop[-1])) {
        stop--;
    }
    const char *word = word_begin(begin, stop);
    snprintf(text, size, "%.*s", (int)(stop - word), word);
}

/* Item `index` of a list between brackets, the first of which c points to; false: there is none. */
static bool list_item(const char *c, unsigned index, const char **begin, const char **end)
{
    int depth = 0;
    *begin = c + 1;
    for (; *c != '\0'; c++) {
        bool closes = *c == ')' || *c == '>' || *c == ']' || *c == '}';
        depth += *c == '(' || *c == '<' || *c == '[' || *c == '{';
        depth -= closes;
        bool ends = depth == 0 && closes;
        if (ends || (depth == 1 && *c == ',')) {
            if (index == 0) {
                *end = c;
                return true;
            }
            index--;
            *begin = c + 1;
        }
        if (ends) {
            return false;
        }
    }
    return false;
}

/* As for list_item(), of the kernel's parameters. */
static bool find_parameter(const char *file, const char *kernel, unsigned index, const char **begin,
                           const char **end)
{
    char name[128];
    const struct source *s = source_of(file);
    base_name(kernel, name, sizeof name);
    const char *c = s != NULL && name[0] != '\0' ? find_definition(s->text, name) : NULL;
    return c != NULL && list_item(c, index, begin, end);
}

bool source_parameter(const char *file, const char *kernel, unsigned index, char *text, size_t size)
{
    const char *begin, *end;
    if (!find_parameter(file, kernel, index, &begin, &end)) {
        return false;
    }
    last_word(begin, end, text, size);
    return text[0] != '\0';
}

/* Without blanks at its ends, and lines' ends as blanks. */
static void copy_item(const char *begin, const char *end, char *text, size_t size)
{
    while (begin < end && isspace((unsigned char)*begin)) {
        begin++;
    }
    while (end > begin && isspace((unsigned char)end[-1])) {
        end--;
    }
    snprintf(text, size, "%.*s", (int)(end - begin), begin);
    for (char *c = text; *c != '\0'; c++) {
        *c = isspace((unsigned char)*c) ? ' ' : *c;
    }
}

bool source_parameter_text(const char *file, const char *kernel, unsigned index, char *text,
                           size_t size)
{
    const char *begin, *end;
    if (!find_parameter(file, kernel, index, &begin, &end)) {
        return false;
    }
    copy_item(begin, end, text, size);
    return text[0] != '\0';
}

/* The '<' of the `template <...>` right before the definition's head; NULL: it is no template. */
static const char *template_list(const struct source *s, const char *definition)
{
    const char *found = NULL;
    for (const char *c = s->text; (c = strstr(c, "template")) != NULL && c < definition; c += 8) {
        const char *list = c + 8 + strspn(c + 8, " \t");
        const char *head = strstr(list, "__global__");
        const size_t before = strcspn(list, ";{");
        found = *list == '<' && head != NULL && head < definition && list + before > definition
                    ? list
                    : NULL;
    }
    return found;
}

bool source_template_argument(const char *file, const char *kernel, const char *name, char *text,
                              size_t size)
{
    char base[128], word[64];
    const char *begin, *end;
    const struct source *s = source_of(file);
    base_name(kernel, base, sizeof base);
    const char *arguments = strchr(kernel, '<');
    const char *c = s != NULL && base[0] != '\0' ? find_definition(s->text, base) : NULL;
    const char *list = c != NULL && arguments != NULL ? template_list(s, c) : NULL;
    for (unsigned i = 0; list != NULL && list_item(list, i, &begin, &end); i++) {
        last_word(begin, end, word, sizeof word);
        if (strcmp(word, name) == 0) {
            if (!list_item(arguments, i, &begin, &end)) {
                return false;
            }
            copy_item(begin, end, text, size);
            return true;
        }
    }
    return false;
}

static unsigned line_at(const char *text, const char *at)
{
    unsigned line = 1;
    for (const char *c = text; c < at; c++) {
        line += *c == '\n';
    }
    return line;
}

bool source_is_in_kernel(const char *file, unsigned line, const char *kernel)
{
    char name[128];
    const struct source *s = source_of(file);
    base_name(kernel, name, sizeof name);
    const char *head = s != NULL && name[0] != '\0' ? find_definition(s->text, name) : NULL;
    const char *c = head != NULL ? strchr(head, '{') : NULL;
    int depth = 0;
    if (c == NULL || line < line_at(s->text, head)) {
        return false;
    }
    for (; *c != '\0'; c++) {
        depth += *c == '{';
        depth -= *c == '}';
        if (depth == 0) {
            break;
        }
    }
    return line <= line_at(s->text, c);
}
