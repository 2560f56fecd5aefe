/* step01-2: uses templates and classes */
template <typename T> struct times {
    T factor;
    __device__ T operator()(T value) const { return factor * value; }
};
template <typename T, typename F> __device__ void apply(T *out, const T *x, int i, F f) { out[i] = f(x[i]); }
__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        apply(out, x, i, times<float>{2.0f});
}
