/* 04 tile sizes: what a larger tile saves                            [predict]
 *
 * Given:  C = A.B, all 128 x 128, by tiles of T x T, blocks of T x T threads;
 *         in each of 128 / T phases a thread loads one element of A, one of B
 * Wanted: global load requests of the whole launch for T = 8, 16, 32, and for T
 *         = 8 the sectors of all these requests
 *
 *     T = 8: a warp is 4 rows of 8 threads    T = 32: one row of 32
 */
double requests_tile_8 = 0; // YOURS: four numbers
double requests_tile_16 = 0;
double requests_tile_32 = 0;
double sectors_tile_8 = 0;
