/* request.c - see request.h. */
#include "common/site/wasm/request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned size_of_type(const char *type)
{
    static const struct {
        const char *type;
        unsigned bytes;
    } known[] = {{"u8", 1},  {"u16", 2}, {"s32", 4}, {"u32", 4},
                 {"s64", 8}, {"u64", 8}, {"f32", 4}, {"f64", 8}};
    for (unsigned i = 0; i < ARRAY_LENGTH(known); i++) {
        if (strcmp(known[i].type, type) == 0) {
            return known[i].bytes;
        }
    }
    return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_dim(struct simt_dim *d, const char *rest, struct err *e)
{
    *d = (struct simt_dim){1, 1, 1};
    return sscanf(rest, "%u %u %u", &d->x, &d->y, &d->z) >= 1 ||
           err_set(e, "'%.40s' is no size: one to three whole numbers", rest);
}

static bool read_buffer(struct request *r, const char *rest, struct err *e)
{
    struct request_buffer b = {.memory = NULL};
    unsigned long long count = 0;
    if (r->buffer_count == MOST_BUFFERS) {
        return err_set(e, "more than %d buffers", MOST_BUFFERS);
    }
    if (sscanf(rest, "%23s %llu %7s %11s", b.name, &count, b.type, b.fill) < 3 || count == 0 ||
        size_of_type(b.type) == 0) {
        return err_set(e, "'buffer %.60s': a name, a number of elements and a type (f32, u32 ...)",
                       rest);
    }
    b.count = count;
    r->buffers[r->buffer_count++] = b;
    return true;
}

static bool read_argument(struct request *r, const char *rest, struct err *e)
{
    struct request_argument a = {.offset = 0};
    long long offset = 0;
    if (r->argument_count == MOST_ARGUMENTS) {
        return err_set(e, "more than %d arguments", MOST_ARGUMENTS);
    }
    const int words = sscanf(rest, "%7s %255s %lld", a.type, a.word, &offset);
    if (words < 2 && strcmp(a.type, "struct") != 0) {
        return err_set(e, "'argument %.60s': a type and a value", rest);
    }
    a.offset = offset;
    r->arguments[r->argument_count++] = a;
    return true;
}

static bool read_field(struct request *r, const char *rest, struct err *e)
{
    struct request_field f = {.argument = r->argument_count - 1};
    unsigned long long at = 0;
    if (r->argument_count == 0 || strcmp(r->arguments[f.argument].type, "struct") != 0) {
        return err_set(e, "'field %.60s': it stands behind 'argument struct'", rest);
    }
    if (r->field_count == MOST_FIELDS) {
        return err_set(e, "more than %d fields", MOST_FIELDS);
    }
    if (sscanf(rest, "%llu %7s %255s", &at, f.value.type, f.value.word) != 3 ||
        (size_of_type(f.value.type) == 0 && strcmp(f.value.type, "pointer") != 0)) {
        return err_set(e, "'field %.60s': its place in the struct, a type and a value", rest);
    }
    f.at = at;
    r->fields[r->field_count++] = f;
    return true;
}

static bool read_read(struct request *r, const char *rest, struct err *e)
{
    struct request_read *to = &r->reads[r->read_count];
    unsigned long long first = 0, count = 0;
    if (r->read_count == MOST_READS ||
        sscanf(rest, "%23s %llu %llu", to->name, &first, &count) < 3) {
        return err_set(e, "'read %.60s': a buffer, its first element and how many", rest);
    }
    to->first = first;
    to->count = count;
    r->read_count++;
    return true;
}

static bool read_put(struct request *r, const char *rest, struct err *e)
{
    struct request_put *to = &r->puts[r->put_count];
    unsigned long long first = 0;
    if (r->put_count == MOST_PUTS ||
        sscanf(rest, "%23s %llu %511s", to->name, &first, to->values) < 3) {
        return err_set(e, "'put %.60s': a buffer, its first element and values with commas", rest);
    }
    to->first = first;
    r->put_count++;
    return true;
}

static bool read_line(struct request *r, const char *word, const char *rest, struct err *e)
{
    if (strcmp(word, "gpu") == 0) {
        snprintf(r->gpu, sizeof r->gpu, "%s", rest);
    } else if (strcmp(word, "module") == 0) {
        snprintf(r->module, sizeof r->module, "%s", rest);
    } else if (strcmp(word, "kernel") == 0) {
        snprintf(r->kernel, sizeof r->kernel, "%s", rest);
    } else if (strcmp(word, "schedule") == 0) {
        r->schedule = (unsigned)strtoul(rest, NULL, 10);
    } else if (strcmp(word, "shared") == 0) {
        r->shared_bytes = (uint32_t)strtoul(rest, NULL, 10);
    } else if (strcmp(word, "grid") == 0) {
        return read_dim(&r->grid, rest, e);
    } else if (strcmp(word, "block") == 0) {
        return read_dim(&r->block, rest, e);
    } else if (strcmp(word, "cluster") == 0) {
        return read_dim(&r->cluster, rest, e);
    } else if (strcmp(word, "cooperative") == 0) {
        r->cooperative = true;
    } else if (strcmp(word, "buffer") == 0) {
        return read_buffer(r, rest, e);
    } else if (strcmp(word, "argument") == 0) {
        return read_argument(r, rest, e);
    } else if (strcmp(word, "field") == 0) {
        return read_field(r, rest, e);
    } else if (strcmp(word, "read") == 0) {
        return read_read(r, rest, e);
    } else if (strcmp(word, "put") == 0) {
        return read_put(r, rest, e);
    } else if (strcmp(word, "watch") == 0) {
        r->watch |= WATCH_ROWS;
    } else if (strcmp(word, "check") == 0) {
        r->watch |= WATCH_RACES;
    } else if (strcmp(word, "trace") == 0) {
        r->watch |= WATCH_ROWS | WATCH_STEPS;
        r->traced = strtoul(rest, NULL, 10);
    } else {
        return err_set(e, "'%.40s' is no line of a request (engine.h lists them)", word);
    }
    return true;
}

bool request_read(struct request *r, const char *text, struct err *e)
{
    *r = (struct request){.gpu = "h200", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    for (const char *end; *text != '\0'; text = end + (*end == '\n')) {
        char line[1024], word[16] = "";
        int behind = 0;
        end = text + strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
        if (sscanf(line, "%15s %n", word, &behind) == 1 && !read_line(r, word, line + behind, e)) {
            return false;
        }
    }
    return true;
}

/* ---- buffers --------------------------------------------------------------------------------- */

static double random_value(uint64_t i) /* -1 to 1, the same on every machine */
{
    return (double)(int32_t)((uint32_t)((i + 1) * HASH_MULTIPLIER >> 32)) * 0x1p-31;
}

static void put_value(unsigned char *to, const char *type, double value)
{
    const unsigned bytes = size_of_type(type);
    if (type[0] == 'f' && bytes == 4) {
        memcpy(to, &(float){(float)value}, bytes);
    } else if (type[0] == 'f') {
        memcpy(to, &value, bytes);
    } else {
        memcpy(to, &(int64_t){(int64_t)value}, bytes); /* little-endian: its lower bytes */
    }
}

/* What element i holds is start + step * i, or random: one loop for each size and kind of number.
 */
static void fill(const struct request_buffer *b, unsigned char *at)
{
    const uint64_t seed = (uint64_t)b->name[0] << 32; /* buffers differ */
    const bool random = strcmp(b->fill, "random") == 0;
    const double start = strcmp(b->fill, "ones") == 0, step = strcmp(b->fill, "index") == 0;
    const unsigned size = size_of_type(b->type);
    if (b->fill[0] == '\0') {
        memset(at, 0xff, (size_t)b->count * size);
    } else if (strcmp(b->fill, "bits") == 0) {
        for (uint64_t i = 0; i < b->count * size; i++) {
            at[i] = (unsigned char)((seed + i + 1) * HASH_MULTIPLIER >> 40);
        }
    } else if (strcmp(b->type, "f32") == 0 && !random) {
        for (uint64_t i = 0; i < b->count; i++) {
            ((float *)(void *)at)[i] = (float)(start + step * (double)i);
        }
    } else {
        for (uint64_t i = 0; i < b->count; i++) {
            put_value(at + i * size, b->type, random ? random_value(i) : start + step * (double)i);
        }
    }
}

static const struct request_buffer *find_buffer(const struct request *r, const char *name)
{
    for (unsigned i = 0; i < r->buffer_count; i++) {
        if (strcmp(r->buffers[i].name, name) == 0) {
            return &r->buffers[i];
        }
    }
    return NULL;
}

static bool put_values(const struct request *r, const struct request_put *put, struct memory *m,
                       struct err *e)
{
    const struct request_buffer *b = find_buffer(r, put->name);
    uint64_t at = put->first;
    for (const char *value = put->values; *value != '\0'; at++) {
        if (b == NULL || at >= b->count) {
            return err_set(e, "put %s %llu: there is no such element", put->name,
                           (unsigned long long)at);
        }
        const unsigned size = size_of_type(b->type);
        put_value(memory_host(m, b->memory->begin + at * size, size), b->type, strtod(value, NULL));
        value += strcspn(value, ",");
        value += *value == ',';
    }
    return true;
}

bool request_buffers(struct request *r, struct memory *m, struct err *e)
{
    for (unsigned i = 0; i < r->buffer_count; i++) {
        struct request_buffer *b = &r->buffers[i];
        const unsigned size = size_of_type(b->type);
        b->memory = memory_alloc(m, b->count * size, MEMORY_DEVICE, b->name, NULL);
        unsigned char *at =
            b->memory != NULL ? memory_host(m, b->memory->begin, b->memory->bytes) : NULL;
        if (at == NULL) {
            return err_set(e, "buffer %s: no room for %llu elements", b->name,
                           (unsigned long long)b->count);
        }
        fill(b, at);
    }
    for (unsigned i = 0; i < r->put_count; i++) {
        if (!put_values(r, &r->puts[i], m, e)) {
            return false;
        }
    }
    return true;
}

void request_release(struct request *r, struct memory *m)
{
    for (unsigned i = 0; i < r->buffer_count; i++) {
        if (r->buffers[i].memory != NULL) {
            memory_free(m, r->buffers[i].memory->begin, NULL);
            r->buffers[i].memory = NULL;
        }
    }
}

/* ---- arguments ------------------------------------------------------------------------------- */

static bool put_bytes(unsigned char *to, const char *hex, uint64_t bytes, struct err *e)
{
    for (uint64_t i = 0; i < bytes; i++) {
        unsigned value;
        if (sscanf(hex + 2 * i, "%2x", &value) != 1) {
            return err_set(e, "argument bytes: the parameter has %llu", (unsigned long long)bytes);
        }
        to[i] = (unsigned char)value;
    }
    return true;
}

static bool put_argument(const struct request *r, const struct request_argument *a,
                         unsigned char *to, uint64_t bytes, struct err *e)
{
    if (strcmp(a->type, "bytes") == 0) {
        return put_bytes(to, a->word, bytes, e);
    }
    if (strcmp(a->type, "pointer") == 0) {
        const struct request_buffer *b = find_buffer(r, a->word);
        if (b == NULL || bytes != 8) {
            return err_set(e, "argument pointer %s: %s", a->word,
                           b == NULL ? "there is no such buffer" : "the parameter is no pointer");
        }
        memcpy(to, &(uint64_t){b->memory->begin + (uint64_t)a->offset}, 8);
        return true;
    }
    if (size_of_type(a->type) != bytes) {
        return err_set(e, "argument %s %s: the parameter has %llu bytes", a->type, a->word,
                       (unsigned long long)bytes);
    }
    if (a->type[0] == 'f') {
        put_value(to, a->type, strtod(a->word, NULL));
    } else {
        memcpy(to, &(int64_t){strtoll(a->word, NULL, 0)}, bytes);
    }
    return true;
}

static bool put_struct(const struct request *r, unsigned argument, unsigned char *to,
                       uint64_t bytes, struct err *e)
{
    memset(to, 0, bytes);
    for (unsigned i = 0; i < r->field_count; i++) {
        const struct request_field *f = &r->fields[i];
        const uint64_t size =
            strcmp(f->value.type, "pointer") == 0 ? 8 : size_of_type(f->value.type);
        if (f->argument != argument) {
            continue;
        }
        if (f->at > bytes || size > bytes - f->at) {
            return err_set(e, "field %llu %s: the struct has %llu bytes", (unsigned long long)f->at,
                           f->value.type, (unsigned long long)bytes);
        }
        if (!put_argument(r, &f->value, to + f->at, size, e)) {
            return false;
        }
    }
    return true;
}

bool request_arguments(const struct request *r, const struct simt_kernel *kernel,
                       unsigned char params[MOST_PARAMETER_BYTES], struct err *e)
{
    const unsigned count = simt_kernel_param_count(kernel);
    if (count != r->argument_count || simt_kernel_param_bytes(kernel) > MOST_PARAMETER_BYTES) {
        return err_set(e, "the kernel has %u parameters, and %u arguments were given", count,
                       r->argument_count);
    }
    for (unsigned i = 0; i < count; i++) {
        uint64_t offset, bytes;
        simt_kernel_param(kernel, i, &offset, &bytes);
        const bool is_struct = strcmp(r->arguments[i].type, "struct") == 0;
        if (!(is_struct ? put_struct(r, i, params + offset, bytes, e)
                        : put_argument(r, &r->arguments[i], params + offset, bytes, e))) {
            return false;
        }
    }
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void write_value(struct json *j, const char *type, const unsigned char *at)
{
    int64_t number = 0;
    float single;
    double real;
    const unsigned bytes = size_of_type(type);
    memcpy(&number, at, bytes);
    memcpy(&single, at, bytes < 4 ? bytes : 4);
    memcpy(&real, at, bytes);
    if (type[0] == 'f') {
        real = bytes == 4 ? single : real;
        isfinite(real) ? json_real(j, NULL, real) : json_text(j, NULL, isnan(real) ? "NaN" : "inf");
    } else {
        json_integer(j, NULL, strcmp(type, "s32") == 0 ? (int32_t)number : number);
    }
}

void request_values(const struct request *r, struct memory *m, struct json *j)
{
    json_open(j, "values", '[');
    for (unsigned i = 0; i < r->read_count; i++) {
        const struct request_read *want = &r->reads[i];
        const struct request_buffer *b = find_buffer(r, want->name);
        json_open(j, NULL, '[');
        for (uint64_t k = want->first; b != NULL && k < want->first + want->count && k < b->count;
             k++) {
            const unsigned size = size_of_type(b->type);
            write_value(j, b->type, memory_host(m, b->memory->begin + k * size, size));
        }
        json_close(j, ']');
    }
    json_close(j, ']');
}
