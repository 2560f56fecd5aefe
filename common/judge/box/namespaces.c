/* namespaces.c - a view of the machine that holds little: a few folders, no other processes, no
 * network. Everything is done by an ordinary user in a user namespace of his own. */
#include "common/judge/box/box.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool write_file(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0) {
        close(file);
    }
    return good;
}

const char *box_leave(void)
{
    char user[64], group[64];
    snprintf(user, sizeof user, "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    snprintf(group, sizeof group, "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                CLONE_NEWUTS) != 0) {
        return "namespaces for users, files, processes and the network";
    }
    if (!write_file("/proc/self/setgroups", "deny") || !write_file("/proc/self/uid_map", user) ||
        !write_file("/proc/self/gid_map", group)) {
        return "a user of its own in a user namespace";
    }
    return NULL;
}

/* --- what is shown ---------------------------------------------------------------------------- */

/* The box's root lies at /new while it is made, the machine's at /old. A place is shown under the
 * name it was asked for by, and lies where all links end. */
struct place {
    const char *name;
    char source[PATH_MAX + 8];
    bool writable, folder;
};
enum { MOST_PLACES = 2 * BOX_PATHS + 16 };
static struct place places[MOST_PLACES];
static unsigned place_count;

/* What lies in a folder that is shown is shown. */
static bool is_shown(const char *name)
{
    for (unsigned i = 0; i < place_count; i++) {
        const size_t length = strlen(places[i].name);
        if (places[i].folder && strncmp(places[i].name, name, length) == 0 &&
            (name[length] == '/' || name[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static void add_place(const char *name, bool writable)
{
    char whole[PATH_MAX];
    struct stat about;
    struct place *p = &places[place_count];
    if (place_count == MOST_PLACES || (!writable && is_shown(name)) ||
        realpath(name, whole) == NULL || stat(whole, &about) != 0) {
        return;
    }
    p->name = name;
    snprintf(p->source, sizeof p->source, "/old%s", whole);
    p->writable = writable;
    p->folder = S_ISDIR(about.st_mode);
    place_count++;
}

static void choose_places(const struct box_view *view)
{
    static const char *const always[] = {"/usr",
                                         "/bin",
                                         "/sbin",
                                         "/lib",
                                         "/lib64",
                                         "/lib32",
                                         "/etc/alternatives",
                                         "/etc/ld.so.cache"};
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/full"};
    for (unsigned i = 0; i < sizeof always / sizeof *always; i++) {
        add_place(always[i], false);
    }
    for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++) {
        add_place(devices[i], true);
    }
    for (unsigned i = 0; i < view->see_count; i++) {
        add_place(view->see[i], false);
    }
    for (unsigned i = 0; i < view->own_count; i++) {
        add_place(view->own[i], true);
    }
}

/* The folders of a path, and the file or folder at its end. */
static bool make_place(const char *path, bool folder)
{
    char part[PATH_MAX + 8];
    for (size_t i = 1; path[i] != '\0'; i++) {
        if (path[i] == '/') {
            snprintf(part, sizeof part, "%.*s", (int)i, path);
            mkdir(part, 0755);
        }
    }
    if (folder) {
        return mkdir(path, 0755) == 0 || errno == EEXIST;
    }
    const int file = open(path, O_CREAT | O_RDONLY | O_CLOEXEC, 0644);
    if (file >= 0) {
        close(file);
    }
    return file >= 0;
}

/* Of everything below `path`; older kernels know it of `path` alone, and only where what is already
 * restricted stays so. */
static bool make_read_only(const char *path)
{
    struct statvfs about;
#ifdef SYS_mount_setattr
    const uint64_t attributes[4] = {1 | 2}; /* MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID */
    if (syscall(SYS_mount_setattr, AT_FDCWD, path, 0x8000 /* AT_RECURSIVE */, attributes,
                sizeof attributes) == 0) {
        return true;
    }
#endif
    if (statvfs(path, &about) != 0) {
        return false;
    }
    static const unsigned long kinds[][2] = {{ST_NODEV, MS_NODEV},
                                             {ST_NOEXEC, MS_NOEXEC},
                                             {ST_NOATIME, MS_NOATIME},
                                             {ST_RELATIME, MS_RELATIME}};
    unsigned long kept = 0;
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        kept |= about.f_flag & kinds[i][0] ? kinds[i][1] : 0;
    }
    return mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | kept, NULL) == 0;
}

static bool show(const struct place *p)
{
    char target[PATH_MAX + 8];
    const int length = snprintf(target, sizeof target, "/new%s", p->name);
    return length < (int)sizeof target && make_place(target, p->folder) &&
           mount(p->source, target, NULL, MS_BIND | MS_REC, NULL) == 0 &&
           (p->writable || make_read_only(target));
}

/* Containers hide parts of /proc, and then no new one may be mounted: theirs is shown instead. */
static bool show_processes(void)
{
    mkdir("/new/proc", 0555);
    return mount("proc", "/new/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0 ||
           mount("/old/proc", "/new/proc", NULL, MS_BIND | MS_REC, NULL) == 0;
}

/* This process's root becomes an empty one at /new; the machine's lies at /old. */
static bool step_aside(unsigned long bytes)
{
    char size[64];
    snprintf(size, sizeof size, "mode=755,size=%lu", bytes);
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("box", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") == 0 &&
           mkdir("/tmp/old", 0755) == 0 && mkdir("/tmp/new", 0755) == 0 &&
           syscall(SYS_pivot_root, "/tmp", "/tmp/old") == 0 && chdir("/") == 0 &&
           mount("box", "/new", "tmpfs", MS_NOSUID | MS_NODEV, size) == 0 &&
           mkdir("/new/tmp", 0755) == 0 && chmod("/new/tmp", 01777) == 0;
}

const char *box_enter(const struct box_view *view)
{
    char here[PATH_MAX];
    const bool know_here = getcwd(here, sizeof here) != NULL;
    choose_places(view);
    if (!step_aside(view->temporary_bytes)) {
        return "a root directory of its own";
    }
    for (unsigned i = 0; i < place_count; i++) {
        if (!show(&places[i])) {
            return "folders that are shown read only (bind mounts)";
        }
    }
    if (!show_processes()) {
        return "a /proc of its own";
    }
    if (chdir("/new") != 0 || syscall(SYS_pivot_root, ".", ".") != 0 ||
        umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) {
        return "a root directory of its own";
    }
    if (!know_here || chdir(here) != 0) {
        return chdir("/tmp") == 0 ? NULL : "a root directory of its own";
    }
    return NULL;
}
