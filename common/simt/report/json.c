/* json.c - see json.h. */
#include "report/json.h"

#include <inttypes.h>
#include <math.h>

/* '<' is written as an escape: the text may stand inside a page, where </script> would end it. */
static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c < 0x20 || *c == '<' || *c == 0x7f) {
            fprintf(out, "\\u%04x", *c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

static void begin(struct json *j, const char *key)
{
    if (j->follows) {
        fputc(',', j->out);
    }
    if (key != NULL) {
        put_string(j->out, key);
        fputc(':', j->out);
    }
    j->follows = true;
}

void json_open(struct json *j, const char *key, char bracket)
{
    begin(j, key);
    fputc(bracket, j->out);
    j->follows = false;
}

void json_close(struct json *j, char bracket)
{
    fputc(bracket, j->out);
    j->follows = true;
}

void json_text(struct json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text == NULL) {
        fputs("null", j->out);
    } else {
        put_string(j->out, text);
    }
}

void json_number(struct json *j, const char *key, uint64_t value)
{
    begin(j, key);
    fprintf(j->out, "%" PRIu64, value);
}

void json_integer(struct json *j, const char *key, int64_t value)
{
    begin(j, key);
    fprintf(j->out, "%" PRId64, value);
}

void json_real(struct json *j, const char *key, double value)
{
    begin(j, key);
    if (isfinite(value)) {
        fprintf(j->out, "%.6g", value);
    } else {
        fputs("null", j->out); /* JSON has no infinity */
    }
}

void json_bool(struct json *j, const char *key, bool value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_raw(struct json *j, const char *key, const char *text)
{
    begin(j, key);
    fputs(text, j->out);
}
