/* wrap_dlopen.c - dlopen("libcuda.so.1") of the program, which simtcc links with --wrap: the driver
 * API is in the program itself, where dlsym() finds it, unless the program gives its own things the
 * same names.
 *
 * __real_dlopen is the C library's; without --wrap these are never called. */
#include "runtime/driver.h"

#include <stdio.h>
#include <string.h>

extern void *__real_dlopen(const char *path, int flags) __attribute__((weak));
void *__wrap_dlopen(const char *path, int flags);

static bool is_driver(const char *path)
{
    static const char driver[] = "libcuda.so";
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : path;
    return name != NULL && strncmp(name, driver, sizeof driver - 1) == 0;
}

void *__wrap_dlopen(const char *path, int flags)
{
    if (!is_driver(path)) {
        return __real_dlopen(path, flags);
    }
    if (cuInit != simt_cuInit) {
        runtime_say("dlopen",
                    "%s: the program's own cuInit() hides the simulator's, which is not supported: "
                    "call cuInit() and the others without dlopen()",
                    path);
        return NULL;
    }
    return __real_dlopen(NULL, flags);
}
