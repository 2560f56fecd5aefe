/* today.h - what the files of this folder share: kernels in the CUDA of today, each launch with a name of its own. */
#ifndef TODAY_H
#define TODAY_H

#include "../strangers.h"

/* A launch that goes on with what the one before has left. */
#define STEP(name, ...)                                                                                                \
    do {                                                                                                               \
        __VA_ARGS__;                                                                                                   \
        show(#name);                                                                                                   \
    } while (0)

void run_graphs(void);
void run_images(void);
void run_stencils(void);
void run_sorting(void);
void run_groups(void);
void run_copies(void);
void run_tensors(void);
void run_numbers(void);
void run_classes(void);
void run_launches(void);

#endif
