/* predict.h - ./run --predict: a lesson's questions, each asked before its answer is shown.
 *
 * A lesson defines a table of questions and hands predict_lesson() over in its struct
 * options_about. Answers are functions that compute them: nothing is stored. Without a terminal
 * there is nobody to ask: one line on stderr, exit code 2. */
#ifndef COMMON_PREDICT_H
#define COMMON_PREDICT_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct prediction {
    const char *question; /* lines of at most 78 columns, the last one a question */
    double (*answer)(void);
    const char *why;         /* the same width */
    void (*draw)(FILE *out); /* a picture that shows it, or NULL */
};

/* Asks them all; an answer counts if it is within one in a thousand. Exit code: 0, or 2 without a
 * terminal. An empty line passes; the end of input ends. */
int predict_run(const char *program, const struct prediction *questions, size_t count);

/* The lesson's own: what its struct options_about holds. */
int predict_lesson(void);

#ifdef __cplusplus
}
#endif

#endif
