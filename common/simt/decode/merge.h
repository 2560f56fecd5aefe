/* merge.h - which neighbouring accesses of shared memory does ptxas merge into wider ones?
 *
 * Hardware executes machine code, where loads of 4 or 8 bytes from one base with adjacent
 * constant offsets have become 64- or 128-bit loads. The simulator executes PTX as written, but
 * counts wavefronts as the merged access costs them. The rule was found by reading the code that
 * ptxas 13.0 makes of small kernels for sm_90; tests/fidelity/README.md tells it with examples. */
#ifndef SIMT_MERGE_H
#define SIMT_MERGE_H

#include "decode/decoder.h"

/* How an access is counted. bytes 0: as it is. Else as one access of `bytes` per lane that starts
 * `shift` bytes below the lane's own address. silent: not at all, another one carries the cost. */
struct merge {
    uint8_t bytes, shift;
    bool silent;
};

/* For each instruction of the function that d is decoding; block_of must be there already. */
struct merge *find_merges(struct decoder *d);

#endif
