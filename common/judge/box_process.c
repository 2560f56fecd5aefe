/* box_process.c - the learner's program in its box: started when it is first asked something, ended
 * with the shape. It is believed nothing: frames have a most length, and whatever ends it is a
 * verdict about the learner's file. */
#include "common/judge/learner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct box_paths paths;
static struct {
    pid_t pid; /* 0: it does not run */
    int reads, writes;
    unsigned char *data; /* the last frame's bytes */
    size_t room;
} box;

void box_set(const struct box_paths *chosen) { paths = *chosen; }

/* --- starting and ending ---------------------------------------------------------------------- */

enum { NOT_HERE = 64 }; /* no number that the pipes get in the box */

_Noreturn static void become_box(int in, int out)
{
    const char *const command[] = {
        paths.box,  "--program", "--see",  paths.program, "--cpu",  "6",  "--clock",     "60",
        "--memory", "2048",      "--file", "1",           "--weak", "--", paths.program, NULL};
    const char *const strict[] = {paths.box, "--program", "--see", paths.program, "--cpu",
                                  "6",       "--clock",   "60",    "--memory",    "2048",
                                  "--file",  "1",         "--",    paths.program, NULL};
    char *const environment[] = {"PATH=/usr/bin:/bin", "HOME=/tmp", "LC_ALL=C.UTF-8", NULL};
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(STDOUT_FILENO, STDERR_FILENO); /* the judge reads the simulator's messages on stderr */
    dup2(in, BOX_READS);
    dup2(out, BOX_WRITES);
    execve(paths.box, (char *const *)(uintptr_t)(paths.weak ? command : strict), environment);
    _exit(125);
}

static void start(struct judge *j)
{
    int to[2], from[2], ends[4];
    signal(SIGPIPE, SIG_IGN);
    if (paths.program == NULL || pipe(to) != 0 || pipe(from) != 0) {
        judge_end(j, JUDGE_BROKEN, 0, "", "the learner's program cannot be started");
    }
    const int given[4] = {to[0], from[1], to[1], from[0]};
    for (int i = 0; i < 4; i++) {
        ends[i] = fcntl(given[i], F_DUPFD_CLOEXEC, NOT_HERE);
        close(given[i]);
    }
    fflush(NULL);
    box.pid = fork();
    if (box.pid == 0) {
        become_box(ends[0], ends[1]);
    }
    close(ends[0]);
    close(ends[1]);
    box.writes = ends[2];
    box.reads = ends[3];
    if (box.pid < 0) {
        judge_end(j, JUDGE_BROKEN, 0, "", "no process for the learner's program");
    }
}

void box_end(void)
{
    if (box.pid > 0) {
        kill(box.pid, SIGTERM); /* the box ends all that is in it */
        close(box.reads);
        close(box.writes);
        while (waitpid(box.pid, NULL, 0) < 0 && errno == EINTR) {
        }
        box.pid = 0;
    }
    box_serve_forget();
    decoy_forget();
}

/* Why there is no more to read. */
_Noreturn static void judge_end_of_box(struct judge *j)
{
    int status = 0;
    while (waitpid(box.pid, &status, 0) < 0 && errno == EINTR) {
    }
    box.pid = 0;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code == 125) {
        judge_end(j, JUDGE_BROKEN, 0, "", "no box for the learner's program");
    } else if (code == 128 + SIGXCPU || code == 124) {
        judge_end(j, JUDGE_ENDLESS, 0, "", "the host code was stopped after %s\n",
                  code == 124 ? "a minute" : "6 seconds of processor time");
    } else if (code > 128) {
        judge_end(j, JUDGE_CRASH, 0, "", "the host code died of signal %d (%s)%s\n", code - 128,
                  strsignal(code - 128),
                  code - 128 != SIGSEGV ? ""
                                        : ": did it read or write\nat an address of the GPU, or "
                                          "beyond the end of an array?");
    }
    judge_end(j, JUDGE_UNFINISHED, 0, "", "it called exit(%d)\n", code);
}

/* --- frames ----------------------------------------------------------------------------------- */

static void send_bytes(struct judge *j, const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        const ssize_t part = write(box.writes, (const char *)bytes + done, count - done);
        if (part < 0 && errno == EINTR) {
            continue;
        }
        if (part <= 0) {
            judge_end_of_box(j);
        }
        done += (size_t)part;
    }
}

static void receive_bytes(struct judge *j, void *into, size_t count)
{
    for (size_t done = 0; done < count;) {
        const ssize_t part = read(box.reads, (char *)into + done, count - done);
        if (part < 0 && errno == EINTR) {
            continue;
        }
        if (part <= 0) {
            judge_end_of_box(j);
        }
        done += (size_t)part;
    }
}

static void send_frame(struct judge *j, enum box_frame_kind kind, const void *head,
                       uint32_t head_bytes, const void *rest, uint32_t rest_bytes)
{
    const struct box_frame frame = {kind, head_bytes + rest_bytes};
    send_bytes(j, &frame, sizeof frame);
    send_bytes(j, head, head_bytes);
    send_bytes(j, rest, rest_bytes);
}

static enum box_frame_kind receive_frame(struct judge *j, uint32_t *bytes)
{
    struct box_frame frame;
    receive_bytes(j, &frame, sizeof frame);
    if (frame.bytes > BOX_MOST_BYTES) {
        judge_end(j, JUDGE_CRASH, 0, "", "the host code wrote into the judge's pipe\n");
    }
    if (frame.bytes > box.room) {
        free(box.data);
        box.room = frame.bytes;
        box.data = malloc(box.room);
        if (box.data == NULL) {
            judge_end(j, JUDGE_BROKEN, 0, "", "no memory");
        }
    }
    receive_bytes(j, box.data, frame.bytes);
    *bytes = frame.bytes;
    return (enum box_frame_kind)frame.kind;
}

/* Answers requests until a frame of another kind comes. */
static enum box_frame_kind serve(struct judge *j, uint32_t *bytes)
{
    struct box_request r;
    for (;;) {
        const enum box_frame_kind kind = receive_frame(j, bytes);
        if (kind != BOX_REQUEST) {
            return kind;
        }
        if (*bytes < sizeof r) {
            judge_end(j, JUDGE_CRASH, 0, "", "the host code wrote into the judge's pipe\n");
        }
        memcpy(&r, box.data, sizeof r);
        const struct box_answer a =
            box_serve(j, &r, box.data + sizeof r, *bytes - (uint32_t)sizeof r);
        send_frame(j, BOX_REPLY, &a.reply, sizeof a.reply, a.data, a.bytes);
    }
}

const unsigned char *box_ask(struct judge *j, enum box_frame_kind kind, const void *head,
                             uint32_t head_bytes, const void *rest, uint32_t rest_bytes,
                             uint32_t *bytes)
{
    if (box.pid == 0) {
        start(j);
        if (serve(j, bytes) != BOX_READY) {
            judge_end(j, JUDGE_CRASH, 0, "", "the host code wrote into the judge's pipe\n");
        }
    }
    send_frame(j, kind, head, head_bytes, rest, rest_bytes);
    const enum box_frame_kind answer = serve(j, bytes);
    if (answer == BOX_MISSING) {
        return NULL;
    }
    if (answer != BOX_RESULT) {
        judge_end(j, JUDGE_CRASH, 0, "", "the host code wrote into the judge's pipe\n");
    }
    return box.data;
}

/* Of the calls that were inlined there, the innermost that stands in the learner's file. */
void box_line(uint64_t site, char *text, size_t size)
{
    char command[1024], line[512];
    text[0] = '\0';
    if (paths.program == NULL || site == 0 || strchr(paths.program, '\'') != NULL) {
        return;
    }
    snprintf(command, sizeof command, "addr2line -i -e '%.800s' 0x%llx 2>/dev/null", paths.program,
             (unsigned long long)(site - 1));
    FILE *pipe = popen(command, "r");
    while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        line[strcspn(line, " \n")] = '\0';
        const char *const slash = strrchr(line, '/');
        if (text[0] == '\0' && strstr(line, ".cu:") != NULL && strchr(line, '?') == NULL) {
            snprintf(text, size, "%s", slash != NULL ? slash + 1 : line);
        }
    }
    if (pipe != NULL) {
        pclose(pipe);
    }
}
