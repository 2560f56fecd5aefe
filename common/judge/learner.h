/* learner.h - the learner's file as the judge has it: its GPU code as data, its host code as a
 * program in a box that may be asked. */
#ifndef JUDGE_LEARNER_H
#define JUDGE_LEARNER_H

#include "common/judge/boxed/protocol.h"
#include "common/judge/state.h"

/* learner.c: reads the GPU code (PTX, or on a GPU a fat binary that holds it) and gives its kernels
 * to the runtime under the addresses of the skeleton's. false after one line on stderr. */
bool learner_load(const char *path);
/* Where the runtime knows the kernel by; NULL: the file has none of that name. */
const void *learner_kernel(const char *name, struct box_layout *layout);
const void *learner_variable(const char *name);
unsigned learner_fences(void); /* in PTX; a fat binary has none that could be counted */
/* A kernel of the skeleton that the learner's file lacks, as "twice(float*, int)"; NULL: none. */
const char *learner_missing(void);
/* "twice(float*, int)" for a mangled name; the text lives until the next call. */
const char *learner_readable(const char *name);

/* box_process.c: the learner's program in its box, for one shape. */
struct box_paths {
    const char *program, *box; /* NULL: the exercise asks nothing of the host code */
    bool weak;                 /* a box that lacks something will do */
};
void box_set(const struct box_paths *paths);
void box_end(void); /* ends the program, if it runs */
/* Sends a frame, then answers what the program asks until it has a result; ends the judgement when
 * the program ends or says nonsense. The result lives until the next call; *bytes of it. */
const unsigned char *box_ask(struct judge *j, enum box_frame_kind kind, const void *head,
                             uint32_t head_bytes, const void *rest, uint32_t rest_bytes,
                             uint32_t *bytes);
/* "x.cu:12" for a place in the program's code; "" where it is not known. */
void box_line(uint64_t site, char *text, size_t size);

/* box_serve.c: does what a program in its box asks of the GPU. The answer lives until the next. */
struct box_answer {
    struct box_reply reply;
    const void *data;
    uint32_t bytes;
};
struct box_answer box_serve(struct judge *j, const struct box_request *r, const unsigned char *data,
                            uint32_t bytes);
/* The program may read and write this memory of the judge, the device's copy of one of its arrays.
 */
void box_grant(uint64_t address, uint64_t bytes);
/* Where the program made the allocation that the address is in or near; 0: it is none of its own.
 */
uint64_t box_site_of(uint64_t address);
/* Findings name memory of the program by a number: puts the line that allocated it in its place. */
void box_allocations_named(char *text, size_t size);
/* "The first call that failed: cudaMemcpy at x.cu:24: invalid argument", "" if none did. */
void box_failure(char *text, size_t size);
void box_fail_next_wait(void); /* see judge_fail_next_wait() */
void box_serve_forget(void);   /* frees what the program left */

/* decoy.c: arrays that the program sees other values of than the GPU, so that only the GPU can
 * compute with the true ones. */
void decoy_add(struct judge *j, void *seen, const void *true_values, size_t bytes);
/* The true values lie on the GPU already. */
void decoy_lies(struct judge *j, uint64_t address, const void *true_values, size_t bytes);
void decoy_forget(void);
/* Bytes on their way to or from that address of the GPU: what the program saw becomes true and the
 * other way round; and what was copied there. */
void decoy_to_gpu(unsigned char *bytes, size_t count, uint64_t address);
void decoy_from_gpu(unsigned char *bytes, size_t count, uint64_t address);
void decoy_moved(uint64_t to, uint64_t from, size_t count);
/* Does `bytes` consist of what was brought from the GPU? Element that does not, or -1. */
int64_t decoy_not_fetched(const unsigned char *bytes, size_t count);

#endif
