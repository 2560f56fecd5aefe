/* demangle.c - see demangle.h. */
#include "base/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

/* C++ programs carry the demangler; a C program that launches kernels borrows it. */
static demangle_function *find_demangler(void)
{
    void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    if (found == NULL) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        found = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
    }
    demangle_function *function = NULL;
    memcpy(&function, &found, sizeof function); /* ISO C has no cast from void * to function */
    return function;
}

/* NULL: not to be had; else to be freed. */
static char *demangled(const char *mangled)
{
    if (strncmp(mangled, "_Z", 2) != 0) {
        return NULL; /* a kernel f of extern "C" would be the type that f stands for: float */
    }
    demangle_function *demangle = find_demangler();
    return demangle != NULL ? demangle(mangled, NULL, NULL, NULL) : NULL;
}

void demangle_signature(const char *mangled, char *text, size_t size)
{
    char *plain = demangled(mangled);
    snprintf(text, size, "%s", plain != NULL ? plain : mangled);
    free(plain);
}

/* Cuts "(float*, int)" off the end: the last parenthesis and its partner. */
static void cut_arguments(char *name)
{
    size_t length = strlen(name);
    if (length == 0 || name[length - 1] != ')') {
        return;
    }
    int depth = 0;
    for (size_t i = length; i > 0; i--) {
        depth += name[i - 1] == ')' ? 1 : name[i - 1] == '(' ? -1 : 0;
        if (depth == 0) {
            name[i - 1] = '\0';
            return;
        }
    }
}

void demangle_name(const char *mangled, char *text, size_t size)
{
    char *plain = demangled(mangled);
    if (plain == NULL) {
        snprintf(text, size, "%s", mangled);
        return;
    }
    cut_arguments(plain);
    bool has_result = strncmp(plain, "void ", 5) == 0; /* of a template */
    snprintf(text, size, "%s", plain + (has_result ? 5 : 0));
    free(plain);
}

/* "kernel(ns::point*)::tile" -> "tile": what follows the last "::" that no bracket encloses. */
void demangle_last_name(const char *mangled, char *text, size_t size)
{
    char full[512];
    demangle_name(mangled, full, sizeof full);
    const char *last = full;
    int depth = 0;
    for (const char *at = full; *at != '\0'; at++) {
        depth += (strchr("(<[{", *at) != NULL) - (strchr(")>]}", *at) != NULL);
        last = depth == 0 && at[0] == ':' && at[1] == ':' ? at + 2 : last;
    }
    snprintf(text, size, "%s", last);
}
