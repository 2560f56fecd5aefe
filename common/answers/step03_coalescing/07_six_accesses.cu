/* Why: a begins at a sector, b does not and ends in a fifth. c spreads over 256 bytes, of which it
 * uses half. In d each lane has a sector of its own, in e all want one of four floats in one
 * sector, and f is 512 bytes. */

double a = 4;
double b = 5;
double c = 8;
double d = 32;
double e = 1;
double f = 16;
