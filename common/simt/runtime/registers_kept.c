/* registers_kept.c - see registers_kept.h. */
#include "runtime/registers_kept.h"
#include "base/room.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MOST_NAME = 200 };

/* The folder, or false where there is none to be had. Only the last two of its parts are made. */
static bool find_folder(char *path, size_t size)
{
    const char *own = getenv("SIMT_CACHE_DIR"), *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = 0;
    if (own != NULL) {
        length = snprintf(path, size, "%s", own);
    } else if (cache != NULL && cache[0] == '/') {
        length = snprintf(path, size, "%s/simt", cache);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, size, "%s/.cache", home);
        if (length < (int)size) {
            mkdir(path, 0700);
        }
        length = snprintf(path, size, "%s/.cache/simt", home);
    }
    if (length <= 0 || length >= (int)size) {
        return false;
    }
    struct stat status;
    mkdir(path, 0700);
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool find_file(char *path, size_t size)
{
    char folder[PATH_BYTES];
    return find_folder(folder, sizeof folder) &&
           snprintf(path, size, "%s/registers", folder) < (int)size;
}

unsigned registers_kept(uint64_t hash, unsigned arch)
{
    char path[PATH_BYTES + 32];
    FILE *file = find_file(path, sizeof path) ? fopen(path, "r") : NULL;
    unsigned registers = 0, known_arch, known;
    uint64_t known_hash;
    while (file != NULL && registers == 0 &&
           fscanf(file, "%" SCNx64 " sm_%u %u%*[^\n]", &known_hash, &known_arch, &known) == 3) {
        registers = known_hash == hash && known_arch == arch ? known : 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return registers;
}

/* The file's newer half in its place. Programs that read it meanwhile have the old one. */
static void halve(const char *path, size_t bytes)
{
    char fresh_path[PATH_BYTES + 64];
    char *text = room_raw(bytes + 1, 1);
    FILE *old = fopen(path, "r");
    const size_t length = old != NULL ? fread(text, 1, bytes, old) : 0;
    text[length] = '\0';
    const char *half = strchr(text + length / 2, '\n');
    snprintf(fresh_path, sizeof fresh_path, "%s.%ld", path, (long)getpid());
    FILE *fresh = half != NULL ? fopen(fresh_path, "w") : NULL;
    if (fresh != NULL) {
        const bool good = fputs(half + 1, fresh) >= 0;
        if (fclose(fresh) != 0 || !good || rename(fresh_path, path) != 0) {
            unlink(fresh_path);
        }
    }
    if (old != NULL) {
        fclose(old);
    }
    free(text);
}

void registers_keep(uint64_t hash, unsigned arch, unsigned registers, const char *kernel)
{
    char path[PATH_BYTES + 32], line[MOST_NAME + 64];
    struct stat status;
    FILE *file = find_file(path, sizeof path) ? fopen(path, "a") : NULL;
    if (file == NULL) {
        return;
    }
    snprintf(line, sizeof line, "%016" PRIx64 " sm_%u %u %.*s\n", hash, arch, registers, MOST_NAME,
             kernel);
    fputs(line, file); /* one write() at the end, so that programs side by side do not mix lines */
    fclose(file);
    if (stat(path, &status) == 0 && status.st_size > REGISTERS_KEPT_BYTES) {
        halve(path, (size_t)status.st_size);
    }
}
