/* Cooperative groups: block, tiles, run-time tiles, coalesced threads, partitions, reduce, grid. */
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <utility>

namespace cg = cooperative_groups;

/* The sum over any group through shared memory, as a textbook writes it. */
__device__ int sum_group(cg::thread_group g, int *scratch, int value)
{
    int rank = (int)g.thread_rank();
    for (int half = (int)g.size() / 2; half > 0; half /= 2) {
        scratch[rank] = value;
        g.sync();
        if (rank < half)
            value += scratch[rank + half];
        g.sync();
    }
    return value;
}

struct seen {
    int block_sum, tile_sum, tile_rank, tile8, up, down, across, first;
    int sum, largest, active_size, active_rank, active_sum, label_size, odd_even;
    unsigned int ballot, match;
    int meta_rank, meta_size, any, all;
};

__global__ void use_groups(struct seen *out)
{
    __shared__ int scratch[64];
    cg::thread_block block = cg::this_thread_block();
    int i = (int)block.thread_rank();
    struct seen s = {};
    s.block_sum = sum_group(block, scratch, i);
    block.sync();
    cg::thread_group tile16 = cg::tiled_partition(block, 16);
    s.tile_sum = sum_group(tile16, scratch + i / 16 * 16, i);
    s.tile_rank = (int)tile16.thread_rank();
    cg::sync(block);

    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    auto tile8 = cg::tiled_partition<8>(warp);
    s.tile8 = (int)(tile8.size() * 100 + tile8.thread_rank());
    s.up = tile8.shfl_up(i, 1);
    s.down = tile8.shfl_down(i, 2);
    s.across = tile8.shfl_xor(i, 4);
    s.first = tile8.shfl(i, 3);
    s.sum = cg::reduce(tile8, i, cg::plus<int>());
    s.largest = cg::reduce(warp, i % 7, cg::greater<int>());
    s.ballot = tile8.ballot(i % 2);
    s.match = tile8.match_any(i / 2);
    s.meta_rank = (int)tile8.meta_group_rank();
    s.meta_size = (int)tile8.meta_group_size();
    s.any = tile8.any(i == 9);
    s.all = tile8.all(i < 16);

    if (i % 3 == 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        s.active_size = (int)active.size();
        s.active_rank = (int)active.thread_rank();
        s.active_sum = cg::reduce(active, i, cg::plus<int>()) + active.shfl(i, 1);
    }
    warp.sync();
    s.label_size = (int)cg::labeled_partition(warp, i % 4).size();
    s.odd_even = (int)cg::binary_partition(warp, i % 32 < 5).size();
    out[i] = s;
}

/* Tiles of more than one warp meet through memory of the block. */
__global__ void use_large_tiles(int *sums, float *shuffled, int *votes)
{
    __shared__ cg::block_tile_memory<256> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<128>(block);
    int i = (int)block.thread_rank();
    sums[i] = cg::reduce(tile, i, cg::plus<int>()) + (int)tile.thread_rank();
    shuffled[i] = tile.shfl((float)i, 70);
    votes[i] = (tile.any(i == 200) != 0) + 2 * (tile.all(i < 128) != 0) +
               4 * (int)tile.meta_group_rank() + 16 * (int)tile.meta_group_size();
}

/* Tiles of several sizes at once, each of the block or of a larger tile, some of them ahead of
 * others; sixteen of 64 threads are more than a block has barriers. Since sm_80 no memory is given
 * for them. */
__global__ void use_tiles_of_tiles(int *sums, int *ranks)
{
    cg::thread_block block = cg::this_thread_block();
    auto half = cg::tiled_partition<512>(block);
    auto quarter = cg::tiled_partition<256>(half);
    auto two = cg::tiled_partition<64>(quarter);
    auto warp = cg::tiled_partition<32>(two);
    static_assert(decltype(two)::thread_scope == cuda::thread_scope_block, "");
    int i = (int)block.thread_rank(), sum = 0;
    for (int round = 0; round < 3; round++) {
        sum += two.shfl(i, 33 + round);
        if (two.meta_group_rank() == 2)
            two.sync();
        sum += quarter.any(i % 256 == 7) + cg::reduce(half, 1, cg::plus<int>());
    }
    sums[i] = sum;
    ranks[i] = (int)(half.meta_group_rank() + 10 * quarter.meta_group_rank() +
                     100 * two.meta_group_rank() + 1000 * warp.meta_group_rank() +
                     10000 * (quarter.meta_group_size() + two.meta_group_size()));
}

/* One thread of each group makes a call; whatever group it is. */
__device__ int add_times(int *sum, int by, int times)
{
    return atomicAdd(sum, by * times);
}
struct tallies {
    int block, warps, odd, tiles;
};
struct place {
    short tile;
    double number;
};
__global__ void use_invoke_one(struct tallies *t, struct place *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(block);
    int i = (int)block.thread_rank();
    cg::invoke_one(block, [&] { atomicAdd(&t->block, 1); });
    cg::invoke_one(warp, add_times, &t->warps, 2, 5);
    if (i % 2)
        cg::invoke_one(cg::coalesced_threads(), add_times, &t->odd, 3, 1);
    const int number = cg::invoke_one_broadcast(tile, add_times, &t->tiles, 1, 1);
    out[i] = cg::invoke_one_broadcast(
        tile, [](int k, int at) -> struct place { return {(short)(at / 8), k + 0.5}; }, number, i);
}
static void test_invoke_one(void)
{
    struct tallies *t = make_array<struct tallies>(1);
    struct place *out = make_array<struct place>(64);
    memset(t, 0, sizeof *t);
    use_invoke_one<<<1, 64>>>(t, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(t->block, 1);
    CHECK_INT(t->warps, 20);
    CHECK_INT(t->odd, 6);
    CHECK_INT(t->tiles, 8);
    double sum = 0;
    for (int i = 0; i < 64; i++) {
        CHECK_INT(out[i].tile, i / 8);
        CHECK_FLOAT(out[i].number, out[i / 8 * 8].number, 0);
        sum += out[i].number;
    }
    CHECK_FLOAT(sum, 8 * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 * 0.5), 0); /* each tile has its own number */
}

/* Every block writes, the grid meets, every block reads what another wrote; twice. */
__global__ void across_the_grid(int *data, int *result)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), n = (int)grid.size();
    data[i] = i;
    auto arrived = grid.barrier_arrive();
    cg::thread_block block = cg::this_thread_block();
    auto in_block = block.barrier_arrive();
    auto alone = cg::this_thread();
    alone.sync();
    block.barrier_wait(std::move(in_block));
    grid.barrier_wait(std::move(arrived));
    int other = data[n - 1 - i] + (int)(alone.size() - 1 + alone.thread_rank());
    grid.sync();
    data[i] = other * 2;
    cg::sync(grid);
    result[i] = data[(i + n / 2) % n];
}

int main(void)
{
    struct seen *s = make_array<struct seen>(64);
    use_groups<<<1, dim3(16, 4)>>>(s);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(s[0].block_sum, 2016);
    for (int i = 0; i < 64; i++) {
        int first = i / 8 * 8, rank = i % 8, warp = i / 32 * 32;
        if (i % 16 == 0)
            CHECK_INT(s[i].tile_sum, 16 * i + 120);
        CHECK_INT(s[i].tile_rank, i % 16);
        CHECK_INT(s[i].tile8, 800 + rank);
        CHECK_INT(s[i].up, rank > 0 ? i - 1 : i);
        CHECK_INT(s[i].down, rank < 6 ? i + 2 : i);
        CHECK_INT(s[i].across, first + (rank ^ 4));
        CHECK_INT(s[i].first, first + 3);
        CHECK_INT(s[i].sum, 8 * first + 28);
        CHECK_INT(s[i].largest, 6);
        CHECK_INT(s[i].ballot, 0xaa);
        CHECK_INT(s[i].match, 3u << rank / 2 * 2);
        CHECK(s[i].meta_rank == i % 32 / 8 && s[i].meta_size == 4);
        CHECK(s[i].any == (first == 8) && s[i].all == (i < 16));
        CHECK_INT(s[i].label_size, 8);
        CHECK_INT(s[i].odd_even, i % 32 < 5 ? 5 : 27);
        if (i % 3 == 0) {
            int size = 0, sum = 0, before = 0, second = 0;
            for (int j = warp; j < warp + 32; j++)
                if (j % 3 == 0) {
                    second = size == 1 ? j : second;
                    size++;
                    sum += j;
                    before += j < i;
                }
            CHECK(s[i].active_size == size && s[i].active_rank == before);
            CHECK_INT(s[i].active_sum, sum + second);
        }
    }

    int *sums = make_array<int>(256), *votes = make_array<int>(256);
    float *shuffled = make_array<float>(256);
    use_large_tiles<<<1, 256>>>(sums, shuffled, votes);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 256; i++) {
        int first = i / 128 * 128;
        CHECK_INT(sums[i], 128 * first + 127 * 64 + i % 128);
        CHECK_FLOAT(shuffled[i], first + 70, 0);
        CHECK_INT(votes[i], (first == 0 ? 2 : 1 + 4) + 32);
    }

    int *of_tiles = make_array<int>(1024), *ranks = make_array<int>(1024);
    use_tiles_of_tiles<<<1, 1024>>>(of_tiles, ranks);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 1024; i++) {
        CHECK_INT(of_tiles[i], 3 * (i / 64 * 64) + 33 + 34 + 35 + 3 * (1 + 512));
        CHECK_INT(ranks[i], i / 512 + 10 * (i / 256 % 2) + 100 * (i / 64 % 4) + 1000 * (i / 32 % 2) +
                                10000 * (2 + 4));
    }

    test_invoke_one();

    const int n = 4 * 64;
    int *data = make_array<int>(n), *result = make_array<int>(n);
    void *arguments[] = {&data, &result};
    CHECK_CUDA(cudaLaunchCooperativeKernel((const void *)across_the_grid, dim3(4), dim3(64),
                                           arguments, 0, 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK_INT(result[i], 2 * (n - 1 - (i + n / 2) % n));
    if (on_simulator) { /* no cooperative launch: the blocks cannot meet, and a card may not notice */
        across_the_grid<<<4, 64>>>(data, result);
        CHECK_ERROR(cudaErrorLaunchFailure, cudaDeviceSynchronize());
        CHECK_CUDA(cudaDeviceReset());
    }
    return check_done();
}
