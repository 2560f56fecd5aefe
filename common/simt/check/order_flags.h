/* order_flags.h - order by way of memory: fences, flags, and what each thread knows of them.
 * Between order.c and order_flags.c alone. */
#ifndef SIMT_ORDER_FLAGS_H
#define SIMT_ORDER_FLAGS_H

#include "check/order.h"

void flags_share(struct order_warp *w, lane_mask lanes); /* what one of them knows, all know */
void flags_share_block(struct order_block *b);
/* Does a thread with this knowledge know of the access of the lane `from`? */
bool flags_know(const struct order_warp *reader, const struct knowledge *k, const struct stamp *s,
                unsigned from);

#endif
