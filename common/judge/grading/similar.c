/* similar.c - which submissions of an exercise are alike, whatever names, spaces and the order of
 * statements are.
 *
 * usage: similar <LIST
 *
 * LIST has lines EXERCISE tab WHO tab FILE; who is "(skeleton)" for what everybody was given, which
 * does not count, and "(solution)" for the published one. Prints EXERCISE, WHO, WHO and the share
 * in per cent, behind tabs, of pairs that have at least 80 in common.
 *
 * Fingerprints are chosen by winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms
 * for Document Fingerprinting", SIGMOD 2003) from hashes of GRAM tokens in a row, names being one
 * and the same token; to find statements that changed places, each statement's hash is one, too. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRAM = 8,   /* tokens that a hash is of */
    WINDOW = 4, /* hashes of which the least is kept */
    LEAST = 16, /* fingerprints of one's own: with fewer, everybody's are alike */
    SHARE = 80, /* per cent from which on a pair is told */
    MOST_TOKENS = 20000
};

struct prints { /* sorted, each once */
    uint64_t *hash;
    size_t count;
};
struct submission {
    char *exercise, *who;
    struct prints grams, statements;
};

static void *grown(void *old, size_t bytes)
{
    void *const new = realloc(old, bytes);
    if (new == NULL) {
        fprintf(stderr, "similar: no memory\n");
        exit(2);
    }
    return new;
}

/* --- tokens ----------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < length; i++) {
        hash = mix(hash, (unsigned char)text[i]);
    }
    return hash;
}

/* Words that a language or CUDA gave are tokens of their own; what a programmer named is not. */
static bool given(const char *text, size_t length)
{
    static const char *const words[] = {
        "if",       "else",       "for",        "while",      "do",     "return",    "break",
        "continue", "const",      "int",        "float",      "double", "unsigned",  "char",
        "bool",     "void",       "long",       "short",      "struct", "enum",      "static",
        "switch",   "case",       "sizeof",     "true",       "false",  "threadIdx", "blockIdx",
        "blockDim", "gridDim",    "x",          "y",          "z",      "float4",    "float2",
        "dim3",     "__shared__", "__global__", "__device__", "min",    "max"};
    if (length > 5 && (memcmp(text, "__", 2) == 0 || memcmp(text, "cuda", 4) == 0 ||
                       memcmp(text, "atomic", 6) == 0)) {
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Behind blanks, comments and lines of the preprocessor. */
static const char *skip(const char *at, bool line_begins)
{
    for (;;) {
        if (*at == '\n') {
            line_begins = true;
            at++;
        } else if (isspace((unsigned char)*at)) {
            at++;
        } else if (strncmp(at, "//", 2) == 0 || (*at == '#' && line_begins)) {
            at += strcspn(at, "\n");
        } else if (strncmp(at, "/*", 2) == 0) {
            const char *const end = strstr(at + 2, "*/");
            at = end != NULL ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

static const char *end_of_token(const char *at)
{
    const char *end = at + 1;
    if (isalpha((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)*end) || *end == '_') {
            end++;
        }
    } else if (isdigit((unsigned char)*at)) {
        while (isalnum((unsigned char)*end) || *end == '.') {
            end++;
        }
    } else if (*at == '"' || *at == '\'') {
        while (*end != '\0' && *end != *at && *end != '\n') {
            end += end[0] == '\\' && end[1] != '\0' ? 2 : 1;
        }
        end += *end == *at;
    }
    return end;
}

static size_t tokens_of(const char *text, uint64_t *tokens, bool *ends)
{
    size_t count = 0;
    const char *at = skip(text, true);
    while (*at != '\0' && count < MOST_TOKENS) {
        const char *const end = end_of_token(at);
        const size_t length = (size_t)(end - at);
        const bool word = isalpha((unsigned char)*at) || *at == '_';
        ends[count] = *at == ';' || *at == '{' || *at == '}';
        tokens[count++] = word && !given(at, length) ? 7 : hash_of(at, length);
        at = skip(end, false);
    }
    return count;
}

/* --- fingerprints ----------------------------------------------------------------------------- */

static void add(struct prints *p, uint64_t hash)
{
    if ((p->count & (p->count - 1)) == 0) { /* room for powers of two */
        p->hash = grown(p->hash, (p->count == 0 ? 1 : 2 * p->count) * sizeof *p->hash);
    }
    p->hash[p->count++] = hash;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static void sort(struct prints *p)
{
    size_t kept = 0;
    if (p->count > 0) {
        qsort(p->hash, p->count, sizeof *p->hash, by_value);
    }
    for (size_t i = 0; i < p->count; i++) {
        if (kept == 0 || p->hash[kept - 1] != p->hash[i]) {
            p->hash[kept++] = p->hash[i];
        }
    }
    p->count = kept;
}

/* Of each WINDOW hashes the least, the last of equal ones. */
static void winnow(const uint64_t *tokens, size_t count, struct prints *p)
{
    size_t last = SIZE_MAX;
    for (size_t begin = 0; begin + GRAM + WINDOW - 1 <= count; begin++) {
        size_t least = begin;
        uint64_t least_hash = UINT64_MAX;
        for (size_t i = begin; i < begin + WINDOW; i++) {
            uint64_t hash = 1;
            for (size_t k = 0; k < GRAM; k++) {
                hash = mix(hash, tokens[i + k]);
            }
            if (hash <= least_hash) {
                least = i;
                least_hash = hash;
            }
        }
        if (least != last) {
            add(p, least_hash);
            last = least;
        }
    }
}

/* A statement of a few tokens is everybody's. */
static void take_statements(const uint64_t *tokens, const bool *ends, size_t count,
                            struct prints *p)
{
    uint64_t hash = 1;
    unsigned length = 0;
    for (size_t i = 0; i < count; i++) {
        hash = mix(hash, tokens[i]);
        length++;
        if (ends[i]) {
            if (length >= 6) {
                add(p, hash);
            }
            hash = 1;
            length = 0;
        }
    }
}

static char *whole_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = grown(NULL, 1 << 19);
    size_t length = 0;
    if (file != NULL) {
        length = fread(text, 1, (1 << 19) - 1, file);
        fclose(file);
    }
    text[length] = '\0';
    return text;
}

static void fingerprint(struct submission *s, const char *path)
{
    static uint64_t tokens[MOST_TOKENS];
    static bool ends[MOST_TOKENS];
    char *const text = whole_file(path);
    const size_t count = tokens_of(text, tokens, ends);
    winnow(tokens, count, &s->grams);
    take_statements(tokens, ends, count, &s->statements);
    sort(&s->grams);
    sort(&s->statements);
    free(text);
}

/* --- comparing -------------------------------------------------------------------------------- */

static bool has(const struct prints *p, uint64_t hash)
{
    return p->count > 0 && bsearch(&hash, p->hash, p->count, sizeof hash, by_value) != NULL;
}

static void remove_given(struct prints *p, const struct prints *skeleton)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (!has(skeleton, p->hash[i])) {
            p->hash[kept++] = p->hash[i];
        }
    }
    p->count = kept;
}

/* Per cent of both together that is both's. */
static unsigned share(const struct prints *a, const struct prints *b, unsigned least)
{
    size_t common = 0;
    if (a->count < least || b->count < least) {
        return 0;
    }
    for (size_t i = 0; i < a->count; i++) {
        common += has(b, a->hash[i]);
    }
    return (unsigned)(100 * common / (a->count + b->count - common));
}

static void compare(const struct submission *a, const struct submission *b)
{
    const unsigned grams = share(&a->grams, &b->grams, LEAST);
    const unsigned statements = share(&a->statements, &b->statements, LEAST / 4);
    const unsigned most = grams > statements ? grams : statements;
    if (most >= SHARE && strcmp(a->who, b->who) != 0) {
        printf("%s\t%s\t%s\t%u\n", a->exercise, a->who, b->who, most);
    }
}

int main(void)
{
    static char line[8192];
    struct submission *list = NULL;
    size_t count = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *const exercise = strtok(line, "\t"), *const who = strtok(NULL, "\t");
        char *const path = strtok(NULL, "\n");
        if (path == NULL) {
            fprintf(stderr, "similar: a line is not EXERCISE tab WHO tab FILE\n");
            return 2;
        }
        list = grown(list, (count + 1) * sizeof *list);
        list[count] = (struct submission){.exercise = strdup(exercise), .who = strdup(who)};
        fingerprint(&list[count++], path);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count && strcmp(list[i].who, "(skeleton)") == 0; k++) {
            if (k != i && strcmp(list[i].exercise, list[k].exercise) == 0) {
                remove_given(&list[k].grams, &list[i].grams);
                remove_given(&list[k].statements, &list[i].statements);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            if (strcmp(list[i].exercise, list[k].exercise) == 0) {
                compare(&list[i], &list[k]);
            }
        }
    }
    return 0;
}
