/* There are 12 by threads, but 8 slots.
 * rejected: prediction blocks_c */
double blocks_a = 6;
double blocks_b = 5;
double blocks_c = 12;
double blocks_d = 2;
