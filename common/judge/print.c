/* print.c - the verdict as a learner reads it: at most 80 columns, colours only on a terminal. */
#include "common/judge/state.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {
    [JUDGE_UNFINISHED] = "ended early",
    [JUDGE_SOLVED] = "solved",
    [JUDGE_RESULT] = "wrong result",
    [JUDGE_MEMORY] = "memory error",
    [JUDGE_RACE] = "race",
    [JUDGE_UNINITIALISED] = "uninitialised",
    [JUDGE_BARRIER] = "barrier",
    [JUDGE_SHUFFLE] = "shuffle",
    [JUDGE_ENDLESS] = "endless",
    [JUDGE_LAUNCH] = "launch",
    [JUDGE_CRASH] = "crash",
    [JUDGE_GOAL] = "goal",
    [JUDGE_PREDICTION] = "prediction",
    [JUDGE_COMPILE] = "compile",
    [JUDGE_BROKEN] = "broken exercise",
};

static const char *const kind_says[] = {
    [JUDGE_UNFINISHED] = "your program ended before it could be judged",
    [JUDGE_SOLVED] = "solved",
    [JUDGE_RESULT] = "wrong result",
    [JUDGE_MEMORY] = "memory error",
    [JUDGE_RACE] = "race: nothing guarantees the order of two accesses",
    [JUDGE_UNINITIALISED] = "memory is read before anything was written to it",
    [JUDGE_BARRIER] = "a barrier that not all threads reach",
    [JUDGE_SHUFFLE] = "a lane is asked for its value and takes no part",
    [JUDGE_ENDLESS] = "it does not end",
    [JUDGE_LAUNCH] = "the launch failed",
    [JUDGE_CRASH] = "it crashed",
    [JUDGE_GOAL] = "right result, but a goal is missed",
    [JUDGE_PREDICTION] = "not what is counted",
    [JUDGE_COMPILE] = "something that the exercise needs is missing",
    [JUDGE_BROKEN] = "the exercise itself is at fault, not your file",
};

const char *judge_kind_name(enum judge_kind kind) { return kind_names[kind]; }

/* --- small pieces ----------------------------------------------------------------------------- */

static void colored(const struct judge_report *r, const char *code, const char *text)
{
    if (r->color) {
        printf("\033[%sm%s\033[0m", code, text);
    } else {
        printf("%s", text);
    }
}

/* Words of `text`, each line indented; "\n" begins a new line. */
static void wrapped(const char *text, int indent)
{
    int column = 0;
    while (*text != '\0') {
        const int word = (int)strcspn(text, " \n");
        if (column > 0 && column + 1 + word > 79) {
            printf("\n");
            column = 0;
        }
        if (column == 0) {
            printf("%*s", indent, "");
            column = indent;
        } else {
            printf(" ");
            column++;
        }
        printf("%.*s", word, text);
        column += word;
        text += word;
        if (*text == '\n') {
            printf("\n");
            column = 0;
        }
        text += *text != '\0';
        text += strspn(text, " ");
    }
    if (column > 0) {
        printf("\n");
    }
}

/* Line `number` of the file without its indentation and end; "" if it cannot be read. */
static void source_line(const char *path, uint32_t number, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    char line[512] = "";
    for (uint32_t i = 0; file != NULL && i < number; i++) {
        if (fgets(line, sizeof line, file) == NULL) {
            line[0] = '\0';
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    line[strcspn(line, "\r\n")] = '\0';
    snprintf(text, size, "%s", line + strspn(line, " \t"));
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void print_line(const struct judge_report *r, uint32_t line)
{
    char text[512], place[128];
    source_line(r->source, line, text, sizeof text);
    snprintf(place, sizeof place, "%.60s:%u", base_name(r->source), line);
    const int room = 80 - 2 - (int)strlen(place) - 3;
    printf("  ");
    colored(r, "1", place);
    printf("   %.*s\n", room > 10 ? room : 10, text);
}

/* The value of `metric` in the file of the skeleton's counts. */
static bool count_before(const char *path, const char *metric, double *value)
{
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    char line[160];
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        char *tab = strchr(line, '\t');
        if (tab == NULL) {
            continue;
        }
        *tab = '\0';
        found = strcmp(line, metric) == 0;
        *value = found ? strtod(tab + 1, NULL) : *value;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static void number(char *text, size_t size, double value)
{
    const bool whole = value == floor(value) && fabs(value) < 1e15;
    snprintf(text, size, whole ? "%.0f" : "%.2f", value);
}

static void print_goals(const struct judge_report *r, const struct judge_findings *f)
{
    unsigned judged = 0; /* none on a GPU, which does not count */
    for (unsigned i = 0; i < f->goal_count; i++) {
        judged += f->goals[i].judged;
    }
    if (judged == 0) {
        return;
    }
    printf("\n  %-28s %14s %12s", "goal", "wanted", "yours");
    printf(r->before != NULL ? " %12s\n" : "\n", "at first");
    for (unsigned i = 0; i < f->goal_count; i++) {
        const struct judge_goal *g = &f->goals[i];
        char limit[40], wanted[48], got[40], before[40];
        double first;
        if (!g->judged) {
            continue;
        }
        number(limit, sizeof limit, g->limit);
        snprintf(wanted, sizeof wanted, "%s %s", g->relation, limit);
        number(got, sizeof got, g->got);
        printf("  %-28s %14s ", g->metric, wanted);
        printf("%*s", 12 - (int)strlen(got), "");
        colored(r, g->met ? "32" : "31", got);
        /* Only where the skeleton misses the goal, too: otherwise more than at first is no step
         * back. */
        struct judge_goal at_first = *g;
        if (count_before(r->before, g->metric, &first) &&
            (at_first.got = first, !judge_goal_is_met(&at_first))) {
            number(before, sizeof before, first);
            printf(" %12s", before);
        }
        printf("%s\n", g->met ? "" : "  <- missed");
    }
}

/* Behind a tab "bank conflicts = 0: 32; load requests <= 128: 128", in the exercise's words. */
static bool print_goals_of_row(const struct judge_findings *f)
{
    const char *between = "";
    for (unsigned i = 0; i < f->goal_count; i++) {
        const struct judge_goal *g = &f->goals[i];
        char limit[40], got[40];
        if (!g->judged) {
            continue;
        }
        number(limit, sizeof limit, g->limit);
        number(got, sizeof got, g->got);
        printf("%s%s%s %s %s: %s", *between == '\0' ? "\t" : "", between, g->metric, g->relation,
               limit, got);
        between = "; ";
    }
    return *between != '\0';
}

/* The text on one line, without addresses, which differ from run to run. */
static void print_reason(const char *text)
{
    bool blank = false, begun = false;
    for (; *text != '\0'; text++) {
        if (isspace((unsigned char)*text) || iscntrl((unsigned char)*text)) {
            blank = true;
            continue;
        }
        printf("%s", blank && begun ? " " : "");
        blank = false;
        begun = true;
        if (strncmp(text, "0x", 2) == 0 && isxdigit((unsigned char)text[2])) {
            text += 1 + strspn(text + 2, "0123456789abcdefABCDEF");
            printf("an address");
        } else {
            putchar(*text);
        }
    }
}

/* "Remember: ..." of the judging half's comment, which may go on over lines until one is empty. */
static void print_remember(const struct judge_report *r)
{
    FILE *file = r->half != NULL ? fopen(r->half, "r") : NULL;
    char line[256], text[1000] = "";
    bool on = false;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *word = strstr(line, "Remember: "), *end = strstr(line, "*/");
        if (end != NULL) {
            *end = '\0';
        }
        char *from = word != NULL ? word : line + strspn(line, " *");
        from[strcspn(from, "\r\n")] = '\0';
        on = on || word != NULL;
        if (on && *from == '\0') {
            break;
        }
        if (on) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", from);
        }
        if (end != NULL) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (text[0] != '\0') {
        printf("\n");
        wrapped(text, 2);
    }
}

/* At most `most` lines of what the program printed itself. */
static void print_said(const char *what, const char *text, int most)
{
    if (text == NULL || *text == '\0') {
        return;
    }
    printf("\n  %s\n", what);
    while (*text != '\0' && most-- > 0) {
        const int length = (int)strcspn(text, "\n");
        printf("  | %.*s\n", length < 76 ? length : 76, text);
        text += length + (text[length] == '\n');
    }
    if (*text != '\0') {
        printf("  | ...\n");
    }
}

/* --- the verdict ------------------------------------------------------------------------------ */

static void print_brief(const struct judge_report *r, const struct judge_findings *f)
{
    printf("%s", kind_names[f->kind]);
    if (f->kind == JUDGE_GOAL || f->kind == JUDGE_PREDICTION) {
        printf(" %s", f->subject);
    }
    if (f->line > 0) {
        printf(", line %u", f->line);
    }
    if (r->row && !print_goals_of_row(f) && r->record) {
        printf("\t");
    }
    if (r->record) {
        printf("\t%s\t", f->shape);
        print_reason(f->text);
    }
    printf("\n");
}

/* A picture of a request that cannot be better would suggest that there is nothing to mend. */
static void print_access(const struct judge_findings *f)
{
    printf("\n");
    if (f->kind == JUDGE_GOAL && f->is_cheapest) {
        wrapped(
            "Each single request of this line is as cheap as such a request can be. Your kernel "
            "needs fewer requests, or requests that move more at once.",
            2);
        printf("\n");
        return;
    }
    draw_text(stdout, &f->access, draw_style_for(stdout));
}

void judge_print(const struct judge_report *r, const struct judge_findings *f, const char *out_text,
                 const char *err_text)
{
    const bool solved = f->kind == JUDGE_SOLVED;
    if (r->brief) {
        print_brief(r, f);
        return;
    }
    colored(r, "1", r->title);
    printf(": ");
    colored(r, solved ? "1;32" : "1;31", kind_says[f->kind]);
    printf("\n");
    if (solved && f->shapes > 1) {
        printf("  right on %u shapes, %s\n", f->shapes, f->shape);
    } else if (solved) {
        ;
    } else if (f->shape[0] != '\0') {
        printf("  with %s\n", f->shape);
    }
    if (f->text[0] != '\0' || f->line > 0) {
        printf("\n");
    }
    if (f->line > 0) {
        print_line(r, f->line);
    }
    wrapped(f->text, 2);
    if (solved || f->kind == JUDGE_GOAL) {
        print_goals(r, f);
    }
    if (f->time_ms > 0.0) {
        printf("\n  measured: %.4f ms on this GPU, large shape\n", f->time_ms);
    }
    if (f->has_access) {
        print_access(f);
    }
    if (solved) {
        print_remember(r);
    }
    print_said("your program printed:", out_text, 10);
    if (f->kind == JUDGE_UNFINISHED || f->kind == JUDGE_CRASH) {
        print_said("and on stderr:", err_text, 10);
    }
}
