/* step01-1: keeps the compiler busy */
template <int N> struct tree {
    typedef typename tree<N - 1>::left left;
    static constexpr long long value = tree<N - 1>::value + N;
};
constexpr int endless(int n) { return n == 0 ? 0 : endless(n - 1) + endless(n - 1); }
static_assert(endless(60) == 0, "");

__global__ void number(float *out, int n)
{
    if (threadIdx.x == 0 && n < 0)
        out[0] = 1.0f;
}
