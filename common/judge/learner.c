/* learner.c - the kernels of the learner's file. The exercise's skeleton is part of this program:
 * its host code gives every kernel an address that the judging half can launch. What lies behind
 * these addresses is the learner's GPU code, which is read here as data; the skeleton's own is
 * dropped. Its calls of __cudaRegister* come here, because the Makefile renames them. */
#include "common/judge/learner.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256 };

struct registered {
    const char *name;
    const void *address; /* of the skeleton's stub or variable, or in `places` */
    uint64_t bytes;
    bool constant, kernel, found;
    struct box_layout layout;
};
static struct registered table[MOST_NAMES];
static unsigned table_count;
static char places[MOST_NAMES]; /* addresses for names that the skeleton does not know */

/* --- what generated code calls ---------------------------------------------------------------- */

void **judge_register_binary(void *binary);
void judge_register_binary_end(void **handle);
void judge_unregister_binary(void **handle);
void judge_register_function(void **handle, const char *stub, char *device_function,
                             const char *name, int limit, void *thread, void *block, void *size,
                             void *grid, int *warp);
void judge_register_variable(void **handle, char *shadow, char *device_address, const char *name,
                             int is_extern, size_t bytes, int is_constant, int is_global);
void judge_register_managed(void **handle, void **pointer, char *device_address, const char *name,
                            int is_extern, size_t bytes, int is_constant, int is_global);
char judge_init_module(void **handle);

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int limit, void *thread, void *block, void *size,
                            void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name,
                       int is_extern, size_t bytes, int is_constant, int is_global);

static struct registered *add(const char *name, const void *address, bool kernel)
{
    static struct registered none;
    struct registered *r = table_count < MOST_NAMES ? &table[table_count] : &none;
    memset(r, 0, sizeof *r);
    r->name = name;
    r->address = address != NULL ? address : &places[table_count];
    r->kernel = kernel;
    table_count += r != &none;
    return r;
}

void **judge_register_binary(void *binary) { return binary; }

void judge_register_binary_end(void **handle) { (void)handle; }

void judge_unregister_binary(void **handle) { (void)handle; }

void judge_register_function(void **handle, const char *stub, char *device_function,
                             const char *name, int limit, void *thread, void *block, void *size,
                             void *grid, int *warp)
{
    (void)handle, (void)device_function, (void)limit, (void)thread, (void)block, (void)size;
    (void)grid, (void)warp;
    add(name, stub, true);
}

void judge_register_variable(void **handle, char *shadow, char *device_address, const char *name,
                             int is_extern, size_t bytes, int is_constant, int is_global)
{
    (void)handle, (void)device_address, (void)is_extern, (void)is_global;
    struct registered *r = add(name, shadow, false);
    r->bytes = bytes;
    r->constant = is_constant;
}

/* Host code of the judge reads no managed variable of the learner's. */
void judge_register_managed(void **handle, void **pointer, char *device_address, const char *name,
                            int is_extern, size_t bytes, int is_constant, int is_global)
{
    (void)handle, (void)pointer, (void)device_address, (void)name, (void)is_extern, (void)bytes;
    (void)is_constant, (void)is_global;
}

char judge_init_module(void **handle)
{
    (void)handle;
    return 1;
}

/* --- reading PTX ------------------------------------------------------------------------------ */

static struct registered *find(const char *name, size_t length, bool kernel)
{
    for (unsigned i = 0; i < table_count; i++) {
        if (table[i].kernel == kernel && strlen(table[i].name) == length &&
            memcmp(table[i].name, name, length) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

static size_t name_length(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end &&
           (isalnum((unsigned char)at[length]) || strchr("_$.%", at[length]) != NULL) &&
           at[length] != '\0') {
        length++;
    }
    return length;
}

static const char *skip(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

/* ".param .align 8 .b8 name[24]" or ".param .u64 name": bits of the type, times the elements. */
static uint32_t parameter_bytes(const char *at, const char *end)
{
    uint32_t bits = 0, count = 1;
    for (; at < end && *at != ','; at++) {
        if (*at == '.' && at + 2 < end && strchr("busf", at[1]) != NULL &&
            isdigit((unsigned char)at[2])) {
            bits = (uint32_t)strtoul(at + 2, NULL, 10);
        } else if (*at == '[') {
            count = (uint32_t)strtoul(at + 1, NULL, 10);
        }
    }
    return count < 4096 && bits <= 128 ? bits / 8 * count : 0;
}

static void read_parameters(const char *at, const char *end, struct box_layout *layout)
{
    const char *close = memchr(at, ')', (size_t)(end - at));
    end = close != NULL ? close : end;
    layout->count = 0;
    while (layout->count < BOX_PARAMETERS &&
           (at = memmem(at, (size_t)(end - at), ".param", 6)) != NULL) {
        at += 6;
        layout->bytes[layout->count++] = parameter_bytes(at, end);
    }
}

static void read_entries(const char *text, const char *end)
{
    const char *at = text;
    while ((at = memmem(at, (size_t)(end - at), ".entry", 6)) != NULL) {
        at = skip(at + 6, end);
        const size_t length = name_length(at, end);
        struct registered *r = find(at, length, true);
        if (r == NULL && length > 0) {
            r = add(strndup(at, length), NULL, true);
        }
        at = skip(at + length, end);
        if (r != NULL && at < end) {
            r->found = true;
            r->layout.count = 0;
            if (*at == '(') {
                read_parameters(at, end, &r->layout);
            }
        }
    }
}

/* Behind ".visible .const": ".align 4 .f32 factor", up to ';' or '='. The runtime of a GPU wants to
 * know variables when their code is registered. */
static void read_variable(const char *at, const char *end)
{
    const char *const begin = at;
    size_t length = 0;
    for (at = skip(at, end); at < end && *at != ';' && *at != '='; at = skip(at + length, end)) {
        length = name_length(at, end);
        if (length > 0 && *at != '.' && !isdigit((unsigned char)*at)) {
            break;
        }
        length = length > 0 ? length : 1;
    }
    const char *stop = at;
    while (stop < end && *stop != ';' && *stop != '=') {
        stop++;
    }
    if (at < end && *at != ';' && *at != '=' && find(at, length, false) == NULL) {
        add(strndup(at, length), NULL, false)->bytes = parameter_bytes(begin, stop);
    }
}

static void read_variables(const char *text, const char *end)
{
    static const char *const spaces[] = {".const ", ".global "};
    for (int i = 0; i < 2; i++) {
        const size_t length = strlen(spaces[i]);
        for (const char *at = text;
             (at = memmem(at, (size_t)(end - at), spaces[i], length)) != NULL; at += length) {
            read_variable(at + length, end);
        }
    }
}

/* A variable is there if its name is: the runtime says the rest. */
static bool names(const char *text, const char *end, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), name, length)) != NULL; at++) {
        if (name_length(at, end) == length && (at == text || isspace((unsigned char)at[-1]))) {
            return true;
        }
    }
    return false;
}

/* --- giving it to the runtime ----------------------------------------------------------------- */

static char *read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = 0;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (text = calloc(1, (size_t)size + 8)) != NULL) {
        *length = fread(text, 1, (size_t)size, file);
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

/* Fences of the whole GPU in PTX, wherever they stand; an atomic that acquires or releases is half
 * of two. */
static unsigned count_fences(const char *text)
{
    static const char *const words[] = {
        "membar.gl;",       "membar.sys;",      "fence.acq_rel.gpu", "fence.acq_rel.sys",
        "fence.sc.gpu",     "fence.sc.sys",     "atom.acq_rel.gpu",  "atom.acq_rel.sys",
        "atom.acquire.gpu", "atom.release.gpu", "red.release.gpu"};
    unsigned count = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (const char *at = text; (at = strstr(at, words[i])) != NULL; at++) {
            count += strncmp(words[i], "atom.acq_rel", 12) == 0 ? 2 : 1;
        }
    }
    return count;
}

static unsigned fences;

unsigned learner_fences(void) { return fences; }

bool learner_load(const char *path)
{
    static struct {
        uint32_t magic, version;
        const void *data;
        void *more;
    } wrapper = {0x466243b1, 1, NULL, NULL};
    size_t length = 0;
    char *const text = read_whole(path, &length);
    if (text == NULL) {
        fprintf(stderr, "judge: the GPU code %s cannot be read\n", path);
        return false;
    }
    fences = count_fences(text);
    read_entries(text, text + length);
    read_variables(text, text + length);
    wrapper.data = text;
    void **const handle = __cudaRegisterFatBinary(&wrapper);
    for (unsigned i = 0; i < table_count; i++) {
        struct registered *r = &table[i];
        if (!r->kernel) {
            r->found = names(text, text + length, r->name);
        }
        if (r->found && r->kernel) {
            __cudaRegisterFunction(handle, r->address, (char *)(uintptr_t)r->name, r->name, -1,
                                   NULL, NULL, NULL, NULL, NULL);
        } else if (r->found) {
            __cudaRegisterVar(handle, (char *)(uintptr_t)r->address, (char *)(uintptr_t)r->name,
                              r->name, 0, r->bytes, r->constant, 0);
        }
    }
    __cudaRegisterFatBinaryEnd(handle);
    return true;
}

const void *learner_kernel(const char *name, struct box_layout *layout)
{
    const struct registered *r = find(name, strlen(name), true);
    if (r == NULL || !r->found) {
        return NULL;
    }
    if (layout != NULL) {
        *layout = r->layout;
    }
    return r->address;
}

const void *learner_variable(const char *name)
{
    const struct registered *r = find(name, strlen(name), false);
    return r != NULL && r->found ? r->address : NULL;
}

char *__cxa_demangle(const char *name, char *into, size_t *size, int *status); /* C++'s runtime */

const char *learner_readable(const char *name)
{
    static char *last;
    int status = -1;
    free(last);
    last = __cxa_demangle(name, NULL, NULL, &status);
    return status == 0 && last != NULL ? last : name;
}

const char *learner_missing(void)
{
    for (unsigned i = 0; i < table_count; i++) {
        if (table[i].kernel && !table[i].found) {
            return learner_readable(table[i].name);
        }
    }
    return NULL;
}
