/* balance.h - blocks of unequal work, on the places that a GPU has for blocks. */
#ifndef SIMT_BALANCE_H
#define SIMT_BALANCE_H

#include <stdint.h>

/* Blocks go, in order, to the place that is free first. Of the same number of blocks that are all
 * alike: 1, as where there are none. */
struct balance {
    double longest; /* how much longer it takes until the last place is free */
    double fullest; /* how much more the SM does that does most */
};

/* each: places of an SM. */
struct balance balance_of(const double *block_work, uint64_t blocks, unsigned sms, unsigned each);

#endif
