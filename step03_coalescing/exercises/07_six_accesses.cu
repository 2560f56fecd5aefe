/* 07 six accesses: what does a warp touch?                           [predict]
 *
 * Given:  x, floats, begins at a multiple of 256 bytes; lane i of a warp, 0 to
 *         31, loads a float, except in f
 * Wanted: how many 32-byte sectors each of these six requests touches
 *
 *     a: x[i + 8]      b: x[i + 1]       c: x[2 * i]
 *     d: x[33 * i]     e: x[i / 8]       f: ((float4 *)x)[i]
 *
 *     sector   0        1        2        3        4
 *            |01234567|01234567|01234567|01234567|01234567|   floats in it
 */
// YOURS: six numbers
double a = 0;
double b = 0;
double c = 0;
double d = 0;
double e = 0;
double f = 0;
