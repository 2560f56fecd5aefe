/* box.h - a place for code that nobody has read: what it may see, how much it may use.
 *
 * box.c is the command; namespaces.c gives it a view of its own (files, processes, no network),
 * filter.c forbids system calls. Linux only; none of it needs root. */
#ifndef JUDGE_BOX_H
#define JUDGE_BOX_H

#include <stdbool.h>
#include <sys/types.h>

enum { BOX_PATHS = 64 };

struct box_view {
    const char *see[BOX_PATHS]; /* visible, read only; what does not exist is left out */
    unsigned see_count;
    const char *own[BOX_PATHS]; /* visible and writable */
    unsigned own_count;
    unsigned long temporary_bytes; /* of /tmp, which is empty at first */
};

/* namespaces.c: NULL, or what this machine lacks, in words. Each in its own process: the first
 * before the fork whose child is process 1 of the box, the second in that child. */
const char *box_leave(void);
const char *box_enter(const struct box_view *view);

/* filter.c: from now on this process and what it becomes may compute, read, write open files and
 * start threads: no processes, no sockets, no other program than the one whose name lies at
 * `program`. NULL, or what this machine lacks. */
const char *box_filter(const char *program);

#endif
