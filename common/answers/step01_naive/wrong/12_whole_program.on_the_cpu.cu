/* The memory of the CPU is read on the CPU: right, and no GPU had a part in it.
 * rejected: wrong result */
bool mirror_on_gpu(float *out, const float *in, int width, int height)
{
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++)
            out[row * width + column] = in[row * width + width - 1 - column];
    return true;
}
