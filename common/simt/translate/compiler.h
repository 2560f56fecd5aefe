/* compiler.h - the C compiler of this machine, and the folder in which what it makes is kept.
 *
 * A text is compiled once: its object lies in $XDG_CACHE_HOME/simt (or ~/.cache/simt) under a name
 * that is made of the text, the unit, the compiler and its options. The folder is this user's
 * alone, and of at most COMPILER_CACHE_BYTES: what was used least recently goes first. */
#ifndef SIMT_COMPILER_H
#define SIMT_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

enum { COMPILER_CACHE_BYTES = 64 << 20 };

/* A text that is to be compiled. */
struct compiler_job {
    char object[512];  /* a path: the shared object, once it is there; */
    char source[520];  /* the text, while it is being compiled; */
    char failure[520]; /* an empty file, where the compiler has failed in this process */
};

enum compiler_state { COMPILER_ABSENT, COMPILER_READY, COMPILER_FAILED };

/* Names the files of a text. false: there is no compiler or no folder; nothing can be compiled. */
bool compiler_open(struct compiler_job *job, const char *text, size_t length);
/* Is the object there? A failure is reported once. */
enum compiler_state compiler_look(const struct compiler_job *job);
/* Begins to compile, in a process of its own that nobody waits for. nice: others have the cores
 * first. false: it cannot be begun. */
bool compiler_begin(const struct compiler_job *job, const char *text, size_t length, bool nice);

#endif
