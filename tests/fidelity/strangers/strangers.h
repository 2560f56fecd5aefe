/* strangers.h - small kernels as somebody writes them who has never read the simulator. They were written before anybody
 * knew their counts; h200.csv has what an H200 counted for each, and compare runs them here. Each of the other files has
 * kernels of one kind and a function that runs them; main.cu has the rest. */
#ifndef STRANGERS_H
#define STRANGERS_H

#include "../must.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 16, THREADS = 128 };

/* What the input is filled with: random words, floats from -10 to 10, pairs of halves, numbers that grow, or bytes that
 * are 0 or 1. */
enum filling { WHOLE, FLOATS, HALVES, SORTED, BOOLS };

extern unsigned *d_in, *d_out;

/* Allocates both. */
void allocate(void);
/* Before a kernel: fills d_in, and d_out with 0. */
void begin(enum filling how);
/* After it: prints its name and a hash of both. */
void show(const char *name);

#define RUN(name, filling, ...)                                                                                        \
    do {                                                                                                               \
        begin(filling);                                                                                                \
        __VA_ARGS__;                                                                                                   \
        show(#name);                                                                                                   \
    } while (0)

void run_structs(void);
void run_switches(void);
void run_narrow(void);
void run_pointers(void);
void run_functions(void);
void run_loops(void);
void run_merged(void);
void run_drawn(void);

#endif
