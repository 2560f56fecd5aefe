/* 05 transpose: turn it in shared memory                                [fill]
 *
 * Given:  in has `height` rows of `width`; a block of 32 x 8 threads has
 *         brought a tile of 32 x 32 into shared memory, row by row
 * Wanted: out has `width` rows of `height`, out[column][row] = in[row][column];
 *         stored row by row as well, so that a warp fills 4 sectors
 *
 *         in   left                     out   top
 *      top  +------+                  left  +------+    row left + r of out is
 *           | tile |     ------>            | turned    column r of the tile
 *           +------+                        +------+
 *
 * goal: store sectors per request <= 4
 */
__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int r = y; r < 32; r += 8)
        if (top + r < height && left + x < width)
            tile[r][x] = in[(top + r) * width + left + x];
    __syncthreads();
    // YOURS: store the tile, turned
}
