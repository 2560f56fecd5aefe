/* 03 out of the loop: work that two arms share                       [cheaper]
 *
 * Given:  every element goes through the same rounds; negative ones are negated
 *         first. Both arms of the branch hold a loop of their own, so a warp
 *         with both kinds walks through both loops, half empty.
 * Wanted: the same result with each warp in the loop once
 *
 *      now:     if |====== loop ======|            wanted:   if |-|
 *               else                 |== loop ==|            |==== loop ====|
 *
 * goal: instructions per warp <= 140
 * goal: utilisation >= 95
 */
__global__ void polish(float *x, int n, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    if (v < 0.0f) { // YOURS: what do the two arms share?
        v = -v;
        for (int s = 0; s < rounds; s++)
            v = 0.99f * (v + 0.01f / (v + 1.0f));
    } else {
        for (int s = 0; s < rounds; s++)
            v = 0.99f * (v + 0.01f / (v + 1.0f));
    }
    x[i] = v;
}
