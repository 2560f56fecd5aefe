/* balance.h - blocks of unequal work, on the places that a GPU has for blocks. */
#ifndef SIMT_BALANCE_H
#define SIMT_BALANCE_H

#include <stdint.h>

/* Blocks go, in order, to the place that is free first: how much longer that takes than the same
 * number of blocks that are all alike. 1 if there are none. */
double balance_of(const double *block_work, uint64_t blocks, unsigned places);

#endif
