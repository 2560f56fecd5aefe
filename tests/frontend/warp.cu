/* Shuffles of every type and width, votes, matches, reductions and barriers with a predicate. */
#include "check.h"

#define FULL 0xffffffffu

template <typename T> __global__ void shuffle(T *out, T base, int width)
{
    int lane = (int)threadIdx.x;
    T mine = base + (T)lane;
    out[lane] = __shfl_sync(FULL, mine, 5, width);
    out[32 + lane] = __shfl_up_sync(FULL, mine, 3, width);
    out[64 + lane] = __shfl_down_sync(FULL, mine, 3, width);
    out[96 + lane] = __shfl_xor_sync(FULL, mine, 6, width);
    out[128 + lane] = __shfl_sync(FULL, mine, lane + 1, width);
}

template <typename T> static void check_shuffles(T base)
{
    T *out = make_array<T>(160);
    for (int width = 2; width <= 32; width *= 2) {
        shuffle<<<1, 32>>>(out, base, width);
        CHECK_CUDA(cudaDeviceSynchronize());
        for (int lane = 0; lane < 32; lane++) {
            int first = lane / width * width, in = lane % width;
            CHECK(out[lane] == base + (T)(first + 5 % width));
            CHECK(out[32 + lane] == base + (T)(in >= 3 ? lane - 3 : lane));
            CHECK(out[64 + lane] == base + (T)(in + 3 < width ? lane + 3 : lane));
            int partner = lane ^ 6;
            CHECK(out[96 + lane] == base + (T)(partner < first + width ? partner : lane));
            CHECK(out[128 + lane] == base + (T)(first + (lane + 1) % width));
        }
    }
    CHECK_CUDA(cudaFree(out));
}

struct votes {
    int all, any, all_true, uni;
    unsigned int ballot, active, in_branch, any_match, all_match, all_same, long_match, float_match;
    int not_all, all_equal;
    int sum, min, max;
    unsigned int usum, umin, umax, and_, or_, xor_;
    int count, block_and, block_or, none;
};

__global__ void vote(struct votes *out)
{
    int lane = (int)(threadIdx.x % 32);
    struct votes v;
    v.all = __all_sync(FULL, lane < 31);
    v.any = __any_sync(FULL, lane == 31);
    v.all_true = __all_sync(FULL, lane < 32);
    v.uni = __any_sync(FULL, lane > 40);
    v.ballot = __ballot_sync(FULL, lane % 3 == 0);
    v.active = __activemask();
    v.in_branch = 0;
    if (lane % 4 == 1)
        v.in_branch = __ballot_sync(0x22222222, lane > 8);
    __syncwarp();
    v.any_match = __match_any_sync(FULL, lane / 8);
    v.all_match = __match_all_sync(FULL, lane / 8, &v.not_all);
    v.all_same = __match_all_sync(FULL, 17u, &v.all_equal);
    v.long_match = __match_any_sync(FULL, (long long)(lane % 2) << 40);
    v.float_match = __match_any_sync(FULL, (float)(lane % 4));
    v.sum = __reduce_add_sync(FULL, lane - 40);
    v.min = __reduce_min_sync(FULL, lane - 40);
    v.max = __reduce_max_sync(FULL, lane - 40);
    v.usum = __reduce_add_sync(FULL, (unsigned int)lane);
    v.umin = __reduce_min_sync(FULL, (unsigned int)lane + 3);
    v.umax = __reduce_max_sync(FULL, (unsigned int)lane + 3);
    v.and_ = __reduce_and_sync(FULL, (unsigned int)lane | 64);
    v.or_ = __reduce_or_sync(FULL, 1u << lane);
    v.xor_ = __reduce_xor_sync(FULL, (unsigned int)lane + 1);
    v.count = __syncthreads_count((int)threadIdx.x % 5 == 0);
    v.block_and = __syncthreads_and(threadIdx.x < 95);
    v.block_or = __syncthreads_or(threadIdx.x == 95);
    v.none = __syncthreads_or(threadIdx.x > 95);
    out[threadIdx.x] = v;
}

/* The last rounds of a sum by the first lanes alone: lanes 4 to 7 read lanes that take no part, and
 * what they get is undefined; lane 0 is right whatever it is. */
__global__ void sum_of_few(int *out)
{
    int v = (int)threadIdx.x;
    for (int distance = 16; distance >= 8; distance /= 2)
        v += __shfl_down_sync(FULL, v, distance);
    if (threadIdx.x < 8) {
        for (int distance = 4; distance > 0; distance /= 2)
            v += __shfl_down_sync(0xff, v, distance);
    }
    if (threadIdx.x == 0)
        *out = v;
}

/* Both arms ask who is there: that must not be asked in front of the branch. */
__global__ void both_arms_ask(unsigned int *out)
{
    unsigned int seen;
    if (threadIdx.x % 4 == 1) {
        seen = __activemask();
        seen += __reduce_add_sync(seen, 1);
    } else {
        seen = __activemask();
        seen ^= __reduce_or_sync(seen, threadIdx.x);
    }
    out[threadIdx.x] = seen;
}

/* One lane takes a number for its warp and hands it to the others, which have not set theirs. */
__global__ void take_numbers(int *next, int *out)
{
    int number;
    if (threadIdx.x % 32 == 0)
        number = atomicAdd(next, 1);
    number = __shfl_sync(FULL, number, 0);
    out[threadIdx.x] = number;
}

static void check_taken_numbers(void)
{
    int *next = make_array<int>(1), *out = make_array<int>(128);
    *next = 0;
    take_numbers<<<1, 128>>>(next, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(*next, 4);
    int sum = 0;
    for (int i = 0; i < 128; i++) {
        CHECK_INT(out[i], out[i / 32 * 32]);
        sum += out[i];
    }
    CHECK_INT(sum, 32 * (0 + 1 + 2 + 3));
    CHECK_CUDA(cudaFree(next));
    CHECK_CUDA(cudaFree(out));
}

int main(void)
{
    check_taken_numbers();
    int *sum = make_array<int>(1);
    sum_of_few<<<1, 32>>>(sum);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(*sum, 31 * 32 / 2);

    unsigned int *asked = make_array<unsigned int>(32);
    both_arms_ask<<<1, 32>>>(asked);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        CHECK_INT(asked[i], i % 4 == 1 ? 0x22222222 + 8 : 0xdddddddd ^ 31);

    check_shuffles<int>(100);
    check_shuffles<unsigned int>(0xfffffff0u);
    check_shuffles<long>(1l << 40);
    check_shuffles<unsigned long>(1ul << 63);
    check_shuffles<long long>(-(1ll << 40));
    check_shuffles<unsigned long long>(1ull << 50);
    check_shuffles<float>(0.5f);
    check_shuffles<double>(1e15);

    struct votes *v = make_array<struct votes>(96);
    vote<<<1, 96>>>(v);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 96; i++) {
        int lane = i % 32;
        CHECK(v[i].all == 0 && v[i].any == 1 && v[i].all_true == 1 && v[i].uni == 0);
        CHECK_INT(v[i].ballot, 0x49249249);
        CHECK_INT(v[i].active, FULL);
        CHECK_INT(v[i].in_branch, lane % 4 == 1 ? 0x22222200 : 0);
        CHECK_INT(v[i].any_match, 0xffu << lane / 8 * 8);
        CHECK(v[i].all_match == 0 && v[i].not_all == 0);
        CHECK(v[i].all_same == FULL && v[i].all_equal == 1);
        CHECK_INT(v[i].long_match, lane % 2 ? 0xaaaaaaaa : 0x55555555);
        CHECK_INT(v[i].float_match, 0x11111111u << lane % 4);
        CHECK(v[i].sum == 496 - 40 * 32 && v[i].min == -40 && v[i].max == -9);
        CHECK(v[i].usum == 496 && v[i].umin == 3 && v[i].umax == 34);
        CHECK(v[i].and_ == 64 && v[i].or_ == FULL && v[i].xor_ == 32);
        CHECK_INT(v[i].count, 20);
        CHECK(v[i].block_and == 0 && v[i].block_or != 0 && v[i].none == 0);
    }
    return check_done();
}
