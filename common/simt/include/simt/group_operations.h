/* simt/group_operations.h - operations that reduce() and the scans of cooperative groups may be
 * given. */
#ifndef SIMT_GROUP_OPERATIONS_H
#define SIMT_GROUP_OPERATIONS_H

#include "device.h"

namespace cooperative_groups
{

#define SIMT_OPERATION(name, expression)                                                           \
    template <typename T> struct name {                                                            \
        __attribute__((host, device)) T operator()(T a, T b) const { return expression; }          \
    };

SIMT_OPERATION(plus, a + b)
SIMT_OPERATION(less, b < a ? b : a)    /* the smaller */
SIMT_OPERATION(greater, a < b ? b : a) /* the larger */
SIMT_OPERATION(bit_and, a &b)
SIMT_OPERATION(bit_or, a | b)
SIMT_OPERATION(bit_xor, a ^ b)
#undef SIMT_OPERATION

} // namespace cooperative_groups

#endif
