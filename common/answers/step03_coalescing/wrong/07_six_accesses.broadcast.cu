/* Four distinct words are one sector, if they lie together.
 * rejected: prediction e */
double a = 4;
double b = 5;
double c = 8;
double d = 32;
double e = 4;
double f = 16;
