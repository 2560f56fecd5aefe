/* observed_led.h - which accesses of an observed kernel are counted by the one that leads them
 * (machine/repeats.h). For exec_observed.c alone. */
#ifndef SIMT_OBSERVED_LED_H
#define SIMT_OBSERVED_LED_H

#include "decode/kernel.h"

/* Marks them in a copy's code (INSN_LED), and fills copy->led, led_sites, led_open and led_ahead.
 * counted: per code index, it is a load or a store that may be counted as a repeat. */
void observed_led_make(struct kernel *copy, const bool *counted);
void observed_led_free(struct kernel *copy);

#endif
