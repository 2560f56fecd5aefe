/* operations.h - what instructions compute, in words: for computed.h, which asks. */
#ifndef SIMT_OPERATIONS_H
#define SIMT_OPERATIONS_H

#include "report/computed.h"

/* Of an instruction that writes one register. */
bool operations_value(struct computed *c, uint32_t insn, struct expression *e);
/* Where an instruction that touches memory does so. */
bool operation_place(struct computed *c, uint32_t insn, struct expression *e);

#endif
