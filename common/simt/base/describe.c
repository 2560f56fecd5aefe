/* describe.c - see describe.h, and simt_describe_address() in simt.h. */
#include "base/describe.h"
#include "base/hostile.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include "base/arena.h"

extern char **environ;

/* ---- call sites ------------------------------------------------------------------------------ */

enum {
    MOST_FRAMES = DESCRIBE_FRAMES, /* from an error deep in the runtime to the program */
    FRAMES_OF_A_CALL = 3           /* the call, NVIDIA's wrapper around it, the program */
};
enum { SITE_BUCKETS = UNLESS_HOSTILE(1024, 2), MOST_STACK_BYTES = 64 << 20 };

struct caller {
    struct describe_frames frames;
    const char *line;    /* "x.cu:12", "" if there is none, NULL if not looked up yet */
    struct caller *next; /* in its bucket */
};

static struct {
    pthread_mutex_t lock;
    struct caller *buckets[SITE_BUCKETS];
    struct arena arena;
} sites = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct walk {
    const void *from; /* frames count from this return address on; NULL: from the first */
    unsigned count, limit;
    struct describe_frames frames;
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *state)
{
    struct walk *walk = state;
    const void *address = (const void *)(uintptr_t)_Unwind_GetIP(context);
    if (walk->count > 0 || walk->from == NULL || address == walk->from) {
        walk->frames.at[walk->count++] = address;
    }
    return walk->count == walk->limit ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* ---- stack frames ---------------------------------------------------------------------------- */

struct frame_walk {
    uint64_t address, end; /* end: of the frame that holds it, when found */
    bool inside;
};

/* A frame is visited with the stack pointer that it had: it reaches up to that of the next one. */
static _Unwind_Reason_Code look_into_frame(struct _Unwind_Context *context, void *state)
{
    struct frame_walk *walk = state;
    const uint64_t begin = _Unwind_GetCFA(context);
    if (walk->inside && begin > walk->address) {
        walk->end = begin;
        return _URC_END_OF_STACK;
    }
    walk->inside |= begin <= walk->address;
    return _URC_NO_REASON;
}

uint64_t describe_frame_end(const void *address)
{
    const uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    struct frame_walk walk = {.address = (uint64_t)(uintptr_t)address};
    if (walk.address > here && walk.address - here < MOST_STACK_BYTES) {
        _Unwind_Backtrace(look_into_frame, &walk);
    }
    return walk.end;
}

/* ---- sites ----------------------------------------------------------------------------------- */

static struct caller **bucket_of(const struct describe_frames *frames)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < MOST_FRAMES && frames->at[i] != NULL; i++) {
        hash = (hash ^ (uint64_t)(uintptr_t)frames->at[i]) * HASH_MULTIPLIER;
    }
    return &sites.buckets[(hash >> 32) % SITE_BUCKETS];
}

/* Equal frames are one site. */
static struct caller *site_of(const struct describe_frames *frames)
{
    struct caller **bucket = bucket_of(frames);
    pthread_mutex_lock(&sites.lock);
    struct caller *site = *bucket;
    while (site != NULL && memcmp(&site->frames, frames, sizeof *frames) != 0) {
        site = site->next;
    }
    if (site == NULL) {
        site = arena_alloc(&sites.arena, sizeof *site);
        site->frames = *frames;
        site->next = *bucket;
        *bucket = site;
    }
    pthread_mutex_unlock(&sites.lock);
    return site;
}

const void *describe_call_site(const void *return_address)
{
    struct walk walk = {.from = return_address, .limit = FRAMES_OF_A_CALL};
    _Unwind_Backtrace(take_frame, &walk);
    if (walk.count == 0) { /* no unwind tables: the address alone */
        walk.frames.at[0] = return_address;
    }
    return site_of(&walk.frames);
}

/* What made_at holds: a call site of ours, or one plain return address. */
static struct caller *site_behind(const void *address)
{
    struct caller *found = NULL;
    pthread_mutex_lock(&sites.lock);
    for (unsigned b = 0; b < SITE_BUCKETS && found == NULL; b++) {
        found = sites.buckets[b];
        while (found != NULL && found != address) {
            found = found->next;
        }
    }
    pthread_mutex_unlock(&sites.lock);
    struct describe_frames plain = {{address}};
    return found != NULL ? found : site_of(&plain);
}

/* ---- addresses to lines ---------------------------------------------------------------------- */

/* Starts addr2line and returns a stream of what it prints, or NULL. */
static FILE *start_addr2line(char *const arguments[], pid_t *child)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return NULL;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *output = started ? fdopen(ends[0], "r") : NULL;
    if (output == NULL) {
        close(ends[0]);
    }
    return output;
}

/* The offset that addr2line wants: of a position-independent file, from where it is loaded. */
static uint64_t file_offset(const void *address, const Dl_info *info)
{
    const Elf64_Ehdr *header = info->dli_fbase;
    uint64_t at = (uint64_t)(uintptr_t)address - 1; /* into the call, not behind it */
    return header->e_type == ET_DYN ? at - (uint64_t)(uintptr_t)header : at;
}

/* Lines that are not the learner's: the C++ wrappers of NVIDIA's headers, the headers of the C and
 * C++ libraries, the simulator's own files and headers, and places without a line. */
static bool is_user_line(const char *line)
{
    const char *slash = strrchr(line, '/');
    const char *base = slash != NULL ? slash + 1 : line;
    return strchr(base, ':') != NULL && strstr(base, ":0") == NULL && strstr(base, ":?") == NULL &&
           strncmp(base, "cuda_runtime", strlen("cuda_runtime")) != 0 &&
           strncmp(base, "device_functions.h", strlen("device_functions.h")) != 0 &&
           strstr(line, "/include/c++/") == NULL &&
           strncmp(line, "/usr/include/", strlen("/usr/include/")) != 0 &&
           strstr(line, "/common/simt/") == NULL;
}

/* "/home/me/x.cu:?": the compiler has joined calls of several lines. Without debug information, as
 * in the library, a file has no folder. */
static bool is_user_file(const char *line)
{
    const size_t length = strlen(line);
    return length > 2 && strcmp(line + length - 2, ":?") == 0 && strchr(line, '/') != NULL &&
           strstr(line, "/common/simt/") == NULL;
}

static void keep_name(const char *line, char *text, size_t size)
{
    const char *slash = strrchr(line, '/');
    snprintf(text, size, "%.*s", (int)size - 1, slash != NULL ? slash + 1 : line);
}

/* The first of the lines printed that is the learner's: "file.cu:12"; else the file alone. */
static bool read_user_line(FILE *output, char *text, size_t size)
{
    char line[1024];
    bool found = false, has_file = false;
    while (fgets(line, sizeof line, output) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        char *remark = strstr(line, " (discriminator");
        if (remark != NULL) {
            *remark = '\0';
        }
        if (!found && is_user_line(line)) {
            keep_name(line, text, size);
            found = true;
        } else if (!found && !has_file && is_user_file(line)) {
            keep_name(line, text, size);
            has_file = true;
        }
    }
    char *unknown = found || !has_file ? NULL : strrchr(text, ':');
    if (unknown != NULL) {
        *unknown = '\0';
    }
    return found || has_file;
}

/* dli_fname of the program itself may be a bare name that the current directory does not hold. */
static void file_of(const Dl_info *info, char *file, size_t size)
{
    ssize_t length = -1;
    if (info->dli_fname == NULL || strstr(info->dli_fname, ".so") == NULL) {
        length = readlink("/proc/self/exe", file, size - 1);
    }
    if (length > 0) {
        file[length] = '\0';
    } else {
        snprintf(file, size, "%s", info->dli_fname != NULL ? info->dli_fname : "");
    }
}

static bool find_line(const struct describe_frames *frames, char *text, size_t size)
{
    char program[] = "addr2line", inlined[] = "-i", executable[] = "-e", file[4096];
    char addresses[MOST_FRAMES][32];
    char *arguments[5 + MOST_FRAMES] = {program, inlined, executable, file};
    unsigned count = 4;
    Dl_info first, info;
    if (dladdr(frames->at[0], &first) == 0) {
        return false;
    }
    file_of(&first, file, sizeof file);
    for (unsigned i = 0; i < MOST_FRAMES && frames->at[i] != NULL; i++) {
        if (dladdr(frames->at[i], &info) == 0 || info.dli_fbase != first.dli_fbase) {
            break;
        }
        snprintf(addresses[i], sizeof addresses[i], "0x%llx",
                 (unsigned long long)file_offset(frames->at[i], &info));
        arguments[count++] = addresses[i];
    }
    pid_t child;
    FILE *output = start_addr2line(arguments, &child);
    if (output == NULL) {
        return false;
    }
    bool found = read_user_line(output, text, size);
    fclose(output);
    waitpid(child, NULL, 0);
    return found;
}

static const char *line_of(struct caller *site)
{
    pthread_mutex_lock(&sites.lock);
    if (site->line == NULL) {
        char text[512] = "";
        find_line(&site->frames, text, sizeof text);
        site->line = arena_strndup(&sites.arena, text, strlen(text));
    }
    pthread_mutex_unlock(&sites.lock);
    return site->line;
}

const void *describe_here(void)
{
    struct walk walk = {.limit = MOST_FRAMES};
    _Unwind_Backtrace(take_frame, &walk);
    return site_of(&walk.frames);
}

/* The way from a handler to the program leads through the C library, which is left out. */
void describe_interrupted_frames(const void *instruction, struct describe_frames *out)
{
    struct walk walk = {.from = instruction, .limit = MOST_FRAMES};
    Dl_info self, info;
    *out = (struct describe_frames){{NULL}};
    _Unwind_Backtrace(take_frame, &walk);
    bool known = dladdr((const void *)(uintptr_t)describe_interrupted, &self) != 0;
    for (unsigned i = 0, n = 0; known && i < walk.count; i++) {
        const char *at = walk.frames.at[i];
        if (dladdr(at, &info) != 0 && info.dli_fbase == self.dli_fbase) {
            out->at[n++] = at == instruction ? at + 1 : at; /* the others are return addresses */
        }
    }
}

const void *describe_site_of(const struct describe_frames *frames) { return site_of(frames); }

const char *describe_interrupted(const void *instruction)
{
    struct describe_frames frames;
    describe_interrupted_frames(instruction, &frames);
    return describe_line(site_of(&frames));
}

const char *describe_line(const void *address) { return line_of(site_behind(address)); }

void simt_describe_address(const void *address, char *text, size_t size)
{
    struct caller *site = site_behind(address);
    const char *line = line_of(site);
    if (line[0] != '\0') {
        snprintf(text, size, "%s", line);
    } else {
        snprintf(text, size, "%p", (void *)(uintptr_t)site->frames.at[0]);
    }
}
