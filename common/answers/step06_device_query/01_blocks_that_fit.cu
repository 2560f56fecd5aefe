/* Why: a: 1536 / 256 = 6, and 16384 / 2560 = 6. b: 16384 / 3072 = 5. c: 12 by threads and by
 * registers, but 8 block slots and 16 KB / 2 KB = 8. d: 16384 / 5632 = 2, where 10 registers
 * allowed 3: one register costs a third of all threads, a cliff. */

double blocks_a = 6;
double blocks_b = 5;
double blocks_c = 8;
double blocks_d = 2;
