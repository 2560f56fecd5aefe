/* 05 image: two indices                                                 [fill]
 *
 * Given:  an image of `height` rows with `width` floats each, row after row;
 *         blocks of 16 x 16 threads, enough of them in x and in y
 * Wanted: out = 1 - in, each pixel written once, and no other place
 *
 *                column -> x
 *              +----------+----------+---
 *     row  |   | block    | block    |      pixel (row, column) is element
 *      y   v   | (0,0)    | (1,0)    |      row * width + column
 *              +----------+----------+---
 */
__global__ void negative(float *out, const float *in, int width, int height)
{
    // YOURS: row and column of this thread, the guard, and one assignment
}
