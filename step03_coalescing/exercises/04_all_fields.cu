/* 04 all fields: a struct in two loads                               [cheaper]
 *
 * Given:  an array of structs of eight floats, 32 bytes, of which every field
 *         is used; the array begins at a multiple of 256 bytes
 * Wanted: the same result with two loads of 16 bytes a thread
 *
 *    thread 0               thread 1
 *   |x y z m vx vy vz q    |x y z m vx vy vz q    | ...
 *   |-float4--|--float4----|
 *
 * goal: load requests <= 2 * warps
 * goal: load sectors <= 64 * warps
 */
struct particle { // 32 bytes
    float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void energy(float *out, const particle *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const particle q = p[i]; // YOURS: eight loads of 4 bytes
    out[i] = q.mass * (q.vx * q.vx + q.vy * q.vy + q.vz * q.vz) +
             q.charge * (q.x + q.y + q.z);
}
