/* main.c - the judge of one exercise: a program made of this library, the exercise's judging half
 * and its skeleton, built once. The learner's GPU code is data, its host code another program, in a
 * box. A child of this process runs the shapes, so that there is a verdict whatever happens to the
 * simulator. Exit code: 0 solved, 1 not, 2 usage or environment. */
#include "common/judge/learner.h"

#include "common/options.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct arguments {
    struct judge_report report;
    const char *counts; /* write the metrics of the large shape there */
    const char *code;   /* the learner's GPU code */
    struct box_paths box;
    uint64_t seed;
};

/* The parent writes what is wrong with its own environment. */
static int usage(const char *what, const char *value)
{
    fprintf(stderr, "judge: %s%s\n", what, value);
    return 2;
}

/* --- the child -------------------------------------------------------------------------------- */

/* Memory of the learner's kernels ends before this computer's does, and so do their time and what
 * they print. A GPU's driver maps more than that for itself. */
static void set_limits(void)
{
    const struct rlimit memory = {(rlim_t)4 << 30, (rlim_t)4 << 30}, no_core = {0, 0};
    const struct rlimit cpu = {JUDGE_CPU_SECONDS, JUDGE_CPU_SECONDS + 2};
    const struct rlimit file = {(rlim_t)32 << 20, (rlim_t)32 << 20};
    if (backend_is_sim()) {
        setrlimit(RLIMIT_DATA, &memory);
    }
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_FSIZE, &file);
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGXFSZ, SIG_IGN); /* a kernel that prints too much prints no more */
}

static void run_shape(struct judge *j, enum judge_case number, uint64_t seed)
{
    j->number = number;
    j->seed = seed;
    j->rng = rng_start(seed + (uint64_t)number);
    j->out->shape[0] = '\0';
    j->checked = false;
    judge_forget(j);
    exercise(j);
}

static void write_counts(struct judge *j, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return;
    }
#define METRIC(name, part, whole, scale) fprintf(file, "%s\t%.9g\n", name, judge_metric(j, name));
#include "common/judge/metrics.def"
#undef METRIC
    fclose(file);
}

/* A goal is missed: the shape runs again, and the worst request of the line is kept. */
_Noreturn static void draw_and_end(struct judge *j, uint64_t seed)
{
    char subject[sizeof j->out->subject];
    const uint32_t line = j->out->line;
    snprintf(subject, sizeof subject, "%s", j->out->subject);
    judge_free(j);
    if (line > 0) {
        j->watched = line;
        j->watch_shared = judge_is_shared(subject);
        j->watch_loads = strstr(subject, "load") != NULL;
        j->watch_stores = strstr(subject, "store") != NULL;
        judge_watch_accesses();
        run_shape(j, CASE_LARGE, seed);
    }
    judge_end(j, JUDGE_GOAL, line, subject, "%s", "");
}

/* Sizes that do not depend on the seed come early, so that few verdicts depend on it. */
static void run_shapes(struct judge *j, const struct arguments *a)
{
    static const enum judge_case order[CASES] = {CASE_RAGGED,   CASE_ONE,   CASE_EMPTY,
                                                 CASE_TWO,      CASE_EQUAL, CASE_RANDOM,
                                                 CASE_RANDOM_2, CASE_LARGE};
    struct judge_findings *f = j->out;
    j->count_only = a->counts != NULL;
    judge_listen(j);
    for (int i = j->count_only ? CASES - 1 : 0; i < CASES; i++) {
        run_shape(j, order[i], a->seed);
        if (order[i] == CASE_LARGE) {
            if (backend_is_sim() && !judge_goals(j) && !j->count_only) {
                draw_and_end(j, a->seed);
            }
            if (a->counts != NULL) {
                write_counts(j, a->counts);
            }
        }
        judge_free(j);
        f->shapes += j->checked;
    }
    snprintf(f->shape, sizeof f->shape, "seed %llu", (unsigned long long)a->seed);
    judge_end(j, JUDGE_SOLVED, 0, "", "%s", "");
}

_Noreturn static void child(const struct arguments *a, struct judge_findings *f, int out, int err)
{
    static struct judge judge; /* too large for a stack that a learner may fill */
    setpgid(0, 0);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    set_limits();
    judge.out = f;
    judge.source = a->report.source;
    box_set(&a->box);
    if (!learner_load(a->code)) {
        judge_end(&judge, JUDGE_BROKEN, 0, "", "%s", "the GPU code cannot be read\n");
    }
    run_shapes(&judge, a);
    _exit(0);
}

/* --- the parent ------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void on_signal(int number) { interrupted = number; }

static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Verdicts do not depend on the clock: processor time ends a simulation. A GPU's kernel takes none,
 * and its driver alone may take a second or two to begin. */
static int seconds_allowed(void)
{
    return backend_is_sim() ? JUDGE_CLOCK_SECONDS : JUDGE_GPU_SECONDS;
}

/* Waits for the child; after the seconds allowed or a signal it and what it started are ended. */
static int wait_for(pid_t pid, bool *late)
{
    const double deadline = now() + seconds_allowed();
    const struct timespec nap = {0, 2000000};
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        *late = now() > deadline;
        if (*late || interrupted) {
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            break;
        }
        nanosleep(&nap, NULL);
    }
    kill(-pid, SIGKILL); /* what the learner's code left running */
    return status;
}

static void judge_death(struct judge_findings *f, int status, bool late)
{
    if (f->kind != JUDGE_UNFINISHED) {
        return;
    }
    if (late) {
        f->kind = JUDGE_ENDLESS;
        snprintf(f->text, sizeof f->text, "after %d seconds it was stopped\n", seconds_allowed());
    } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
        f->kind = JUDGE_ENDLESS;
        snprintf(f->text, sizeof f->text, "after %d seconds of processor time it was stopped\n",
                 JUDGE_CPU_SECONDS);
    } else if (WIFSIGNALED(status)) {
        f->kind = JUDGE_CRASH;
        snprintf(f->text, sizeof f->text, "the judge died of signal %d (%s) on its kernels\n",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        snprintf(f->text, sizeof f->text, "the judge ended with code %d\n", WEXITSTATUS(status));
    }
}

static void read_text(int file, char *text, size_t size)
{
    const ssize_t length = pread(file, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
}

/* What a child printed. */
struct said {
    char out[4096], err[4096];
};

/* One child and its findings; 0: they are there, else the exit code. */
static int run_child(const struct arguments *a, struct judge_findings *f, struct said *s)
{
    FILE *const out_file = tmpfile(), *const err_file = tmpfile();
    bool late = false;
    if (out_file == NULL || err_file == NULL) {
        return usage("no temporary file for what the program prints: ", strerror(errno));
    }
    const int out = fileno(out_file), err = fileno(err_file);
    watch_signals();
    const pid_t pid = fork();
    if (pid < 0) {
        return usage("cannot start a process: ", strerror(errno));
    }
    if (pid == 0) {
        child(a, f, out, err);
    }
    const int status = wait_for(pid, &late);
    if (interrupted) {
        return 128 + interrupted;
    }
    judge_death(f, status, late);
    read_text(out, s->out, sizeof s->out);
    read_text(err, s->err, sizeof s->err);
    fclose(out_file);
    fclose(err_file);
    return 0;
}

/* A shuffle that reads a lane which takes no part is a mistake only where the value is used:
 * a second child gets a NaN for it. What the first one found counts if the second computes wrongly.
 */
static int judge_file(const struct arguments *a, struct judge_findings *f)
{
    static struct said said, again_said;
    static struct judge_findings first;
    const struct judge_findings empty = *f;
    int code = run_child(a, f, &said);
    if (code == 0 && f->kind == JUDGE_SHUFFLE) {
        first = *f;
        *f = empty;
        setenv("SIMT_SHUFFLE", "poison", 1);
        code = run_child(a, f, &again_said);
        if (f->kind == JUDGE_SOLVED || f->kind == JUDGE_GOAL) {
            said = again_said;
        } else {
            *f = first;
        }
    }
    if (code != 0) {
        return code;
    }
    if (a->counts == NULL) {
        judge_print(&a->report, f, said.out, said.err);
    }
    return f->kind == JUDGE_SOLVED ? 0 : 1;
}

/* The simulator reads its environment before main(): this program begins again with the right one.
 * A loop that does not end is reported after about a second. */
static void set_environment(char **argv)
{
    if (getenv("JUDGE_ENVIRONMENT") != NULL) {
        return;
    }
    setenv("JUDGE_ENVIRONMENT", "set", 1);
    setenv("SIMT_MAX_INSTRUCTIONS", "4000000", 1);
    setenv("SIMT_CHECK", "races,uninitialised", 1);
    unsetenv("SIMT_REPORT");
    unsetenv("SIMT_SHUFFLE");
    unsetenv("SIMT_GPU");
    unsetenv("SIMT_MODEL");
    execv("/proc/self/exe", argv);
}

/* Where the text behind an option goes; NULL: it is no option with a text. */
static const char **text_of(struct arguments *a, const char *name)
{
    const struct {
        const char *option, **text;
    } texts[] = {{"--title", &a->report.title},
                 {"--source", &a->report.source},
                 {"--exercise", &a->report.exercise},
                 {"--half", &a->report.half},
                 {"--before", &a->report.before},
                 {"--counts", &a->counts},
                 {"--code", &a->code},
                 {"--program", &a->box.program},
                 {"--box", &a->box.box}};
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(name, texts[i].option) == 0) {
            return texts[i].text;
        }
    }
    return NULL;
}

static bool read_arguments(struct arguments *a, int argc, char **argv)
{
    int64_t seed;
    for (int i = 1; i < argc; i++) {
        const char *const name = argv[i];
        if (strcmp(name, "--brief") == 0) {
            a->report.brief = true;
            continue;
        }
        if (strcmp(name, "--row") == 0) {
            a->report.brief = a->report.row = true;
            continue;
        }
        if (strcmp(name, "--weak") == 0) {
            a->box.weak = true;
            continue;
        }
        if (strcmp(name, "--record") == 0) {
            a->report.brief = a->report.row = a->report.record = true;
            continue;
        }
        const char *const value = i + 1 < argc ? argv[++i] : NULL;
        const char **text = text_of(a, name);
        if (value == NULL) {
            return false;
        }
        if (text != NULL) {
            *text = value;
        } else if (strcmp(name, "--seed") == 0 && option_read_integer(value, 0, INT64_MAX, &seed)) {
            a->seed = (uint64_t)seed;
        } else {
            return false;
        }
    }
    return a->report.source != NULL && a->report.exercise != NULL && a->code != NULL;
}

int main(int argc, char **argv)
{
    struct arguments a = {.report = {.title = "exercise"}, .seed = (uint64_t)time(NULL) % 1000000};
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    set_environment(argv);
    if (!read_arguments(&a, argc, argv)) {
        return usage("usage: --source FILE --exercise FILE --code FILE [--program FILE --box FILE] "
                     "[--weak] [--half FILE] [--title TEXT] [--seed N] [--brief|--row|--record] "
                     "[--before FILE] [--counts FILE]",
                     "");
    }
    const char *terminal = getenv("DRAW_FOR_TERMINAL");
    a.report.color = (isatty(STDOUT_FILENO) || (terminal != NULL && terminal[0] != '\0')) &&
                     (no_color == NULL || no_color[0] == '\0') &&
                     (term == NULL || strcmp(term, "dumb") != 0);
    struct judge_findings *f =
        mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED) {
        return usage("no memory: ", strerror(errno));
    }
    if (!judge_read_goals(a.report.exercise, f)) {
        return 2;
    }
    return judge_file(&a, f);
}
