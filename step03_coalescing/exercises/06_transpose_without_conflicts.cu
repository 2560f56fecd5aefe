/* 06 transpose without conflicts: a column in 32 banks               [cheaper]
 *
 * Given:  the transpose through a tile: coalesced on both sides, but a warp
 *         reads a column of the tile, 32 words apart
 * Wanted: the same without bank conflicts, in either of two ways: rows of
 *         the tile that are longer, or columns that change places in each row
 *
 *    padded:  row r begins in bank r        swizzled: element (r, c) lies in
 *             . . . . . . . . . +           column c ^ r of row r
 *
 * goal: bank conflicts = 0
 * goal: sectors per request <= 4
 */
__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[32][32]; // YOURS
    const int x = threadIdx.x, y = threadIdx.y;
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int r = y; r < 32; r += 8)
        if (top + r < height && left + x < width)
            tile[r][x] = in[(top + r) * width + left + x];
    __syncthreads();
    for (int r = y; r < 32; r += 8)
        if (left + r < width && top + x < height)
            out[(left + r) * height + top + x] = tile[x][r];
}
