/* 01 divided warps: which warps does the edge divide?                [predict]
 *
 * Given:  an image, a thread for each pixel, the guard x < width && y < height
 * Wanted: the number of warps in which the guard holds for some lanes and not
 *         for others
 *
 *    square_76_62     76 x 62 pixels, blocks of 16 x 16
 *    flat_76_62       76 x 62 pixels, blocks of 4 x 8
 *    square_200_150   200 x 150 pixels, blocks of 16 x 16
 *
 *    in blocks of 16 x 16 a warp is 2 rows of 16; in those of 4 x 8, the block
 */
double square_76_62 = -1; // YOURS: three numbers
double flat_76_62 = -1;
double square_200_150 = -1;
