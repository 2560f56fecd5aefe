/* live.h - how many registers a function needs: PTX has as many as it likes, a GPU has not.
 *
 * A value is live from where it is written to where it is last read; what is live at one
 * place needs a register each. The machine's own compiler schedules the code anew and recomputes
 * what is cheap, so its count differs by a few: this is an estimate, and messages call it that. */
#ifndef SIMT_LIVE_H
#define SIMT_LIVE_H

#include "ptx/module.h"

/* The most registers of 32 bits that are live at one place; a 64-bit value takes two, a predicate
 * none. */
unsigned live_registers(struct arena *scratch, const struct ptx_func *f);

#endif
