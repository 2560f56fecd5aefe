/* carried.h - loads that decide about their own next round: a warp that goes round waits for each.
 *
 * The address of the next one comes from it (a list), or whether there is a next round (a search
 * that ends where it finds something). Of other loops ptxas and the hardware ask for several
 * rounds' words at the same time. */
#ifndef SIMT_CARRIED_H
#define SIMT_CARRIED_H

#include "decode/kernel.h"

/* Per code index of the kernel: is it such a load, or an atomic of this kind? */
void carried_find_codes(const struct kernel *k, bool *carried);

/* Does a loop go on until the counter that it adds to says so? Then blocks share the work out among
 * themselves: on a card, where all run at a time, evenly; here the first one takes it all.
 * carried: what carried_find_codes() has found. */
bool carried_takes_tasks(const struct kernel *k, const bool *carried);

#endif
