/* Why: 1024 threads are 32 warps. 31 of them are full, and the last has 8 lanes with an element: it
 * still makes a request, of a single sector, and is the only one that the guard divides.
 * 31 * 4 + 1 = 125 sectors = 1000 floats of 4 bytes / 32. */

double warps = 32;
double load_requests = 32;
double store_sectors = 125;
double divergent_warps = 1;

__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.0f * x[i];
}
