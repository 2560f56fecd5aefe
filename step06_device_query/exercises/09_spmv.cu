/* 09 spmv: capstone: a sparse matrix times a vector                  [cheaper]
 *
 * Given:  y = A.x; row r of A has values value[i] in columns column[i], for i
 *         from begin[r] to begin[r + 1] - 1; a thread for each row, in a grid
 *         with 32 threads a row, of which most find no row
 * Wanted: a warp for each row, so that neighbours in a row are read by
 *         neighbours
 *
 *    thread a row:   lane 0 |v v v v v ...      warp a row:  |v v v v v v ...
 *                    lane 1            |v v                    0 1 2 3 4 5 lane
 *
 * goal: load sectors <= 6 / 10 * values
 * goal: utilisation >= 70
 */
__global__ void spmv(float *y, const float *value, const int *column,
                     const int *begin, const float *x, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x; // YOURS
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = begin[row]; i < begin[row + 1]; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}
