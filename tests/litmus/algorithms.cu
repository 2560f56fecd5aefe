/* algorithms.cu - Thrust's and CUB's algorithms give what the C++ library gives, each time.
 *
 * CUB's scans and selections pass sums from block to block in words of 8 and 16 bytes, a state beside a value,
 * which other blocks poll: one torn word is a wrong result. `./algorithms [ROUNDS]`, each with other numbers;
 * the last line: N passed, M failed. Through nvcc alone: the headers are the toolkit's. */
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

static const size_t count = 60000;
static int passed, failed;

static void judge(const char *name, bool good, int round)
{
    passed += good;
    failed += !good;
    if (!good) {
        printf("%s: another result than the C++ library's in round %d\n", name, round);
    }
}

template <typename T> static std::vector<T> numbers(unsigned seed)
{
    std::vector<T> v(count);
    unsigned x = seed * 2654435761u + 1;
    for (T &n : v) {
        x = x * 1664525u + 1013904223u;
        n = static_cast<T>((x >> 16) % 7);
    }
    return v;
}

template <typename T> static std::vector<T> host(const thrust::device_vector<T> &d, size_t n)
{
    std::vector<T> v(n);
    thrust::copy(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(n), v.begin());
    return v;
}

/* CUB asks for its temporary storage first. */
#define CUB(call, ...)                                                                             \
    do {                                                                                           \
        size_t bytes = 0;                                                                          \
        call(nullptr, bytes, __VA_ARGS__);                                                         \
        thrust::device_vector<unsigned char> room(bytes);                                          \
        call(thrust::raw_pointer_cast(room.data()), bytes, __VA_ARGS__);                           \
    } while (0)
#define RAW(v) thrust::raw_pointer_cast((v).data())

struct is_odd {
    template <typename T> __host__ __device__ bool operator()(T n) const { return n % 2 != 0; }
};

template <typename T> static void scans(const char *name, int round)
{
    const std::vector<T> in = numbers<T>(round);
    std::vector<T> want(count);
    thrust::device_vector<T> d(in.begin(), in.end()), out(count);
    std::partial_sum(in.begin(), in.end(), want.begin());
    CUB(cub::DeviceScan::InclusiveSum, RAW(d), RAW(out), static_cast<int>(count));
    judge(name, host(out, count) == want, round);
    thrust::exclusive_scan(d.begin(), d.end(), out.begin());
    want.insert(want.begin(), T(0));
    want.pop_back();
    judge(name, host(out, count) == want, round);
}

template <typename T> static void selections(const char *name, int round)
{
    const std::vector<T> in = numbers<T>(round);
    std::vector<T> want;
    thrust::device_vector<T> d(in.begin(), in.end()), out(count);
    thrust::device_vector<int> n(1);
    std::copy_if(in.begin(), in.end(), std::back_inserter(want), is_odd());
    CUB(cub::DeviceSelect::If, RAW(d), RAW(out), RAW(n), static_cast<int>(count), is_odd());
    judge(name, n[0] == (int)want.size() && host(out, want.size()) == want, round);
    want.clear();
    std::unique_copy(in.begin(), in.end(), std::back_inserter(want));
    auto end = thrust::unique_copy(d.begin(), d.end(), out.begin());
    judge(name, end - out.begin() == (long)want.size() && host(out, want.size()) == want, round);
}

static void runs(int round)
{
    const std::vector<int> in = numbers<int>(round);
    std::vector<int> keys, lengths;
    for (int n : in) {
        if (keys.empty() || keys.back() != n) {
            keys.push_back(n);
            lengths.push_back(0);
        }
        lengths.back()++;
    }
    thrust::device_vector<int> d(in.begin(), in.end()), k(count), l(count), n(1);
    CUB(cub::DeviceRunLengthEncode::Encode, RAW(d), RAW(k), RAW(l), RAW(n), static_cast<int>(count));
    judge("run lengths", n[0] == (int)keys.size() && host(k, keys.size()) == keys &&
                             host(l, keys.size()) == lengths, round);
    thrust::device_vector<int> ones(count, 1);
    auto ends = thrust::reduce_by_key(d.begin(), d.end(), ones.begin(), k.begin(), l.begin());
    judge("reduce_by_key", ends.first - k.begin() == (long)keys.size() &&
                               host(l, keys.size()) == lengths, round);
}

static void orders(int round)
{
    const std::vector<int64_t> in = numbers<int64_t>(round);
    std::vector<int64_t> want(in);
    thrust::device_vector<int64_t> d(in.begin(), in.end());
    thrust::device_vector<int> n(1);
    thrust::device_vector<int64_t> out(count);
    CUB(cub::DevicePartition::If, RAW(d), RAW(out), RAW(n), static_cast<int>(count), is_odd());
    std::vector<int64_t> parts = host(out, count); /* CUB lays the second part down in reverse order */
    std::reverse(parts.begin() + n[0], parts.end());
    std::stable_partition(want.begin(), want.end(), is_odd());
    judge("partition", parts == want, round);
    judge("reduce", thrust::reduce(d.begin(), d.end(), int64_t(0)) ==
                        std::accumulate(in.begin(), in.end(), int64_t(0)), round);
    thrust::sort(d.begin(), d.end());
    std::sort(want.begin(), want.end());
    judge("sort", host(d, count) == want, round);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 3;
    for (int round = 0; round < rounds; round++) {
        scans<int>("scans of int", round);
        scans<int64_t>("scans of int64_t", round);
        scans<short>("scans of short", round);
        selections<int>("selections of int", round);
        selections<int64_t>("selections of int64_t", round);
        runs(round);
        orders(round);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
