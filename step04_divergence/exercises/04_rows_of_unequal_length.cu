/* 04 rows of unequal length: a warp waits for its longest row        [cheaper]
 *
 * Given:  a thread for each row; row r begins at values[begin[r]] and ends
 *         before values[begin[r + 1]]; most are short, some long. order[] lists
 *         the rows by length, the shortest first.
 * Wanted: the same sums, with rows of like length in one warp
 *
 *    by number:  lane 0 ##             by length:  lane 0 ##
 *                lane 1 ############                lane 1 ##
 *                lane 2 ###     idle                lane 2 ###
 *
 * goal: utilisation >= 90
 */
__global__ void row_sums(float *out, const float *values, const int *begin,
                         const int *order, int rows)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= rows)
        return;
    const int row = t; // YOURS: which row is this thread's?
    float sum = 0.0f;
    for (int i = begin[row]; i < begin[row + 1]; i++)
        sum += values[i];
    out[row] = sum;
}
