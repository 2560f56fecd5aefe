/* 12 whole program: from an empty function                              [fill]
 *
 * Given:  in, an image of `height` rows with `width` floats each, on the host
 * Wanted: out, on the host as well: the image mirrored, so that its left column
 *         is the right one; computed on the GPU, by a thread for each pixel.
 *         true if nothing failed; an image without pixels is ready at once.
 *
 *     a kernel with two indices and a guard; allocate, copy there, launch with
 *     dim3, check, copy back, free
 *
 * goal: sectors per request <= 6
 */
bool mirror_on_gpu(float *out, const float *in, int width, int height)
{
    return false; // YOURS: all of it, and the kernel above it
}
