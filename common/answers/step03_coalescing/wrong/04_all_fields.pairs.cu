/* Four loads of 8 bytes: half way. */
struct particle { // 32 bytes
    float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void energy(float *out, const particle *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float2 *q = (const float2 *)&p[i];
    const float2 q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3]; // rejected: goal load requests
    const float4 a = {q0.x, q0.y, q1.x, q1.y}, b = {q2.x, q2.y, q3.x, q3.y};
    out[i] = a.w * (b.x * b.x + b.y * b.y + b.z * b.z) +
             b.w * (a.x + a.y + a.z);
}
