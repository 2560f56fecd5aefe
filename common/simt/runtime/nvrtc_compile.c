/* nvrtc_compile.c - a program's text becomes PTX: simtcc is called with it, in a directory of its
 * own. */
#include "runtime/nvrtc_program.h"
#include "base/room.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Made by simtcc. */
extern const char simt_compiler[] __attribute__((weak));
extern const char simt_frontend[] __attribute__((weak));

enum { MOST_WORDS = 256, PATH_BYTES = 1200 };

/* What simtcc is called with: `count` words, of which the last is NULL. */
struct command {
    char *words[MOST_WORDS + 1];
    unsigned count;
    struct arena arena;
};

static void say(struct command *c, const char *word)
{
    if (c->count < MOST_WORDS) {
        c->words[c->count++] = arena_strndup(&c->arena, word, strlen(word));
    }
}

/* Options of NVRTC that nvcc does not have, or that change nothing here. */
static bool is_ignored(const char *option)
{
    static const char *const ignored[] = {"-default-device",
                                          "--device-as-default-execution-space",
                                          "-extra-device-vectorization",
                                          "--extra-device-vectorization",
                                          "--device-debug",
                                          "-G",
                                          "--gen-opt-lto",
                                          "-dopt",
                                          "--dopt",
                                          "-ewp",
                                          "--extensible-whole-program",
                                          "--split-compile",
                                          "--minimal",
                                          "-minimal",
                                          "-no-source-include",
                                          "--no-source-include",
                                          "--builtin-move-forward",
                                          "--builtin-initializer-list"};
    for (unsigned i = 0; i < ARRAY_LENGTH(ignored); i++) {
        const size_t length = strlen(ignored[i]);
        if (strncmp(option, ignored[i], length) == 0 &&
            (option[length] == '\0' || option[length] == '=')) {
            return true;
        }
    }
    return false;
}

/* Long options of NVRTC as simtcc has them: --include-path=DIR is -IDIR. */
static void say_option(struct command *c, const char *option)
{
    static const struct {
        const char *from, *to;
    } table[] = {{"--include-path=", "-I"},
                 {"--define-macro=", "-D"},
                 {"--undefine-macro=", "-U"},
                 {"--pre-include=", "-include"},
                 {"--use_fast_math", "-use_fast_math"},
                 {"--relocatable-device-code=", "-rdc="},
                 {"--device-c", "-rdc=true"},
                 {"-dc", "-rdc=true"}};
    char text[PATH_BYTES];
    for (unsigned i = 0; i < ARRAY_LENGTH(table); i++) {
        const size_t length = strlen(table[i].from);
        if (strncmp(option, table[i].from, length) == 0) {
            snprintf(text, sizeof text, "%s%s", table[i].to, option + length);
            say(c, text);
            return;
        }
    }
    if (!is_ignored(option)) {
        say(c, option);
    }
}

static bool write_text(const char *directory, const char *name, const char *first, const char *text,
                       const struct _nvrtcProgram *p)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    for (char *at = path + strlen(directory) + 1; (at = strchr(at, '/')) != NULL; at++) {
        char parent[PATH_BYTES];
        snprintf(parent, sizeof parent, "%.*s", (int)(at - path), path);
        if (access(parent, F_OK) != 0) {
            char command[PATH_BYTES + 20];
            snprintf(command, sizeof command, "mkdir -p '%s'", parent);
            if (system(command) != 0) {
                return false;
            }
        }
    }
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        return false;
    }
    fprintf(f, "%s%s\n", first, text);
    /* A template is instantiated where its address is taken. */
    for (unsigned i = 0; p != NULL && i < p->expression_count; i++) {
        fprintf(
            f, "extern \"C\" __attribute__((used)) void *simt_name_%u() { return (void *)(%s); }\n",
            i, p->expressions[i]);
    }
    return fclose(f) == 0;
}

static bool write_sources(nvrtcProgram p, const char *directory)
{
    char first[PATH_BYTES];
    bool good = true;
    for (int i = 0; i < p->header_count && good; i++) {
        good = write_text(directory, p->header_names[i], "", p->headers[i], NULL);
    }
    snprintf(first, sizeof first, "#line 1 \"%s\"\n", p->name);
    return good && write_text(directory, "program.cu", first, p->source, p);
}

/* simtcc's exit status; -1: it could not be started. */
static int run_command(const struct command *c, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const bool started = posix_spawn(&child, c->words[0], &actions, NULL, c->words, environ) == 0;
    if (started && waitpid(child, &status, 0) == child) {
        status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

static char *read_all(const char *directory, const char *name, size_t *bytes)
{
    char path[PATH_BYTES], *text = NULL;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "r");
    *bytes = 0;
    if (f != NULL && fseek(f, 0, SEEK_END) == 0) {
        const long end = ftell(f);
        rewind(f);
        text = room_new(1, (size_t)(end > 0 ? end : 0) + 1);
        *bytes = end > 0 ? fread(text, 1, (size_t)end, f) : 0;
    }
    if (f != NULL) {
        fclose(f);
    }
    return text;
}

static void set_log(nvrtcProgram p, const char *text)
{
    free(p->log);
    p->log = room_text(text);
    p->log_bytes = strlen(text);
}

static nvrtcResult compile_in(nvrtcProgram p, const char *directory, int count,
                              const char *const *options)
{
    struct command c = {.count = 0};
    char text[PATH_BYTES];
    if (!write_sources(p, directory)) {
        return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    }
    say(&c, simt_compiler);
    snprintf(text, sizeof text, "--frontend=%s", simt_frontend);
    say(&c, text);
    say(&c, "-ptx");
    say(&c, "-w");
    snprintf(text, sizeof text, "-I%s", directory);
    say(&c, text);
    say(&c, "-include"); /* a text may use assert() without it */
    say(&c, "assert.h");
    say(&c, "-I."); /* where the program's own text would lie */
    for (int i = 0; i < count; i++) {
        say_option(&c, options[i]);
    }
    snprintf(text, sizeof text, "%s/program.cu", directory);
    say(&c, text);
    say(&c, "-o");
    snprintf(text, sizeof text, "%s/program.ptx", directory);
    say(&c, text);
    snprintf(text, sizeof text, "%s/log", directory);
    const int status = run_command(&c, text);
    arena_free(&c.arena);
    free(p->log);
    free(p->ptx);
    p->log = read_all(directory, "log", &p->log_bytes);
    p->ptx = read_all(directory, "program.ptx", &p->ptx_bytes);
    p->compiled = status == 0;
    switch (status) { /* simtcc's */
    case 0:
        return NVRTC_SUCCESS;
    case 1:
        return NVRTC_ERROR_COMPILATION;
    case 2:
        return NVRTC_ERROR_INVALID_OPTION;
    default:
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
}

nvrtcResult nvrtc_compile(nvrtcProgram program, int count, const char *const *options)
{
    if (simt_compiler == NULL || access(simt_compiler, X_OK) != 0) {
        set_log(program, "no compiler: link with simtcc ... -lnvrtc, and leave simtcc where it is");
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    char directory[300], command[320];
    const char *scratch = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%.250s/simt_nvrtc.XXXXXX",
             scratch != NULL ? scratch : "/tmp");
    if (mkdtemp(directory) == NULL) {
        set_log(program, "no directory for temporary files");
        return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    }
    const nvrtcResult result = compile_in(program, directory, count, options);
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (system(command) != 0) {
        fprintf(stderr, "simt: %s could not be removed\n", directory);
    }
    return result;
}
