/* json.c - see json.h. */
#include "report/json.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>

/* '<' is written as an escape, too: the text may stand inside a page, where </script> would end it.
 * What is no UTF-8 becomes U+FFFD, byte by byte. */
static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        uint32_t character = 0xfffd;
        const unsigned length = utf8_decode((const char *)c, &character);
        if (length == 0) {
            fputs("\\ufffd", out);
        } else if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (utf8_is_hidden(character) || *c == '<') {
            fprintf(out, "\\u%04" PRIx32, character);
        } else {
            fwrite(c, 1, length, out);
        }
        c += length > 0 ? length : 1;
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
