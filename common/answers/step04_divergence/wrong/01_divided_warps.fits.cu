/* 76 is 19 * 4: so a block of 4 x 8 fits, one may think.
 * rejected: prediction flat_76_62 */
double square_76_62 = 31;
double flat_76_62 = 0;
double square_200_150 = 75;
