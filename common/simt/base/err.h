/* err.h - how an error travels up: a function that can fail through a user's fault returns bool
 * and fills a struct err. Impossible states are assert()s. No layer up to api/ ends the
 * process, but where the host has no memory (room.h). runtime/ does, with exit code 2, where a
 * CUDA program could not be reported to it: a variable of the environment that is wrong, a GPU that
 * cannot be opened; at the program's end runtime/ and report/ turn its exit code into 1 for
 * findings of SIMT_CHECK and 2 for a report that cannot be written.
 *
 * The text is one line without a trailing newline; the first error set is kept. */
#ifndef SIMT_ERR_H
#define SIMT_ERR_H

#include <stdbool.h>

struct err {
    bool set;
    int code; /* 0 unless the room documents codes (cudaError_t values, for one) */
    char text[1024];
};

/* Both return false, so that a caller can write `return err_set(e, ...)`. A second call on an err
 * that is already set changes nothing. e may be NULL. */
bool err_set(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool err_set_code(struct err *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void err_clear(struct err *e);

#endif
