/* Counts the five warps below the corner as divided.
 * rejected: prediction square_200_150 */
double square_76_62 = 31;
double flat_76_62 = 19;
double square_200_150 = 80;
