/* request.h - a request of engine.h: read from its text, its buffers in device memory, its
 * arguments. */
#ifndef SITE_REQUEST_H
#define SITE_REQUEST_H

#include "api/simt.h"
#include "report/json.h"

enum {
    MOST_BUFFERS = 16,
    MOST_ARGUMENTS = 32,
    MOST_FIELDS = 32,
    MOST_READS = 8,
    MOST_PUTS = 8,
    MOST_PARAMETER_BYTES = 4096
};

enum request_watch { WATCH_ROWS = 1, WATCH_STEPS = 2, WATCH_RACES = 4 };

struct request_buffer {
    char name[24], type[8], fill[12];
    uint64_t count;
    const struct allocation *memory; /* NULL: not yet */
};

struct request_argument {
    char type[8], word[256]; /* word: a number, or for a pointer its buffer */
    int64_t offset;          /* of a pointer */
};

/* A member of an argument that is a struct. */
struct request_field {
    struct request_argument value;
    unsigned argument; /* its number */
    uint64_t at;       /* bytes behind the struct's beginning */
};

struct request_read {
    char name[24];
    uint64_t first, count;
};

/* Values that a buffer holds from some element on. */
struct request_put {
    char name[24], values[512];
    uint64_t first;
};

struct request {
    char gpu[32], module[32], kernel[512];
    unsigned schedule;
    uint32_t shared_bytes;
    uint64_t traced; /* number of the block */
    unsigned watch;  /* of enum request_watch */
    bool cooperative;
    struct simt_dim grid, block, cluster;
    struct request_buffer buffers[MOST_BUFFERS];
    struct request_argument arguments[MOST_ARGUMENTS];
    struct request_field fields[MOST_FIELDS];
    struct request_read reads[MOST_READS];
    struct request_put puts[MOST_PUTS];
    unsigned buffer_count, argument_count, field_count, read_count, put_count;
};

bool request_read(struct request *r, const char *text, struct err *e);
/* Allocates and fills them, with what is put there; request_release() gives them back. */
bool request_buffers(struct request *r, struct memory *m, struct err *e);
/* Packs them as the kernel's parameters lie. */
bool request_arguments(const struct request *r, const struct simt_kernel *kernel,
                       unsigned char params[MOST_PARAMETER_BYTES], struct err *e);
/* "values": for each read a list of numbers. */
void request_values(const struct request *r, struct memory *m, struct json *j);
void request_release(struct request *r, struct memory *m);

#endif
