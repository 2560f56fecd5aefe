/* own_file.c - see own_file.h. */
#include "report/own_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool may_replace(FILE *f, const char *mark)
{
    char first[64] = "";
    size_t length = fread(first, 1, strlen(mark), f);
    return length == 0 || (length == strlen(mark) && memcmp(first, mark, length) == 0);
}

bool own_file_may_be_written(const char *path, const char *mark, const char *kind, struct err *e)
{
    FILE *f = fopen(path, "a+");
    if (f == NULL) {
        return err_set(e, "SIMT_REPORT=%.300s: cannot write there: %s", path, strerror(errno));
    }
    rewind(f);
    const bool may = may_replace(f, mark);
    fclose(f);
    return may || err_set(e,
                          "SIMT_REPORT=%.300s: that file holds something else than a %s: name a "
                          "new one",
                          path, kind);
}
