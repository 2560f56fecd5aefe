/* Why: the fields are read one by one because a struct of floats may begin at any multiple of 4. As
 * two float4 each thread asks for its 32 bytes with two requests; every request touches 32 sectors,
 * but there are a quarter as many. Declaring the struct __align__(16) has the same effect. */

struct particle { // 32 bytes
    float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void energy(float *out, const particle *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float4 a = ((const float4 *)&p[i])[0], b = ((const float4 *)&p[i])[1];
    out[i] = a.w * (b.x * b.x + b.y * b.y + b.z * b.z) +
             b.w * (a.x + a.y + a.z);
}
