/* box.c - runs a command in a box: see box.h.
 *
 * usage: box [--see PATH] [--own PATH] [--cpu S] [--clock S] [--memory MB] [--file MB]
 *            [--program] [--weak] -- COMMAND ...
 *        box --check
 *
 * The command sees the system's programs and libraries, /tmp (its own, empty), what --see names,
 * and may write what --own names. It has S seconds of processor time, twenty times as long by the
 * clock unless --clock says otherwise. --program: it may start threads, but no processes, and make
 * few system calls. --weak: what this machine lacks is left out; without it the box is refused.
 * Exit code: the command's; 128 + N if signal N ended it (152: processor time), 124: the clock;
 * 125: no box. --check: 0, or 1 after a line with what is missing. */
#include "common/judge/box/box.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NO_BOX = 125, CLOCK_OVER = 124 };

struct box {
    struct box_view view;
    unsigned long cpu_seconds, clock_seconds, memory_mb, file_mb;
    bool program, weak, check;
    char **command;
};

_Noreturn static void refuse(const char *what, const char *value)
{
    fprintf(stderr, "box: %s%s\n", what, value);
    exit(NO_BOX);
}

static unsigned long *number_of(struct box *b, const char *option)
{
    const struct {
        const char *option;
        unsigned long *number;
    } limits[] = {{"--cpu", &b->cpu_seconds},
                  {"--clock", &b->clock_seconds},
                  {"--memory", &b->memory_mb},
                  {"--file", &b->file_mb}};
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (strcmp(option, limits[i].option) == 0) {
            return limits[i].number;
        }
    }
    return NULL;
}

static void take_value(struct box *b, const char *option, char *value)
{
    unsigned long *const number = number_of(b, option);
    char *end = value;
    if (strcmp(option, "--see") == 0 && b->view.see_count < BOX_PATHS) {
        b->view.see[b->view.see_count++] = value;
    } else if (strcmp(option, "--own") == 0 && b->view.own_count < BOX_PATHS) {
        b->view.own[b->view.own_count++] = value;
    } else if (number != NULL) {
        *number = strtoul(value, &end, 10);
        if (end == value || *end != '\0' || *number == 0 || *number > 1000000) {
            refuse("a number from 1 to 1000000 belongs behind ", option);
        }
    } else {
        refuse("not an option, or too many of it: ", option);
    }
}

static void read_arguments(struct box *b, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--program") == 0) {
            b->program = true;
        } else if (strcmp(argv[i], "--weak") == 0) {
            b->weak = true;
        } else if (strcmp(argv[i], "--check") == 0) {
            b->check = true;
        } else if (i + 1 < argc) {
            take_value(b, argv[i], argv[i + 1]);
            i++;
        } else {
            refuse("a value belongs behind ", argv[i]);
        }
    }
    b->command = argv + i + (i < argc);
    if (b->command[0] == NULL && !b->check) {
        refuse("usage: box [options] -- command; see the head of common/judge/box/box.c", "");
    }
    b->clock_seconds = b->clock_seconds > 0 ? b->clock_seconds : 20 * b->cpu_seconds;
    b->view.temporary_bytes = (b->file_mb * 4) << 20;
}

/* --- the command ------------------------------------------------------------------------------ */

static void limit(int what, unsigned long soft, unsigned long hard)
{
    const struct rlimit l = {soft, hard};
    setrlimit(what, &l);
}

static void set_limits(const struct box *b)
{
    limit(RLIMIT_CPU, b->cpu_seconds, b->cpu_seconds + 2);
    limit(RLIMIT_AS, b->memory_mb << 20, b->memory_mb << 20);
    limit(RLIMIT_FSIZE, b->file_mb << 20, b->file_mb << 20);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_NOFILE, 256, 256);
    limit(RLIMIT_MSGQUEUE, 0, 0);
}

/* What a caller had opened, locks of make among it, is nothing for the command; it talks on 3 and
 * 4 if anything was opened there. */
static void close_files(void)
{
    for (int file = 5; file < 1024; file++) {
        close(file);
    }
}

_Noreturn static void become(const struct box *b)
{
    static char program[PATH_MAX];
    if (realpath(b->command[0], program) == NULL || b->command[0][0] != '/') {
        snprintf(program, sizeof program, "%s", b->command[0]);
    }
    set_limits(b);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (b->program) {
        const char *const missing = box_filter(program);
        if (missing != NULL && !b->weak) {
            refuse("this machine lacks ", missing);
        }
        execv(program, b->command);
    } else {
        execvp(b->command[0], b->command);
    }
    refuse(b->command[0], " cannot be started");
}

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Process 1 of the box: when it ends, the kernel ends all others. */
_Noreturn static void keep(const struct box *b, bool separate)
{
    int status = 0;
    pid_t ended;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const char *const missing = separate ? box_enter(&b->view) : NULL;
    if (missing != NULL) {
        refuse("this machine lacks ", missing);
    }
    close_files();
    if (b->check) {
        exit(0);
    }
    prctl(PR_SET_DUMPABLE, 0); /* the command may look at this process no more than at others */
    const pid_t command = fork();
    if (command == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        become(b);
    }
    while ((ended = wait(&status)) != command && (ended >= 0 || errno == EINTR)) {
    }
    kill(-command, SIGKILL);
    exit(command < 0 ? NO_BOX : code_of(status));
}

/* --- outside ---------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* SIGCHLD is blocked: it wakes sigtimedwait(), and so does what should end the box. */
static int wait_outside(pid_t keeper, double seconds)
{
    const double deadline = now() + seconds;
    sigset_t watched;
    int status = 0;
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGINT);
    while (waitpid(keeper, &status, WNOHANG) == 0) {
        const double left = deadline - now();
        const struct timespec nap = {left > 1 ? 1 : 0, left > 1 ? 0 : 20000000};
        const int signal = left > 0 ? sigtimedwait(&watched, NULL, &nap) : 0;
        if (left <= 0 || signal == SIGTERM || signal == SIGINT) {
            kill(keeper, SIGKILL);
            waitpid(keeper, &status, 0);
            return left <= 0 ? CLOCK_OVER : 128 + signal;
        }
    }
    return code_of(status);
}

int main(int argc, char **argv)
{
    struct box b = {.cpu_seconds = 20, .memory_mb = 4096, .file_mb = 64};
    sigset_t watched;
    read_arguments(&b, argc, argv);
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGINT);
    sigprocmask(SIG_BLOCK, &watched, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const char *const missing = box_leave();
    if (missing != NULL && (!b.weak || b.check)) {
        refuse("this machine lacks ", missing);
    }
    const pid_t keeper = fork();
    if (keeper == 0) {
        sigprocmask(SIG_UNBLOCK, &watched, NULL);
        keep(&b, missing == NULL);
    }
    return keeper < 0 ? NO_BOX : wait_outside(keeper, (double)b.clock_seconds);
}
