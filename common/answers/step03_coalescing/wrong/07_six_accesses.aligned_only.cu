/* Takes x[i + 1] for as good as x[i].
 * rejected: prediction b */
double a = 4;
double b = 4;
double c = 8;
double d = 32;
double e = 1;
double f = 16;
