/* env.c - see env.h. */
#include "base/env.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool env_number(const char *name, uint64_t lowest, uint64_t highest, uint64_t *value, struct err *e)
{
    const char *text = getenv(name);
    if (text == NULL || text[0] == '\0') {
        return true;
    }
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    bool digits = strspn(text, "0123456789") == strlen(text); /* strtoull would take "-1" */
    if (!digits || errno != 0 || *end != '\0' || number < lowest || number > highest) {
        return err_set(e, "%s=%.80s: a whole number from %" PRIu64 " to %" PRIu64 " is needed",
                       name, text, lowest, highest);
    }
    *value = number;
    return true;
}
