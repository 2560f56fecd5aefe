/* nvrtc.c - NVRTC: a program's text becomes PTX by simtcc, in a process of its own. A "cubin" is
 * the PTX, too, which cuModuleLoadData() takes.
 *
 * simtcc says at link time (-lnvrtc) where it lies, and which compiler the program was built with.
 * Without a compiler, compilations end in NVRTC_ERROR_BUILTIN_OPERATION_FAILURE and a log that says
 * so. */
#include "runtime/nvrtc_program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"

static struct handle_pool programs = HANDLE_POOL(struct _nvrtcProgram);

const char *nvrtcGetErrorString(nvrtcResult result)
{
    switch (result) {
#define NAME(name, value)                                                                          \
    case name:                                                                                     \
        return #name;
        SIMT_NVRTC_RESULTS(NAME)
#undef NAME
    }
    return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (major == NULL || minor == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

static const int architectures[] = {70, 72, 75, 80, 86, 87, 89, 90};

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    *count = (int)ARRAY_LENGTH(architectures);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *list)
{
    memcpy(list, architectures, sizeof architectures);
    return NVRTC_SUCCESS;
}

/* ---- programs -------------------------------------------------------------------------------- */

static bool is_live(nvrtcProgram p) { return p != NULL && handle_is_live(&programs, p); }

static const char *keep(nvrtcProgram p, const char *text)
{
    return arena_strndup(&p->arena, text, strlen(text));
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                               int headerCount, const char *const *headers,
                               const char *const *headerNames)
{
    if (program == NULL || source == NULL || headerCount < 0 ||
        (headerCount > 0 && (headers == NULL || headerNames == NULL))) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    nvrtcProgram p = handle_create(&programs);
    const char **texts = arena_alloc(&p->arena, (size_t)(headerCount + 1) * sizeof *texts);
    const char **names = arena_alloc(&p->arena, (size_t)(headerCount + 1) * sizeof *names);
    for (int i = 0; i < headerCount; i++) {
        texts[i] = keep(p, headers[i]);
        names[i] = keep(p, headerNames[i]);
    }
    p->source = keep(p, source);
    p->name = keep(p, name != NULL && name[0] != '\0' ? name : "default_program");
    p->headers = texts;
    p->header_names = names;
    p->header_count = headerCount;
    *program = p;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (program == NULL || !is_live(*program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    nvrtcProgram p = *program;
    free(p->ptx);
    free(p->log);
    arena_free(&p->arena);
    handle_destroy(&programs, p);
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    return is_live(program) ? nvrtc_compile(program, count, options) : NVRTC_ERROR_INVALID_PROGRAM;
}

/* ---- what came of it ------------------------------------------------------------------------- */

static nvrtcResult text_size(nvrtcProgram p, const char *text, size_t used, size_t *bytes)
{
    if (!is_live(p)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (bytes == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    *bytes = text != NULL ? used + 1 : 1; /* with its NUL */
    return NVRTC_SUCCESS;
}

static nvrtcResult text_copy(nvrtcProgram p, const char *text, size_t used, char *out)
{
    if (!is_live(p) || out == NULL) {
        return out == NULL ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (text != NULL) {
        memcpy(out, text, used);
    }
    out[text != NULL ? used : 0] = '\0';
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *bytes)
{
    return text_size(p, p->ptx, p->ptx_bytes, bytes);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx)
{
    return text_copy(p, p->ptx, p->ptx_bytes, ptx);
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes) { return nvrtcGetPTXSize(p, bytes); }

nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin) { return nvrtcGetPTX(p, cubin); }

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes)
{
    return text_size(p, p->log, p->log_bytes, bytes);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log)
{
    return text_copy(p, p->log, p->log_bytes, log);
}

static nvrtcResult no_lto(void)
{
    fprintf(stderr, "simt: nvrtcGetLTOIR: code for link-time optimisation is not simulated: "
                    "nvrtcGetPTX() gives PTX, which cuLinkAddData() links\n");
    return NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram p, size_t *bytes)
{
    (void)p;
    *bytes = 0;
    return no_lto();
}

nvrtcResult nvrtcGetLTOIR(nvrtcProgram p, char *code)
{
    (void)p, (void)code;
    return no_lto();
}

/* ---- names ----------------------------------------------------------------------------------- */

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression)
{
    if (!is_live(p) || expression == NULL) {
        return !is_live(p) ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_ERROR_INVALID_INPUT;
    }
    if (p->compiled) {
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    }
    if (p->expression_count == MOST_EXPRESSIONS) {
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    p->expressions[p->expression_count++] = keep(p, expression);
    return NVRTC_SUCCESS;
}

/* Without blanks and the & in front. */
static void squeeze(const char *from, char *to, size_t size)
{
    size_t used = 0;
    for (; *from != '\0' && used + 1 < size; from++) {
        if (!isspace((unsigned char)*from) && !(used == 0 && *from == '&')) {
            to[used++] = *from;
        }
    }
    to[used] = '\0';
}

/* The word behind ".entry" or behind the type of a variable, if it demangles to the expression. */
static const char *find_lowered(nvrtcProgram p, const char *expression)
{
    char wanted[1000], plain[1000], found[1000], word[1000];
    squeeze(expression, wanted, sizeof wanted);
    for (const char *at = p->ptx;
         at != NULL && (at = strpbrk(at, "_abcdefghijklmnopqrstuvwxyzABCD"
                                         "EFGHIJKLMNOPQRSTUVWXYZ")) != NULL;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '$') {
            length++;
        }
        if (length < sizeof word && (strncmp(at, "_Z", 2) == 0 || length == strlen(wanted))) {
            memcpy(word, at, length);
            word[length] = '\0';
            demangle_name(word, plain, sizeof plain);
            squeeze(plain, found, sizeof found);
            if (strcmp(found, wanted) == 0) {
                return keep(p, word);
            }
        }
        at += length;
    }
    return NULL;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **name)
{
    if (!is_live(p) || expression == NULL || name == NULL) {
        return !is_live(p) ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_ERROR_INVALID_INPUT;
    }
    if (!p->compiled) {
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    }
    for (unsigned i = 0; i < p->expression_count; i++) {
        if (strcmp(p->expressions[i], expression) == 0) {
            if (p->lowered[i] == NULL) {
                p->lowered[i] = find_lowered(p, expression);
            }
            *name = p->lowered[i];
            return *name != NULL ? NVRTC_SUCCESS : NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
        }
    }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
