/* Mass is the fourth field, not the first of the second half.
 * rejected: wrong result */
struct particle { // 32 bytes
    float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void energy(float *out, const particle *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float4 a = ((const float4 *)&p[i])[0], b = ((const float4 *)&p[i])[1];
    out[i] = b.x * (b.x * b.x + b.y * b.y + b.z * b.z) +
             b.w * (a.x + a.y + a.z);
}
