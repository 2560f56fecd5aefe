/* state.h - what the judge's files share. A parent process forks one child, which runs the shapes
 * and writes its findings into struct judge_findings, memory that both see; the parent prints them.
 * No host code of the learner's runs in either: learner.h says where it does. */
#ifndef JUDGE_STATE_H
#define JUDGE_STATE_H

#include "common/counters.h"
#include "common/gpu/draw.h"
#include "common/judge/judge.h"
#include "common/verify.h"

enum {
    JUDGE_GOALS = 12,
    JUDGE_LINES = 512, /* source lines with counts */
    JUDGE_BUFFERS = 16,
    JUDGE_SIZES = 8,
    JUDGE_CPU_SECONDS = 30, /* of the processor: a judgement that takes longer is ended */
    JUDGE_CLOCK_SECONDS = 300,
    JUDGE_GPU_SECONDS = 20 /* by the clock: a kernel that does not end takes no processor */
};

enum judge_kind {
    JUDGE_UNFINISHED, /* the child ended without a word */
    JUDGE_SOLVED,
    JUDGE_RESULT, /* wrong values */
    JUDGE_MEMORY, /* out of bounds, misaligned, use after free */
    JUDGE_RACE,
    JUDGE_UNINITIALISED,
    JUDGE_BARRIER,
    JUDGE_SHUFFLE, /* a warp-wide instruction without some of its lanes */
    JUDGE_ENDLESS,
    JUDGE_LAUNCH, /* rejected by the runtime */
    JUDGE_CRASH,
    JUDGE_GOAL,
    JUDGE_PREDICTION,
    JUDGE_COMPILE, /* something that the exercise needs is missing */
    JUDGE_BROKEN   /* the exercise itself is at fault */
};

struct judge_goal {
    char metric[48], relation[3], expression[64];
    double limit, got;
    bool judged, met;
};

/* What one source line of the learner's file counted, all launches of the large shape together. */
struct judge_line {
    uint32_t line;
    struct launch_counters counters;
};

struct judge_findings {
    enum judge_kind kind;
    char shape[160];  /* "n = 1003, seed 17" */
    unsigned shapes;  /* how many were right */
    uint32_t line;    /* of the learner's file; 0: none */
    char subject[64]; /* the goal's or the prediction's name */
    char text[1200];  /* what was found, several lines of at most 78 columns */
    unsigned goal_count;
    struct judge_goal goals[JUDGE_GOALS];
    bool has_access;
    struct draw_access access; /* the first of the worst requests of `line` */
    bool is_cheapest;          /* no request of `line` could be cheaper */
    double time_ms;            /* on a GPU, the large shape; 0: none */
};

enum judge_element { JUDGE_FLOAT, JUDGE_INT };

struct judge_buffer {
    const char *name;
    enum judge_element element;
    size_t count;
    void *host;
    const void *initial; /* an output's contents before the launch; NULL: poison */
    bool output, scratch;
    char *device; /* NULL until judge_gpu() asks for it, or where count is 0 */
    void *got;    /* its contents afterwards */
    double abs, rel;
    int columns;
};

/* The number is part of what a shape's values are drawn from; main.c has the order. */
enum judge_case {
    CASE_RAGGED,
    CASE_ONE,
    CASE_EMPTY,
    CASE_RANDOM,
    CASE_RANDOM_2, /* with NaN and infinities where judge_specials() is called */
    CASE_LARGE,
    CASE_TWO,
    CASE_EQUAL, /* sizes 2^k + 1, and all values of an input are the same */
    CASES
};

struct judge {
    enum judge_case number;
    uint64_t seed;
    struct rng rng;
    const char *source; /* the learner's file */
    bool checked;       /* this shape compared something */
    bool count_only;    /* results do not matter: for the counts of a skeleton */
    struct {
        const char *name;
        int value;
    } sizes[JUDGE_SIZES];
    unsigned size_count;
    struct judge_buffer buffers[JUDGE_BUFFERS];
    unsigned buffer_count;
    struct launch_counters counters;  /* of all launches of this shape */
    unsigned launches, host_launches; /* host_launches: asked for by the learner's host code */
    bool host_wrote;                  /* it wrote into an array that a kernel is to write */
    bool on_gpu;                      /* what it returned must have been computed by the GPU */
    uint32_t watched;                 /* look for the worst request of this line; 0: do not */
    bool watch_shared, watch_loads, watch_stores;
    struct judge_line lines[JUDGE_LINES];
    unsigned line_count;
    struct CUevent_st *begin; /* on a GPU: what a cudaEvent_t points to */
    struct judge_findings *out;
};

/* Notes the verdict and ends this process. */
_Noreturn void judge_end(struct judge *j, enum judge_kind kind, uint32_t line, const char *subject,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

/* buffers.c */
const struct judge_buffer *judge_buffer_at(const struct judge *j, uint64_t device_address);
void judge_free(struct judge *j);

/* counts.c: begins to listen to launches; forgets what was counted. */
void judge_listen(struct judge *j);
void judge_forget(struct judge *j);
/* The value of metric number `metric` (its place in metrics.def). */
double judge_metric_value(unsigned metric, const struct launch_counters *c);
/* The metric of that name, or -1. */
int judge_metric_find(const char *name);
/* The learner's line that costs most of it, or 0. */
uint32_t judge_worst_line(const struct judge *j, unsigned metric);

/* goals.c: reads the goals of an exercise's comment; false after one line on stderr. */
bool judge_read_goals(const char *path, struct judge_findings *f);
/* The right side, with the sizes' names. NaN: not understood. */
double judge_evaluate(const char *expression, const struct judge *j);
bool judge_goal_is_met(const struct judge_goal *g);
bool judge_goals(struct judge *j); /* false: one is missed, out->subject, out->line are set */
/* counts.c: what the goals speak of when they speak of this metric. */
bool judge_is_shared(const char *metric);
void judge_watch_accesses(void);
/* Findings call the array that begins at `device` by its name in the exercise. */
void judge_name_memory(const void *device, const char *name);

/* print.c */
struct judge_report {
    const char *title, *source, *exercise, *half;
    const char *before;             /* file with the skeleton's counts, or NULL */
    bool brief, row, record, color; /* record: a row, and behind it shape and reason */
};
void judge_print(const struct judge_report *r, const struct judge_findings *f, const char *out_text,
                 const char *err_text);
const char *judge_kind_name(enum judge_kind kind);

/* fault.c: the verdict about a fault, from what the simulator wrote on stderr, or `otherwise`. */
void judge_findings(struct judge *j); /* races, uninitialised reads, if there were any */
_Noreturn void judge_fault(struct judge *j, enum judge_kind kind, const char *otherwise);

#endif
