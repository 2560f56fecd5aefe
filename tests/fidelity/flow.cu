/* flow.cu - who takes part: guards, early exits, loops of different length, nested branches. */
#include "tests/fidelity/fidelity.h"

static __device__ unsigned global_thread(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

/* Whole warps beyond n are predicated off: they execute and request nothing. */
__global__ void guarded(uint32_t *out, const uint32_t *in, unsigned n)
{
    unsigned i = global_thread();
    if (i < n) {
        out[i] = in[i] + 1;
    }
}

static void run_guarded(const struct fidelity_io *io, int value)
{
    static const unsigned n[] = {0, 1, 31, 32, 33, 100, 1000};
    guarded<<<8, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in, n[value]);
}

__global__ void early_exit(uint32_t *out, const uint32_t *in, unsigned keep)
{
    unsigned i = global_thread();
    if (in[i] % keep != 0) {
        return;
    }
    out[i] = in[i + 1024] * 5;
}

static void run_early_exit(const struct fidelity_io *io, int value)
{
    early_exit<<<4, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in, (unsigned)value);
}

/* Lane i reads i % trips words: each round has fewer lanes. */
__global__ void uneven_loop(uint32_t *out, const uint32_t *in, unsigned trips)
{
    unsigned i = global_thread(), sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < i % trips; k++) {
        sum += in[k * 512 + i];
    }
    out[i] = sum;
}

static void run_uneven_loop(const struct fidelity_io *io, int value)
{
    static const unsigned trips[] = {1, 2, 3, 8, 32};
    uneven_loop<<<2, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in, trips[value]);
}

/* Both sides make a request of their own, too long to be predicated. */
__global__ void two_sides(uint32_t *out, const uint32_t *in, unsigned period)
{
    unsigned i = global_thread(), v;
    if (i / period % 2) {
        v = in[i];
#pragma unroll 1
        for (unsigned k = 0; k < 3; k++) {
            v = v * 1664525u + in[(v >> 16) & 1023];
        }
        out[2048 + i] = v;
    } else {
        v = in[4096 + i * 2];
#pragma unroll 1
        for (unsigned k = 0; k < 2; k++) {
            v = v * 22695477u + in[(v >> 20) & 1023];
        }
    }
    out[i] = v;
}

static void run_two_sides(const struct fidelity_io *io, int value)
{
    two_sides<<<2, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in, 1u << value);
}

__global__ void nested(uint32_t *out, const uint32_t *in)
{
    unsigned i = global_thread(), v = in[i];
    if (v & 1) {
        v += in[1024 + (v >> 8 & 255)];
        if (v & 2) {
            v ^= in[2048 + (v >> 8 & 255)];
        } else {
            v -= in[3072 + (v >> 8 & 255)];
        }
        v *= 3;
    } else if (v & 4) {
        v += in[4096 + (v >> 8 & 255)];
    }
    out[i] = v;
}

static void run_nested(const struct fidelity_io *io, int)
{
    nested<<<4, 256>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

__global__ void chosen_by_switch(uint32_t *out, const uint32_t *in)
{
    unsigned i = global_thread(), v = in[i];
    switch (v % 6) {
    case 0:
        v = in[1000 + i];
        break;
    case 1:
        v = in[3000 + 2 * i] + 1;
        break;
    case 2:
        v = in[i / 2] ^ 77;
        break;
    case 3:
        v = in[5000] * 3;
        break;
    case 4:
        v = in[9000 + 8 * i] - 9;
        break;
    default:
        break;
    }
    out[i] = v;
}

static void run_switch(const struct fidelity_io *io, int)
{
    chosen_by_switch<<<4, 256>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

/* A walk along a chain, as long as the data say. */
__global__ void chain(uint32_t *out, const uint32_t *in)
{
    unsigned i = global_thread(), at = i, steps = 0;
    while (in[at] % 8 != 0 && steps < 40) {
        at = in[at] % 4096;
        steps++;
    }
    out[i] = at * 64 + steps;
}

static void run_chain(const struct fidelity_io *io, int)
{
    chain<<<4, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

/* Lanes leave a loop by break and continue at different places. */
__global__ void breaks(uint32_t *out, const uint32_t *in)
{
    unsigned i = global_thread(), sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 16; k++) {
        unsigned v = in[k * 256 + i];
        if (v % 5 == 0) {
            continue;
        }
        if (v % 11 == 0) {
            break;
        }
        sum += in[8192 + v % 256];
    }
    out[i] = sum;
}

/* A break inside an if: the others meet behind the if, before the rest of the loop's body. */
__global__ void break_in_if(uint32_t *out, const uint32_t *in)
{
    unsigned i = global_thread(), sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 12; k++) {
        unsigned v = in[k * 256 + i];
        if (v % 3 == 0) {
            sum += in[8192 + v % 128];
            if (v % 7 == 0) {
                break;
            }
        }
        sum ^= in[9216 + k * 32 + threadIdx.x];
    }
    out[i] = sum;
}

static void run_break_in_if(const struct fidelity_io *io, int)
{
    break_in_if<<<2, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

static void run_breaks(const struct fidelity_io *io, int)
{
    breaks<<<2, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

/* Stencils: a halo makes some lanes load twice. */
__global__ void stencil_global(uint32_t *out, const uint32_t *in, unsigned n)
{
    unsigned i = global_thread();
    if (i >= 1 && i + 1 < n) {
        out[i] = in[i - 1] + 2 * in[i] + in[i + 1];
    }
}

__global__ void stencil_shared(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t tile[128 + 6];
    unsigned i = 3 + global_thread(), t = threadIdx.x;
    tile[t + 3] = in[i];
    if (t < 3) {
        tile[t] = in[i - 3];
        tile[t + 131] = in[i + 128];
    }
    __syncthreads();
    uint32_t sum = 0;
    for (unsigned k = 0; k < 7; k++) {
        sum += (k + 1) * tile[t + k];
    }
    out[i] = sum;
}

static void run_stencil_global(const struct fidelity_io *io, int)
{
    stencil_global<<<8, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in, 1000);
}

static void run_stencil_shared(const struct fidelity_io *io, int)
{
    stencil_shared<<<4, 128>>>((uint32_t *)io->out, (const uint32_t *)io->in);
}

const struct fidelity_family flow_families[] = {
    {"guarded", run_guarded, 0, 6},
    {"early_exit", run_early_exit, 1, 5},
    {"uneven_loop", run_uneven_loop, 0, 4},
    {"two_sides", run_two_sides, 0, 6},
    {"nested", run_nested, 0, 0},
    {"chosen_by_switch", run_switch, 0, 0},
    {"chain", run_chain, 0, 0},
    {"breaks", run_breaks, 0, 0},
    {"break_in_if", run_break_in_if, 0, 0},
    {"stencil_global", run_stencil_global, 0, 0},
    {"stencil_shared", run_stencil_shared, 0, 0},
    {NULL, NULL, 0, 0},
};
