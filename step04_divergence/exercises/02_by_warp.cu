/* 02 by warp: two kinds of elements, one kind a warp                 [cheaper]
 *
 * Given:  elements at even places get one loop, those at odd places another; so
 *         every warp goes through both. n is a multiple of 64.
 * Wanted: the same result, and no warp that divides: share the elements out so
 *         that one warp takes 32 even ones, the next 32 odd ones
 *
 *    element   0  1  2  3  4  5  6  7 ...  62  63
 *    now       warp 0 ........................| warp 1
 *    wanted    w0 w1 w0 w1 w0 w1 w0 w1 ...  w0  w1
 *
 * goal: divergent branches = 0
 */
__global__ void steps(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int e = i; // YOURS: which element, and what the branch asks for
    float v = x[e];
    if (e % 2 == 0)
        for (int s = 0; s < 20; s++)
            v = 0.5f * v + 1.0f;
    else
        for (int s = 0; s < 20; s++)
            v = 0.25f * v - 1.0f;
    x[e] = v;
}
