/* Counts lines of 128 bytes.
 * rejected: prediction a */
double a = 2;
double b = 2;
double c = 8;
double d = 32;
double e = 1;
double f = 16;
