#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

static bool set(struct err *e, int code, const char *format, va_list args)
{
    if (e == NULL || e->set) {
        return false;
    }
    e->set = true;
    e->code = code;
    vsnprintf(e->text, sizeof e->text, format, args);
    return false;
}

bool err_set(struct err *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(e, 0, format, args);
    va_end(args);
    return false;
}

bool err_set_code(struct err *e, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(e, code, format, args);
    va_end(args);
    return false;
}

void err_clear(struct err *e)
{
    e->set = false;
    e->code = 0;
    e->text[0] = '\0';
}
