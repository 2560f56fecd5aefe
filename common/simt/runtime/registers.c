/* registers.c - see registers.h. */
#include "runtime/registers.h"
#include "runtime/registers_kept.h"
#include "base/names.h"
#include "base/room.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- one entry of a module -------------------------------------------------------------------- */

static const char entry_word[] = ".entry";

/* Behind the comment that begins at `at`, or `at` itself. */
static const char *skip_comment(const char *at, const char *end)
{
    if (end - at < 2 || at[0] != '/' || (at[1] != '/' && at[1] != '*')) {
        return at;
    }
    const char *close = at[1] == '/' ? "\n" : "*/";
    const char *found = memmem(at + 2, (size_t)(end - at) - 2, close, strlen(close));
    return found != NULL ? found + strlen(close) : end;
}

/* Behind the entry's body, or behind the semicolon of one that has none. */
static const char *end_of_entry(const char *at, const char *end)
{
    unsigned depth = 0;
    while (at < end) {
        const char *behind = skip_comment(at, end);
        if (behind != at) {
            at = behind;
            continue;
        }
        depth += *at == '{';
        depth -= *at == '}' && depth > 0;
        at++;
        if (depth == 0 && (at[-1] == '}' || at[-1] == ';')) {
            return at;
        }
    }
    return end;
}

static bool is_named(const char *at, const char *end, const char *name)
{
    const size_t length = strlen(name);
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    return (size_t)(end - at) > length && memcmp(at, name, length) == 0 &&
           strchr(" \t(\n", at[length]) != NULL;
}

static const char *line_of(const char *at, const char *text)
{
    while (at > text && at[-1] != '\n') {
        at--;
    }
    return at;
}

char *registers_cut(const char *text, size_t length, const char *kernel, size_t *cut_length)
{
    const char *end = text + length, *copied = text;
    char *cut = room_raw(length + 1, 1);
    size_t size = 0;
    bool found = false;
    for (const char *at = text; at < end;) {
        const char *behind = skip_comment(at, end);
        const size_t word = sizeof entry_word - 1;
        if (behind != at) {
            at = behind;
        } else if ((size_t)(end - at) <= word || memcmp(at, entry_word, word) != 0) {
            at++;
        } else {
            const char *close = end_of_entry(at, end);
            const bool own = is_named(at + word, end, kernel);
            const char *upto = own ? close : line_of(at, copied);
            memcpy(cut + size, copied, (size_t)(upto - copied));
            size += (size_t)(upto - copied);
            copied = at = close;
            found |= own;
        }
    }
    if (!found) {
        free(cut);
        return NULL;
    }
    memcpy(cut + size, copied, (size_t)(end - copied));
    *cut_length = size + (size_t)(end - copied);
    return cut;
}

/* --- asking ----------------------------------------------------------------------------------- */

static unsigned ask_file(const char *path, unsigned arch)
{
    char command[128], line[512];
    unsigned registers = 0;
    snprintf(command, sizeof command, "ptxas -arch=sm_%u -v -o /dev/null %s 2>&1", arch, path);
    FILE *answer = popen(command, "r");
    while (answer != NULL && fgets(line, sizeof line, answer) != NULL) {
        const char *used = strstr(line, ": Used ");
        if (used != NULL && registers == 0) {
            registers = (unsigned)strtoul(used + 7, NULL, 10);
        }
    }
    if (answer != NULL) {
        pclose(answer);
    }
    return registers;
}

static unsigned ask(const char *text, size_t length, unsigned arch)
{
    char path[] = "/tmp/simt-ptx-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0) {
        return 0;
    }
    FILE *out = fdopen(file, "w");
    bool good = out != NULL && fwrite(text, 1, length, out) == length;
    good = out != NULL && fclose(out) == 0 && good;
    const unsigned registers = good ? ask_file(path, arch) : 0;
    unlink(path);
    return registers;
}

unsigned registers_of(const char *text, size_t length, const char *kernel, unsigned arch)
{
    size_t cut_length = 0;
    char *cut = registers_cut(text, length, kernel, &cut_length);
    if (cut == NULL) {
        return 0;
    }
    const uint64_t hash = names_hash(cut, cut_length);
    unsigned registers = registers_kept(hash, arch);
    if (registers == 0) {
        registers = ask(cut, cut_length, arch);
        if (registers > 0) {
            registers_keep(hash, arch, registers, kernel);
        }
    }
    free(cut);
    return registers;
}
