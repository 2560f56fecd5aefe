/* 01 blocks that fit: by hand, once                                  [predict]
 *
 * Given:  an SM with 1536 thread slots, 8 block slots, 16384 registers and 16
 *         KB of shared memory, of which a block takes exactly what it asks for
 * Wanted: how many blocks of these kernels it holds at a time
 *
 *       threads a block   registers a thread   shared bytes a block
 *    a        256                10                    0
 *    b        256                12                    0
 *    c        128                10                  2048
 *    d        512                11                    0
 */
double blocks_a = 0; // YOURS: four numbers
double blocks_b = 0;
double blocks_c = 0;
double blocks_d = 0;
