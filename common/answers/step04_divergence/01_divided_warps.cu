/* Why: of 16 x 16 blocks a warp is two rows. With 76 columns the last block has 12: each of the 31
 * pairs of rows is divided there. 4 x 8 fits in x, but 62 rows leave 6 of 8 in the last row of
 * blocks: 19 warps. 200 x 150: 75 pairs of rows; the five below the image are wholly outside and
 * divide nobody. */

double square_76_62 = 31;
double flat_76_62 = 19;
double square_200_150 = 75;
