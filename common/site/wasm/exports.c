/* exports.c - what the page calls, and main(), with which the same engine answers natively.
 *
 * Native: engine NAME=FILE.ptx ... <requests; an empty line ends a request, each answer is a line.
 */
#include "common/site/wasm/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __wasm__

#define EXPORT(name) __attribute__((export_name(#name)))

/* 1 if kernels since the last call asked for roundings that WebAssembly does not have. */
extern int host_rounded_otherwise;

EXPORT(take) void *take(size_t bytes) { return malloc(bytes); }
EXPORT(give) void give(void *at) { free(at); }
EXPORT(module) void module(const char *name, const char *text, size_t length)
{
    engine_module(name, text, length);
}
EXPORT(run) const char *run(const char *request) { return engine_run(request); }
EXPORT(gpus) const char *gpus(void) { return engine_gpus(); }
EXPORT(rounded) int rounded(void)
{
    const int otherwise = host_rounded_otherwise;
    host_rounded_otherwise = 0;
    return otherwise;
}

#else

static int read_module(const char *argument)
{
    const char *equals = strchr(argument, '=');
    FILE *file = equals != NULL ? fopen(equals + 1, "r") : NULL;
    char name[32], *text = NULL;
    size_t length = 0;
    if (file == NULL || getdelim(&text, &length, '\0', file) < 0) {
        fprintf(stderr, "engine: '%s': NAME=FILE.ptx, a file that can be read\n", argument);
        return 0;
    }
    fclose(file);
    snprintf(name, sizeof name, "%.*s", (int)(equals - argument), argument);
    engine_module(name, text, strlen(text));
    free(text);
    return 1;
}

int main(int count, char **arguments)
{
    static char request[1 << 20];
    char line[4096];
    for (int i = 1; i < count; i++) {
        if (!read_module(arguments[i])) {
            return 2;
        }
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (line[0] != '\n') {
            strncat(request, line, sizeof request - strlen(request) - 1);
            continue;
        }
        puts(engine_run(request));
        request[0] = '\0';
    }
    if (request[0] != '\0') {
        puts(engine_run(request));
    }
    return 0;
}

#endif
