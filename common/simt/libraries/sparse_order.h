/* sparse_order.h - in which order the rows and columns of a sparse matrix fill in little. Both take
 * the pattern of A + A'; order[i] is the row of A that comes as row i. */
#ifndef SIMT_SPARSE_ORDER_H
#define SIMT_SPARSE_ORDER_H

#include "libraries/sparse_direct.h"

/* Reverse Cuthill-McKee: elements come near the diagonal. */
void sparse_order_band(const struct sparse_rows *a, int64_t *order);
/* Least degree first: of the rows that are left the one with the fewest neighbours. */
void sparse_order_degree(const struct sparse_rows *a, int64_t *order);

#endif
