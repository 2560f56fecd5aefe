/* 01 split k: many blocks for one tile                                  [fill]
 *
 * Given:  C = A.B with one tile of C, m and n up to 16, and a deep k: one
 *         block computes it, all other multiprocessors are idle
 * Wanted: SPLITS = 16 blocks. Each takes an equal share of k, whatever k is,
 *         and leaves its sums in part; the block that draws the last ticket
 *         adds the parts up, in order. *tickets is 0 at first.
 *
 *     steps of k   |--- block 0 ---|--- block 1 ---|--- block 2 ---| ...
 *     part[0]   + part[1]  + part[2]  + ...  = C
 *
 * goal: instructions per warp <= k
 */
enum { TILE = 16, SPLITS = 1 };
int splits = SPLITS; // blocks of the grid; part has 256 floats for each

__global__ void product(float *C, float *part, unsigned *tickets,
                        const float *A, const float *B, int m, int n, int k)
{
    const int row = threadIdx.y, column = threadIdx.x;
    const bool mine = row < m && column < n;
    float sum = 0.0f;
    // YOURS: SPLITS = 16; which steps are this block's, which block is last?
    for (int i = 0; i < k && mine; i++)
        sum += A[row * k + i] * B[i * n + column];
    if (mine)
        C[row * n + column] = sum;
}
