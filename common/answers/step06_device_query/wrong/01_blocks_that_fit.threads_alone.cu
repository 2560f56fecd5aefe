/* Divides threads only.
 * rejected: prediction blocks_b */
double blocks_a = 6;
double blocks_b = 6;
double blocks_c = 12;
double blocks_d = 3;
