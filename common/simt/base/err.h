/* err.h - how an error travels up: a function that can fail through a user's fault returns bool
 * and fills a struct err. Impossible states are assert()s, and only main() exits.
 *
 * The text is one line without a trailing newline; the first error set is kept. */
#ifndef SIMT_ERR_H
#define SIMT_ERR_H

#include <stdbool.h>

struct err {
    bool set;
    int code;         /* 0 unless the room documents codes (cudaError_t values, for one) */
    char text[1024];
};

/* Both return false, so that a caller can write `return err_set(e, ...)`. A second call on an err
 * that is already set changes nothing. e may be NULL. */
bool err_set(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool err_set_code(struct err *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void err_clear(struct err *e);

#endif
