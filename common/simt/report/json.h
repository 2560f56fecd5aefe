/* json.h - JSON text, value by value; used by the reports alone. */
#ifndef SIMT_JSON_H
#define SIMT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Where a value goes, and whether one stands before it in its object or array. */
struct json {
    FILE *out;
    bool follows;
};

/* key NULL: an element of an array, or the whole text. */
void json_open(struct json *j, const char *key, char bracket);     /* '{' or '[' */
void json_close(struct json *j, char bracket);                     /* '}' or ']' */
void json_text(struct json *j, const char *key, const char *text); /* NULL: null */
void json_number(struct json *j, const char *key, uint64_t value);
void json_integer(struct json *j, const char *key, int64_t value);
void json_real(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, bool value);
/* A value that is JSON already. */
void json_raw(struct json *j, const char *key, const char *text);

#endif
