/* compiler.c - see compiler.h. The compiler runs behind a shell that ends at once: so a program
 * that waits for its own children never meets it, and it ends what it has begun though the program
 * may end first, for the next run. */
#include "translate/compiler.h"

#ifdef SIMT_UNIT /* else nobody calls what stands here: translate.c */
#include "base/names.h"
#include "base/room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* $1: the text, $2: the object, $3: where a failure is noted, $4: nice, or nothing; the compiler
 * and its options follow. The object gets its name when it is whole. */
static const char script[] = "(text=$1 object=$2 failure=$3 nice=$4; shift 4\n"
                             " if $nice \"$@\" -x c \"$text\" -o \"$object.$$\" -lm && mv "
                             "\"$object.$$\" \"$object\"; then :\n"
                             " else : >\"$failure\"; rm -f \"$object.$$\"; fi\n"
                             " rm -f \"$text\") </dev/null >/dev/null 2>&1 &";

static const char *const options[] = {SIMT_CC, SIMT_UNIT_OPTIONS, "-shared", "-include", SIMT_UNIT};

/* The folder, which must be nobody else's. */
static bool find_folder(char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool given = cache != NULL && cache[0] == '/';
    if (!given && (home == NULL || home[0] != '/')) {
        return false;
    }
    snprintf(path, size, "%s%s", given ? cache : home, given ? "" : "/.cache");
    mkdir(path, 0700); /* it may be there */
    const size_t length = strlen(path);
    snprintf(path + length, size - length, "/simt");
    mkdir(path, 0700);
    struct stat is;
    return lstat(path, &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == geteuid() &&
           (is.st_mode & (S_IWGRP | S_IWOTH)) == 0 && access(path, W_OK) == 0 &&
           strlen(path) + 100 < size;
}

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = names_hash(text, length);
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
        hash = hash * 31 + names_hash(options[i], strlen(options[i]));
    }
    return hash;
}

bool compiler_open(struct compiler_job *job, const char *text, size_t length)
{
    char folder[sizeof job->object];
    if (access(SIMT_UNIT, R_OK) != 0 || !find_folder(folder, sizeof folder)) {
        return false;
    }
    snprintf(job->object, sizeof job->object, "%.400s/%016" PRIx64 ".so", folder,
             hash_of(text, length));
    snprintf(job->source, sizeof job->source, "%s.%d.c", job->object, (int)getpid());
    snprintf(job->failure, sizeof job->failure, "%s.%d.no", job->object, (int)getpid());
    return true;
}

enum compiler_state compiler_look(const struct compiler_job *job)
{
    if (access(job->object, R_OK) == 0) {
        utimensat(AT_FDCWD, job->object, NULL, 0); /* used now */
        return COMPILER_READY;
    }
    return unlink(job->failure) == 0 ? COMPILER_FAILED : COMPILER_ABSENT;
}

/* --- the size of the folder ------------------------------------------------------------------- */

struct entry {
    char *path;
    off_t bytes;
    struct timespec used;
};

static int by_use(const void *a, const void *b)
{
    const struct timespec x = ((const struct entry *)a)->used, y = ((const struct entry *)b)->used;
    if (x.tv_sec != y.tv_sec) {
        return x.tv_sec < y.tv_sec ? -1 : 1;
    }
    return x.tv_nsec < y.tv_nsec ? -1 : x.tv_nsec > y.tv_nsec;
}

static char *path_in(const char *folder, const char *name)
{
    char *path;
    size_t length;
    FILE *f = room_stream(&path, &length);
    fprintf(f, "%s/%s", folder, name);
    room_stream_end(f);
    return path;
}

/* Removes what was used least recently, until COMPILER_CACHE_BYTES are left. */
static void make_room(const char *folder)
{
    struct entry *entries = NULL;
    unsigned count = 0, room = 0;
    off_t bytes = 0;
    DIR *d = opendir(folder);
    if (d == NULL) {
        return;
    }
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        struct stat is;
        struct entry entry = {.path = path_in(folder, e->d_name)};
        if (lstat(entry.path, &is) != 0 || !S_ISREG(is.st_mode)) {
            free(entry.path);
            continue;
        }
        entry.bytes = is.st_size;
        entry.used = is.st_mtim;
        bytes += is.st_size;
        ROOM_FOR_ONE(entries, count, room, 16);
        entries[count++] = entry;
    }
    closedir(d);
    qsort(entries, count, sizeof *entries, by_use);
    for (unsigned i = 0; i < count; i++) {
        if (bytes > COMPILER_CACHE_BYTES && unlink(entries[i].path) == 0) {
            bytes -= entries[i].bytes;
        }
        free(entries[i].path);
    }
    free(entries);
}

/* --- the compiler ----------------------------------------------------------------------------- */

static bool write_text(const char *path, const char *text, size_t length)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return false;
    }
    size_t done = 0;
    while (done < length) {
        const ssize_t some = write(file, text + done, length - done);
        if (some <= 0) {
            break;
        }
        done += (size_t)some;
    }
    return close(file) == 0 && done == length;
}

bool compiler_begin(const struct compiler_job *job, const char *text, size_t length, bool nice)
{
    enum { BEFORE = 8, OPTIONS = sizeof options / sizeof options[0] };
    const char *words[BEFORE + OPTIONS + 1] = {
        "sh", "-c", script, "sh", job->source, job->object, job->failure, nice ? "nice" : ""};
    for (unsigned i = 0; i < OPTIONS; i++) {
        words[BEFORE + i] = options[i];
    }
    char folder[sizeof job->object];
    if (!find_folder(folder, sizeof folder)) {
        return false;
    }
    make_room(folder);
    if (!write_text(job->source, text, length)) {
        return false;
    }
    pid_t shell;
    int status;
    if (posix_spawn(&shell, "/bin/sh", NULL, NULL, (char *const *)words, environ) != 0) {
        unlink(job->source);
        return false;
    }
    while (waitpid(shell, &status, 0) < 0 && errno == EINTR) {
    }
    return true;
}

#endif
