/* devices.h - the CUDA devices of this machine (or the simulator's one), one after the other. */
#ifndef STEP06_DEVICES_H
#define STEP06_DEVICES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* At least 1: without a device the program ends with 2 and says what would help. */
int devices_count(void);

void devices_print(int count, bool all); /* all: every property, not a dozen */

/* "driver": ..., "devices": [...], two members of a JSON object. */
void devices_write_json(int count);

#ifdef __cplusplus
}
#endif

#endif
