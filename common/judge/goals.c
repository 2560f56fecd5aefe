/* goals.c - the goals of an exercise: lines of its opening comment that a learner and the judge
 * read alike.
 *
 *     goal: load sectors per request <= 4
 *     goal: load requests = n / 128
 *
 * Left a metric (metrics.def), right a sum, difference, product or quotient of numbers, sizes of
 * the shape and `warps`. */
#include "common/judge/state.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool bad_goal(const char *path, const char *text, const char *why)
{
    fprintf(stderr, "judge: %s: goal '%s': %s\n", path, text, why);
    return false;
}

static void trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[--length] = '\0';
    }
}

/* text: "load sectors per request <= 4" */
static bool read_goal(const char *path, char *text, struct judge_findings *f)
{
    struct judge_goal *g = &f->goals[f->goal_count];
    const size_t name = strcspn(text, "<>=");
    const size_t relation = strspn(text + name, "<>=");
    trim(text);
    if (f->goal_count == JUDGE_GOALS) {
        return bad_goal(path, text, "too many of them");
    }
    if (name == 0 || name >= sizeof g->metric || relation == 0 || relation > 2) {
        return bad_goal(path, text, "write METRIC <= NUMBER");
    }
    snprintf(g->metric, sizeof g->metric, "%.*s", (int)name, text);
    trim(g->metric);
    snprintf(g->relation, sizeof g->relation, "%.*s", (int)relation, text + name);
    const char *right = text + name + relation;
    snprintf(g->expression, sizeof g->expression, "%s", right + strspn(right, " "));
    if (judge_metric_find(g->metric) < 0) {
        return bad_goal(path, text, "no such metric (common/judge/metrics.def has them)");
    }
    f->goal_count++;
    return true;
}

bool judge_read_goals(const char *path, struct judge_findings *f)
{
    FILE *file = fopen(path, "r");
    char line[256];
    bool good = true, over = false;
    if (file == NULL) {
        fprintf(stderr, "judge: %s cannot be read\n", path);
        return false;
    }
    while (good && !over && fgets(line, sizeof line, file) != NULL) {
        char *end = strstr(line, "*/"), *goal = strstr(line, "goal: ");
        over = end != NULL;
        if (over) {
            *end = '\0';
        }
        good = goal == NULL || read_goal(path, goal + 6, f);
    }
    fclose(file);
    return good;
}

/* --- the right side --------------------------------------------------------------------------- */

struct reader {
    const char *at;
    const struct judge *judge;
};

static double sum(struct reader *r);

static void skip_space(struct reader *r) { r->at += strspn(r->at, " "); }

static double variable(struct reader *r)
{
    const struct judge *j = r->judge;
    size_t length = 0;
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_') {
        length++;
    }
    const char *name = r->at;
    r->at += length;
    for (unsigned i = 0; i < j->size_count; i++) {
        if (strlen(j->sizes[i].name) == length && strncmp(j->sizes[i].name, name, length) == 0) {
            return j->sizes[i].value;
        }
    }
    return length == 5 && strncmp(name, "warps", 5) == 0 ? (double)j->counters.warps : NAN;
}

static double atom(struct reader *r)
{
    double value;
    char *end;
    skip_space(r);
    if (*r->at == '(') {
        r->at++;
        value = sum(r);
        if (*r->at != ')') {
            return NAN;
        }
        r->at++;
    } else if (isdigit((unsigned char)*r->at)) {
        value = strtod(r->at, &end);
        r->at = end;
    } else {
        value = variable(r);
    }
    skip_space(r);
    return value;
}

static double product(struct reader *r)
{
    double value = atom(r);
    while (*r->at == '*' || *r->at == '/') {
        const bool times = *r->at++ == '*';
        const double right = atom(r);
        value = times ? value * right : value / right;
    }
    return value;
}

static double sum(struct reader *r)
{
    double value = product(r);
    while (*r->at == '+' || *r->at == '-') {
        const bool plus = *r->at++ == '+';
        const double right = product(r);
        value = plus ? value + right : value - right;
    }
    return value;
}

double judge_evaluate(const char *expression, const struct judge *j)
{
    struct reader r = {expression, j};
    const double value = sum(&r);
    return *r.at == '\0' ? value : NAN;
}

/* A hundredth is what the goals are written to. */
bool judge_goal_is_met(const struct judge_goal *g)
{
    const double slack = 0.005;
    switch (g->relation[0]) {
    case '<':
        return g->got <= g->limit + slack;
    case '>':
        return g->got >= g->limit - slack;
    default:
        return fabs(g->got - g->limit) <= slack;
    }
}

void judge_goal(struct judge *j, const char *what, double got, const char *relation, double limit)
{
    struct judge_findings *f = j->out;
    struct judge_goal g = {.limit = limit, .got = got, .judged = true};
    snprintf(g.metric, sizeof g.metric, "%s", what);
    snprintf(g.relation, sizeof g.relation, "%s", relation);
    g.met = judge_goal_is_met(&g);
    if (j->count_only || (g.met && !judge_large(j))) {
        return;
    }
    if (f->goal_count < JUDGE_GOALS) {
        f->goals[f->goal_count++] = g;
    }
    if (!g.met) {
        judge_end(j, JUDGE_GOAL, 0, what, "%s", "");
    }
}

bool judge_goals(struct judge *j)
{
    struct judge_findings *f = j->out;
    const struct judge_goal *missed = NULL;
    for (unsigned i = 0; i < f->goal_count; i++) {
        struct judge_goal *g = &f->goals[i];
        if (g->judged) { /* by judge_goal() */
            continue;
        }
        g->judged = true;
        g->got = judge_metric(j, g->metric);
        g->limit = judge_evaluate(g->expression, j);
        if (isnan(g->limit)) {
            judge_end(j, JUDGE_BROKEN, 0, g->metric, "goal: '%s' is not understood", g->expression);
        }
        g->met = judge_goal_is_met(g);
        missed = missed == NULL && !g->met ? g : missed;
    }
    if (missed == NULL) {
        return true;
    }
    snprintf(f->subject, sizeof f->subject, "%s", missed->metric);
    f->line = judge_worst_line(j, (unsigned)judge_metric_find(missed->metric));
    return false;
}
