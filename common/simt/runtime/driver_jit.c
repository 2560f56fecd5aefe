/* driver_jit.c - images that may be loaded, JIT options, and the linker of the driver API
 * (cuLinkCreate() and what follows). See driver_jit.h. */
#include "runtime/driver_jit.h"
#include "base/room.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/fatbin.h"

/* What cuLinkComplete() gives begins with this line; then each text stands behind its length. */
static const char linked_magic[] = "//simt-linked\n";
static const unsigned fatbin_magic = 0xba55ed50u, wrapper_magic = 0x466243b1u;

/* ---- images ---------------------------------------------------------------------------------- */

/* Byte by byte: the length of the data is not known, and the first that differs may be the last. */
static bool begins_with(const void *data, size_t limit, const void *word, size_t bytes)
{
    const unsigned char *at = data, *wanted = word;
    size_t i = 0;
    while (i < bytes && (limit == 0 || i < limit) && at[i] == wanted[i]) {
        i++;
    }
    return i == bytes;
}

static CUresult add_text(struct jit_input *input, const char *text, size_t length, const char *name,
                         struct err *e)
{
    if (input->count == JIT_MOST_TEXTS) {
        err_set(e, "more than %d images are linked", JIT_MOST_TEXTS);
        return CUDA_ERROR_INVALID_VALUE;
    }
    input->texts[input->count++] = (struct simt_text){text, length, name};
    return CUDA_SUCCESS;
}

static CUresult read_linked(struct jit_input *input, const char *at, struct err *e)
{
    CUresult code = CUDA_SUCCESS;
    size_t length;
    at += sizeof linked_magic - 1;
    memcpy(&length, at, sizeof length);
    while (length > 0 && code == CUDA_SUCCESS) {
        at += sizeof length;
        code = add_text(input, at, length, "a linked module", e);
        at += length;
        memcpy(&length, at, sizeof length);
    }
    return code;
}

/* Behind the first `mark`; `end` where there is none. */
static const char *behind(const char *text, const char *end, const char *mark)
{
    const size_t bytes = strlen(mark);
    while (text < end && !begins_with(text, (size_t)(end - text), mark, bytes)) {
        text++;
    }
    return text < end ? text + bytes : end;
}

/* PTX begins with .version, behind comments and white space. */
static bool is_ptx(const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        const size_t left = (size_t)(end - text);
        if (isspace((unsigned char)*text)) {
            text++;
        } else if (begins_with(text, left, "//", 2)) {
            text = behind(text, end, "\n");
        } else if (begins_with(text, left, "/*", 2)) {
            text = behind(text + 2, end, "*/");
        } else {
            return begins_with(text, left, ".version", 8);
        }
    }
    return false;
}

/* An ELF file for a GPU, whose machine has number 190. */
static bool is_machine_code(const unsigned char *data, size_t limit)
{
    enum { MACHINE = 18 };
    const unsigned char gpu[] = {190, 0};
    return begins_with(data, limit, "\177ELF\2", 5) && (limit == 0 || limit >= MACHINE + 2) &&
           memcmp(data + MACHINE, gpu, sizeof gpu) == 0;
}

CUresult jit_read_image(struct jit_input *input, const void *data, size_t limit, const char *name,
                        struct err *e)
{
    const char *text = NULL;
    size_t length = 0;
    if (begins_with(data, limit, linked_magic, sizeof linked_magic - 1)) {
        return read_linked(input, data, e);
    }
    if (is_machine_code(data, limit)) {
        err_set(e, "the image is machine code (a cubin): the simulator executes PTX, which nvcc "
                   "-ptx, or -fatbin with code=compute_80, gives");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    if (begins_with(data, limit, &wrapper_magic, 4)) {
        data = fatbin_unwrap(data, e);
    }
    if (data == NULL) {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    if (!begins_with(data, limit, &fatbin_magic, 4)) {
        length = limit > 0 ? strnlen(data, limit) : strlen(data);
        if (!is_ptx(data, length)) {
            err_set(e, "the image is no PTX, which begins with .version, and no fat binary");
            return CUDA_ERROR_INVALID_IMAGE;
        }
        return add_text(input, data, length, name, e);
    }
    const struct gpu_limits *g = runtime_limits_of(runtime_device());
    input->is_binary = true;
    return fatbin_ptx(data, limit, (unsigned)(10 * g->major + g->minor), &input->arena, &text,
                      &length, e)
               ? add_text(input, text, length, name, e)
               : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

void jit_free_input(struct jit_input *input) { arena_free(&input->arena); }

char *jit_read_file(const char *file, size_t *bytes)
{
    FILE *f = fopen(file, "rb");
    char *text = NULL;
    size_t used = 0, room = 0, got = 1;
    while (f != NULL && got > 0) {
        if (used + 1 >= room) {
            room = room > 0 ? 2 * room : 65536;
            text = room_resized(text, room, 1);
        }
        got = fread(text + used, 1, room - used - 1, f);
        used += got;
    }
    if (f != NULL) {
        fclose(f);
        text[used] = '\0';
    }
    *bytes = used;
    return text;
}

/* ---- options --------------------------------------------------------------------------------- */

static void *value_of(const struct jit_log *log, CUjit_option option)
{
    void *value = NULL;
    for (unsigned i = 0; i < log->count && log->options != NULL; i++) {
        value = log->options[i] == option ? log->values[i] : value;
    }
    return value;
}

/* The buffer's size comes in as an option's value, and what was written goes out there. */
static void fill_log(const struct jit_log *log, CUjit_option buffer, CUjit_option size,
                     const char *text)
{
    char *at = value_of(log, buffer);
    const size_t room = (unsigned)(uintptr_t)value_of(log, size);
    if (at != NULL && room > 0) {
        snprintf(at, room, "%s", text);
    }
    for (unsigned i = 0; i < log->count && log->options != NULL; i++) {
        if (log->options[i] == size) {
            const size_t used = strlen(text) + (text[0] != '\0');
            log->values[i] = (void *)(uintptr_t)(used < room ? used : room);
        }
    }
}

/* "the module:7:1: ..." in ptxas' form, which programs look for the line in. */
static void as_ptxas_says(const char *error, char *text, size_t size)
{
    const char *at = error;
    unsigned line = 0;
    int used = 0;
    while (at != NULL && (sscanf(at, ":%u:%n", &line, &used) != 1 || used == 0)) {
        at = strchr(at + 1, ':');
    }
    if (at == NULL) {
        snprintf(text, size, "%s", error);
        return;
    }
    at += used;
    const size_t column = strspn(at, "0123456789");
    at += column > 0 && at[column] == ':' ? column + 1 : 0;
    snprintf(text, size,
             "ptxas application ptx input, line %u; error   :%s\n"
             "ptxas fatal   : Ptx assembly aborted due to errors",
             line, at);
}

void jit_tell(const struct jit_log *log, const char *error)
{
    char text[2000] = "";
    if (error != NULL) {
        as_ptxas_says(error, text, sizeof text);
    }
    fill_log(log, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, text);
    fill_log(log, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, "");
    for (unsigned i = 0; i < log->count && log->options != NULL; i++) {
        if (log->options[i] == CU_JIT_WALL_TIME) {
            const float none = 0;
            memcpy(&log->values[i], &none, sizeof none);
        }
    }
}

/* ---- linking --------------------------------------------------------------------------------- */

struct CUlinkState_st {
    struct handle handle;
    struct jit_log log;
    struct jit_input *input;
    char *image; /* of cuLinkComplete() */
};

static struct handle_pool links = HANDLE_POOL(struct CUlinkState_st);

static CUresult check_link(const char *call, CUlinkState state)
{
    CUresult code = driver_begin(call);
    runtime_speak_as(NULL);
    if (code == CUDA_SUCCESS && (state == NULL || !handle_is_live(&links, state))) {
        code = driver_reject(CUDA_ERROR_INVALID_HANDLE, call, "linker %p does not exist",
                             (void *)state);
    }
    return code;
}

CUresult cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *state)
{
    const CUresult code = driver_begin("cuLinkCreate");
    runtime_speak_as(NULL);
    if (code == CUDA_SUCCESS) {
        *state = handle_create(&links);
        (*state)->log = (struct jit_log){count, options, values};
        (*state)->input = room_new(1, sizeof *(*state)->input);
    }
    return code;
}

static CUresult add(const char *call, CUlinkState state, CUjitInputType type, const void *data,
                    size_t bytes)
{
    struct err e = {0};
    if (type == CU_JIT_INPUT_NVVM || type == CU_JIT_INPUT_LIBRARY || type == CU_JIT_INPUT_OBJECT) {
        return driver_reject(CUDA_ERROR_NOT_SUPPORTED, call,
                             "the simulator links PTX and fat binaries, no %s",
                             type == CU_JIT_INPUT_NVVM ? "LTO code" : "objects or libraries");
    }
    /* The caller may free the data: a copy, with the NUL that text ends in. */
    char *copy = arena_alloc(&state->input->arena, bytes + 1);
    memcpy(copy, data, bytes);
    const CUresult code = jit_read_image(state->input, copy, bytes, "the linker's input", &e);
    if (code != CUDA_SUCCESS) {
        jit_tell(&state->log, e.text);
        driver_reject(code, call, "%s", e.text);
    }
    return code;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                       const char *name, unsigned int count, CUjit_option *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    const CUresult code = check_link("cuLinkAddData", state);
    return code == CUDA_SUCCESS ? add("cuLinkAddData", state, type, data, bytes) : code;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *file, unsigned int count,
                       CUjit_option *options, void **values)
{
    (void)count, (void)options, (void)values;
    size_t bytes = 0;
    CUresult code = check_link("cuLinkAddFile", state);
    if (code != CUDA_SUCCESS) {
        return code;
    }
    char *data = jit_read_file(file, &bytes);
    code = data != NULL ? add("cuLinkAddFile", state, type, data, bytes)
                        : driver_reject(CUDA_ERROR_FILE_NOT_FOUND, "cuLinkAddFile",
                                        "%s cannot be read", file);
    free(data);
    return code;
}

static size_t write_linked(const struct jit_input *input, char *out)
{
    size_t used = sizeof linked_magic - 1;
    memcpy(out, linked_magic, used);
    for (unsigned i = 0; i <= input->count; i++) {
        const size_t length = i < input->count ? input->texts[i].length : 0;
        memcpy(out + used, &length, sizeof length);
        used += sizeof length;
        if (length > 0) {
            memcpy(out + used, input->texts[i].text, length);
        }
        used += length;
    }
    return used;
}

/* Reads and links once, so that mistakes are reported here. */
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
    struct err e = {0};
    const CUresult code = check_link("cuLinkComplete", state);
    if (code != CUDA_SUCCESS) {
        return code;
    }
    const struct jit_input *input = state->input;
    struct image *trial = registry_open_image(input->texts, input->count, &e);
    jit_tell(&state->log, trial == NULL ? e.text : NULL);
    if (trial == NULL) {
        return driver_reject(driver_code(cuda_error_from_simt(&e)), "cuLinkComplete", "%s", e.text);
    }
    registry_close_image(trial);
    size_t room = sizeof linked_magic + sizeof room;
    for (unsigned i = 0; i < input->count; i++) {
        room += input->texts[i].length + sizeof room;
    }
    free(state->image);
    state->image = room_raw(room, 1);
    const size_t used = write_linked(input, state->image);
    *image = state->image;
    if (bytes != NULL) {
        *bytes = used;
    }
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    const CUresult code = check_link("cuLinkDestroy", state);
    if (code == CUDA_SUCCESS) {
        jit_free_input(state->input);
        free(state->input);
        free(state->image);
        handle_destroy(&links, state);
    }
    return code;
}
