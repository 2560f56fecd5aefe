/* request.h - what the command line asks for (see request.c). */
#ifndef STEP04_REQUEST_H
#define STEP04_REQUEST_H

#include "common/options.h"
#include "step04_divergence/harness/lesson.h"
#include "step04_divergence/harness/watch.h"

enum { NOT_GIVEN = -1 };

struct request {
    struct options o;
    struct option_integers block, image;
    int64_t n;
    const struct kernel *kernel;  /* --kernel, or NULL */
    struct shape shape;           /* --block */
    int64_t split, every, lock;   /* one warp through an if or a lock; 0: not given */
    struct option_integers trips; /* one warp through a loop */
    bool all;                     /* every part's table and picture */
};

/* -1: go on, otherwise the exit code. */
int request_read(struct request *r, int argc, char **argv);
/* Should this part of the lesson run? Without --kernel all three do; --block alone asks for the
 * map, --n and --image for their boundary. */
bool request_wants(const struct request *r, enum experiment part);
/* Is one warp to be watched, and nothing else? Fills what its lanes want, as watched.cuh says. */
bool request_watches(const struct request *r, enum watch_kind *kind, uint32_t wants[32]);
/* The kernel that the map is drawn by. */
const struct kernel *request_map_kernel(const struct request *r);

#endif
