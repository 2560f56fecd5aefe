/* A branch less, and still one: a loop whose length differs by lane. */
__global__ void count_steps(int *steps, const int *start, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int v = start[i];
    for (int s = 0; s < 32; s++) {
        int odd = v % 2, w = v / 2;
        while (odd > 0) { // rejected: goal divergent branches
            asm volatile("" : "+r"(w));
            w = 3 * v + 1, odd--;
        }
        v = w;
    }
    steps[i] = v;
}
