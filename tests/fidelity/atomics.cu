/* atomics.cu - atomics on shared and global memory, with every degree of sharing.
 *
 * One warp, so that nothing depends on the order of warps. `lanes % value` is the address: value
 * addresses, each hit by 32 / value lanes or one more. A result that depends on which lane went
 * first is used in a way that cannot show it. */
#include "tests/fidelity/fidelity.h"

enum { WORDS_SHARED = 1024, NEVER = 0x7fffffff };

enum operation {
    ADD_INT,
    ADD_INT_RETURN,
    ADD_LONG,
    ADD_FLOAT,
    ADD_DOUBLE,
    MAX_INT,
    MIN_UNSIGNED,
    OR_BITS,
    EXCHANGE,
    COMPARE_AND_SWAP,
    COMPARE_AND_SWAP_LONG,
    INCREMENT
};

/* Applies one operation to element i of memory; returns what was there, or 0. */
template <enum operation OP> static __device__ unsigned apply(void *memory, unsigned i, unsigned v)
{
    unsigned *words = (unsigned *)memory;
    unsigned long long *longs = (unsigned long long *)memory;
    switch (OP) {
    case ADD_INT:
        atomicAdd(&words[i], v);
        return 0;
    case ADD_INT_RETURN:
        return atomicAdd(&words[i], v);
    case ADD_LONG:
        atomicAdd(&longs[i], (unsigned long long)v << 20 | 1);
        return 0;
    case ADD_FLOAT:
        atomicAdd(&((float *)memory)[i], (float)v);
        return 0;
    case ADD_DOUBLE:
        atomicAdd(&((double *)memory)[i], (double)v);
        return 0;
    case MAX_INT:
        atomicMax(&((int *)memory)[i], (int)v);
        return 0;
    case MIN_UNSIGNED:
        atomicMin(&words[i], ~v);
        return 0;
    case OR_BITS:
        atomicOr(&words[i], 1u << (v & 31));
        return 0;
    case EXCHANGE:
        return atomicExch(&words[i], 9u);
    case COMPARE_AND_SWAP:
        return atomicCAS(&words[i], 0u, 5u);
    case COMPARE_AND_SWAP_LONG:
        return (unsigned)atomicCAS(&longs[i], 0ull, 5ull);
    default:
        return atomicInc(&words[i], 1000u);
    }
}

/* --- global memory -----------------------------------------------------------------------------*/

template <enum operation OP>
__global__ void global_atomics(uint32_t *out, void *memory, unsigned addresses, unsigned apart)
{
    unsigned lane = threadIdx.x;
    unsigned old = apply<OP>(memory, lane % addresses * apart, lane + 1);
    if (old == NEVER) {
        out[lane] = old;
    }
}

template <enum operation OP> static void run_global(const struct fidelity_io *io, int value)
{
    global_atomics<OP><<<1, 32>>>((uint32_t *)io->out, io->zeroed, (unsigned)value, 1);
}

template <enum operation OP> static void run_global_apart(const struct fidelity_io *io, int value)
{
    global_atomics<OP><<<1, 32>>>((uint32_t *)io->out, io->zeroed, (unsigned)value, 17);
}

/* Lane / width: neighbours share an address. */
__global__ void global_neighbours(uint32_t *memory, unsigned width)
{
    atomicAdd(&memory[threadIdx.x / width], threadIdx.x);
}

static void run_global_neighbours(const struct fidelity_io *io, int value)
{
    global_neighbours<<<2, 64>>>(io->zeroed, (unsigned)value);
}

__global__ void global_histogram(uint32_t *bins, const uint32_t *in)
{
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] & 63], 1u);
}

static void run_global_histogram(const struct fidelity_io *io, int)
{
    global_histogram<<<8, 128>>>(io->zeroed, (const uint32_t *)io->in);
}

/* One address for all, known when the kernel is compiled: ptxas adds up within the warp first. */
__global__ void global_one_counter(uint32_t *counter) { atomicAdd(counter, 1u); }

static void run_global_one_counter(const struct fidelity_io *io, int)
{
    global_one_counter<<<4, 128>>>(io->zeroed);
}

__global__ void global_one_maximum(int *most, const int *in)
{
    atomicMax(most, in[threadIdx.x] & 0xffff);
}

static void run_global_one_maximum(const struct fidelity_io *io, int)
{
    global_one_maximum<<<4, 128>>>((int *)io->zeroed, (const int *)io->in);
}

/* A place for each lane, but the lanes of a warp in no promised order: only the count is kept. */
__global__ void global_one_ticket(uint32_t *counter, uint32_t *out, const uint32_t *in)
{
    if (in[threadIdx.x] % 3 == 0) {
        out[atomicAdd(counter, 1u)] = 7;
    }
}

static void run_global_one_ticket(const struct fidelity_io *io, int)
{
    global_one_ticket<<<1, 32>>>(io->zeroed, (uint32_t *)io->out, (const uint32_t *)io->in);
}

/* One lane of each block, as a reduction ends. */
__global__ void global_first_lane(uint32_t *sums)
{
    if (threadIdx.x == 0) {
        atomicAdd(sums, blockIdx.x);
    }
}

static void run_global_first_lane(const struct fidelity_io *io, int)
{
    global_first_lane<<<4, 128>>>(io->zeroed);
}

__global__ void global_one_float(float *sum) { atomicAdd(sum, 1.0f); }

static void run_global_one_float(const struct fidelity_io *io, int)
{
    global_one_float<<<4, 128>>>((float *)io->zeroed);
}

__global__ void global_some_lanes(uint32_t *memory, unsigned keep)
{
    if (threadIdx.x % keep == 0) {
        atomicAdd(&memory[threadIdx.x % 3], threadIdx.x);
    }
}

static void run_global_some_lanes(const struct fidelity_io *io, int value)
{
    global_some_lanes<<<1, 96>>>(io->zeroed, (unsigned)value);
}

/* --- shared memory -----------------------------------------------------------------------------*/

static __device__ void zero(unsigned *words)
{
    for (unsigned i = threadIdx.x; i < WORDS_SHARED; i += blockDim.x) {
        words[i] = 0;
    }
    __syncthreads();
}

static __device__ void write_back(uint32_t *out, const unsigned *words)
{
    __syncthreads();
    for (unsigned i = threadIdx.x; i < WORDS_SHARED; i += blockDim.x) {
        out[i] = words[i];
    }
}

template <enum operation OP>
__global__ void shared_atomics(uint32_t *out, unsigned addresses, unsigned apart)
{
    __shared__ __align__(16) unsigned words[WORDS_SHARED];
    unsigned lane = threadIdx.x;
    zero(words);
    unsigned old = apply<OP>(words, lane % addresses * apart, lane + 1);
    if (old == NEVER) {
        out[WORDS_SHARED + lane] = old;
    }
    write_back(out, words);
}

template <enum operation OP> static void run_shared(const struct fidelity_io *io, int value)
{
    shared_atomics<OP><<<1, 32>>>((uint32_t *)io->out, (unsigned)value, 1);
}

template <enum operation OP> static void run_shared_apart(const struct fidelity_io *io, int value)
{
    shared_atomics<OP><<<1, 32>>>((uint32_t *)io->out, (unsigned)value, 8);
}

__global__ void shared_histogram(uint32_t *out, const uint32_t *in)
{
    __shared__ unsigned words[WORDS_SHARED];
    zero(words);
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) {
        atomicAdd(&words[in[i] & 63], 1u);
    }
    write_back(out, words);
}

static void run_shared_histogram(const struct fidelity_io *io, int)
{
    shared_histogram<<<1, 256>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

__global__ void shared_one_counter(uint32_t *out)
{
    __shared__ unsigned words[WORDS_SHARED];
    zero(words);
    atomicAdd(&words[5], 1u);
    write_back(out, words);
}

static void run_shared_one_counter(const struct fidelity_io *io, int)
{
    shared_one_counter<<<1, 128>>>((uint32_t *)io->out);
}

__global__ void shared_one_sum(uint32_t *out, const uint32_t *in)
{
    __shared__ unsigned words[WORDS_SHARED];
    zero(words);
    atomicAdd(&words[5], in[threadIdx.x] & 255);
    write_back(out, words);
}

static void run_shared_one_sum(const struct fidelity_io *io, int)
{
    shared_one_sum<<<1, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

const struct fidelity_family atomic_families[] = {
    {"global_add_int", run_global<ADD_INT>, 1, 32},
    {"global_add_int_return", run_global<ADD_INT_RETURN>, 1, 16},
    {"global_add_int_apart", run_global_apart<ADD_INT>, 1, 9},
    {"global_add_long", run_global<ADD_LONG>, 1, 8},
    {"global_add_float", run_global<ADD_FLOAT>, 1, 8},
    {"global_add_double", run_global<ADD_DOUBLE>, 1, 8},
    {"global_max_int", run_global<MAX_INT>, 1, 4},
    {"global_min_unsigned", run_global<MIN_UNSIGNED>, 1, 4},
    {"global_or_bits", run_global<OR_BITS>, 1, 4},
    {"global_exchange", run_global<EXCHANGE>, 1, 8},
    {"global_compare_and_swap", run_global<COMPARE_AND_SWAP>, 1, 8},
    {"global_compare_and_swap_long", run_global<COMPARE_AND_SWAP_LONG>, 1, 8},
    {"global_increment", run_global<INCREMENT>, 1, 4},
    {"global_neighbours", run_global_neighbours, 1, 8},
    {"global_histogram", run_global_histogram, 0, 0},
    {"global_one_counter", run_global_one_counter, 0, 0},
    {"global_one_maximum", run_global_one_maximum, 0, 0},
    {"global_one_ticket", run_global_one_ticket, 0, 0},
    {"global_first_lane", run_global_first_lane, 0, 0},
    {"global_one_float", run_global_one_float, 0, 0},
    {"global_some_lanes", run_global_some_lanes, 1, 5},
    {"shared_add_int", run_shared<ADD_INT>, 1, 32},
    {"shared_add_int_return", run_shared<ADD_INT_RETURN>, 1, 8},
    {"shared_add_int_apart", run_shared_apart<ADD_INT>, 1, 16},
    {"shared_add_long", run_shared<ADD_LONG>, 1, 16},
    {"shared_add_float", run_shared<ADD_FLOAT>, 1, 32},
    {"shared_add_float_apart", run_shared_apart<ADD_FLOAT>, 1, 9},
    {"shared_add_double", run_shared<ADD_DOUBLE>, 1, 8},
    {"shared_max_int", run_shared<MAX_INT>, 1, 4},
    {"shared_min_unsigned", run_shared<MIN_UNSIGNED>, 1, 4},
    {"shared_or_bits", run_shared<OR_BITS>, 1, 4},
    {"shared_exchange", run_shared<EXCHANGE>, 1, 8},
    {"shared_compare_and_swap", run_shared<COMPARE_AND_SWAP>, 1, 16},
    {"shared_compare_and_swap_long", run_shared<COMPARE_AND_SWAP_LONG>, 1, 16},
    {"shared_increment", run_shared<INCREMENT>, 1, 4},
    {"shared_histogram", run_shared_histogram, 0, 0},
    {"shared_one_counter", run_shared_one_counter, 0, 0},
    {"shared_one_sum", run_shared_one_sum, 0, 0},
    {NULL, NULL, 0, 0},
};
