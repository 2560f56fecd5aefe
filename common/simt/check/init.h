/* init.h - values that were never stored: finds them where they matter.
 *
 * Layer check. Each byte of memory has a bit that says whether anything was stored there. A load
 * of bytes without a value is nothing yet: compilers copy padding, and load what they then do not
 * use. The register is marked, marks go where the value goes, and what is reported is a mark in an
 * address, in a branch, or in a result that is stored in global memory. */
#ifndef SIMT_INIT_H
#define SIMT_INIT_H

#include "check/check_state.h"

/* How marks pass through an instruction; made once per kernel. */
void init_inspect(struct check *c, const struct kernel *k);
void init_block_begin(struct checked_block *own, struct block *b, unsigned slot);
void init_block_free(struct checked_block *own);
/* Before an instruction: what it reads and writes. */
void init_step(struct check *c, struct checked_block *own, struct warp *w, uint32_t pc,
               lane_mask lanes);
/* After a shuffle: lanes that the block does not have give no value. */
void init_shuffle(struct check *c, struct checked_block *own, struct warp *w, uint32_t pc,
                  lane_mask lanes);
/* Where the lane's bytes lie in its shadow; 0: in none that is followed. */
uint64_t init_place_of(const struct checked_block *own, const struct warp *w,
                       const struct access_event *e, unsigned lane);
/* A lane's bytes: in a chunk of the shadow, or those of local memory that lie around them. */
struct lane_bytes {
    uint64_t at;
    struct chunk *chunk;
    const uint64_t *local; /* NULL: none of them has a value */
    bool is_local;
};

struct lane_bytes init_bytes_of(struct check *c, const struct checked_block *own,
                                const struct warp *w, const struct access_event *e, unsigned lane);
/* Of the bytes at `at`, one bit each: 1 where it has a value. */
uint32_t init_valid_bits(const struct lane_bytes *b, uint64_t at, unsigned bytes);
/* All bytes of the chunk have one. */
bool init_lane_has_all(const struct lane_bytes *b);
/* No byte near has a value, so it is not padding between fields that do. */
bool init_is_certain(const struct lane_bytes *b, uint64_t at, enum ptx_space space);
/* These bytes of the lane have a value, each as its bit says. */
void init_give_values(struct checked_block *own, const struct warp *w, const struct access_event *e,
                      unsigned lane, const struct lane_bytes *b, uint32_t bits);
struct mark; /* of init_registers.h */
/* A value without a value was stored at that place of the shadow; what is known of the one there.
 */
void init_remember_root(struct check *c, const struct block *b, uint64_t at, const struct mark *m,
                        unsigned lane);
struct mark init_mark_of(const struct check *c, const struct block *b, const struct access_event *e,
                         uint64_t at, uint64_t address);
/* Was what is there made of a value that is missing? Then it is no padding. */
bool init_is_made(const struct check *c, const struct block *b, uint64_t at);
/* Have all bytes between the first and the last one a value? */
bool init_all_have_values(struct check *c, const struct checked_block *own, const struct warp *w,
                          const struct access_event *e);
/* Lanes side by side store values: all bytes from the first to the last have one now. */
bool init_fill_row(struct check *c, struct checked_block *own, const struct warp *w,
                   const struct access_event *e);
/* A barrier of the whole block opens. */
void init_barrier(struct check *c, struct checked_block *own, const struct block *b);
/* Is there nothing to say of this access: it loads values, or stores them? False: perhaps not. */
bool init_shared_access(const struct checked_block *own, const struct warp *w,
                        const struct shared_access *a);
/* After a load or atomic; before a store. */
void init_access(struct check *c, struct checked_block *own, struct warp *w,
                 const struct access_event *e);
/* After tex, tld4 or suld: a texel without a value gives all channels none. */
void init_texels(struct check *c, struct checked_block *own, struct warp *w,
                 const struct access_event *e);
/* Bytes have a value now that no thread has stored. */
void init_given(struct check *c, struct checked_block *own, const struct warp *w,
                const struct access_event *e);
void init_store(struct check *c, struct checked_block *own, struct warp *w,
                const struct access_event *e);

/* locals.c: addresses of local variables, where they are stored and loaded; the block and the
 * thread of the owner that a mark names. */
void locals_inspect(struct check *c, const struct kernel *k);
void locals_store(struct check *c, struct checked_block *own, const struct warp *w,
                  const struct access_event *e);
void locals_load(struct check *c, struct checked_block *own, const struct warp *w,
                 const struct access_event *e);
uint32_t locals_block(uint64_t owner);
unsigned locals_thread(uint64_t owner);

#endif
