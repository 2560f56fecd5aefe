/* declared_files.c - the files in which a kernel's types may stand: those that its code comes from,
 * and what they include; see declared.h. */
#include "report/declared.h"

#include "report/source.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FILES = 48, MOST_NAME = 256 };

struct file_list {
    struct arena *arena;
    const char **files;
    unsigned count;
};

static void add_file(struct file_list *l, const char *name)
{
    bool known = name == NULL || l->count == MOST_FILES;
    for (unsigned i = 0; i < l->count && !known; i++) {
        known = strcmp(l->files[i], name) == 0;
    }
    if (!known) {
        l->files[l->count++] = arena_strndup(l->arena, name, strlen(name));
    }
}

/* `header` from the folder of `file`, or from one above it. */
static void add_header(struct file_list *l, const char *file, const char *header)
{
    char folder[MOST_NAME], path[2 * MOST_NAME];
    snprintf(folder, sizeof folder, "%s", file);
    for (char *end = strrchr(folder, '/'); end != NULL; end = strrchr(folder, '/')) {
        *end = '\0';
        snprintf(path, sizeof path, "%s/%s", folder, header);
        if (source_line_count(path) > 0) {
            add_file(l, path);
            return;
        }
    }
    if (source_line_count(header) > 0) {
        add_file(l, header);
    }
}

struct declared_in declared_files(struct arena *arena, const char *const *files, unsigned count,
                                  const char *kernel)
{
    char header[MOST_NAME];
    struct file_list l = {arena, arena_alloc(arena, MOST_FILES * sizeof *l.files), 0};
    for (unsigned i = 0; i < count; i++) {
        add_file(&l, files[i]);
    }
    for (unsigned i = 0; i < l.count; i++) { /* grows on the way: headers include others */
        for (unsigned n = 1; n <= source_line_count(l.files[i]); n++) {
            if (sscanf(source_line(l.files[i], n), " # include \"%255[^\"]\"", header) == 1) {
                add_header(&l, l.files[i], header);
            }
        }
    }
    return (struct declared_in){l.files, l.count, kernel};
}
