/* main.cu - runs the kernels of this folder, checks and times them.
 *
 *   times [--list] [--profile] [--kernel NAME,NAME,...]
 *
 * Prints name,group,checksum,median_us,min_us. A time is the median of
 * REPEATS launches, each after the L2 cache was overwritten; on the simulator it is `-`. --profile:
 * each kernel once between cudaProfilerStart() and cudaProfilerStop(), for
 * `ncu --profile-from-start off`, and no times. Called by record.sh on a GPU and by compare. */
#include "times.h"

#include "common/counters.h"
#include "common/timing.h"

#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <math.h>
#include <string.h>

enum { WARMUP = 2, REPEATS = 9, BLOCK = 256 };

static const struct {
    const char *group;
    const struct times_case *cases;
} groups[] = {
#ifdef TIMES_TENSOR
    {"tensor", tensor_cases},
    {"warpgroups", warpgroup_cases},
    {"others", other_cases},
    {"products", product_cases},
    {"pipelines", pipeline_cases},
    {"mixtures", mixture_cases}
#else
    {"stream", stream_cases},
    {"linear", linear_cases},
    {"stencil", stencil_cases},
    {"scan", scan_cases},
    {"sparse", sparse_cases},
    {"compute", compute_cases},
    {"memory", memory_cases},
    {"physics", physics_cases},
    {"layers", layers_cases},
    {"search", search_cases},
    {"shapes", shapes_cases},
    {"traffic", traffic_cases},
    {"sorting", sorting_cases},
    {"numerics", numerics_cases},
    {"grids", grids_cases},
    {"pictures", picture_cases},
    {"records", record_cases},
    {"solvers", solver_cases},
    {"inference", inference_cases},
    {"photos", photo_cases},
    {"letters", letter_cases},
    {"fields", field_cases},
    {"networks", network_cases},
    {"lectures", lecture_cases},
    {"methods", method_cases},
    {"libraries", library_cases},
    {"roof", roof_cases},
    {"roof", way_cases}
#endif
};

/* A bijection of 32 bits (Wellons' lowbias32, public domain). */
__device__ static unsigned mix(unsigned v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

/* The same, of `bits` bits only: a permutation of their numbers. */
__device__ static unsigned permute(unsigned v, unsigned bits)
{
    const unsigned mask = (1u << bits) - 1;
    for (int round = 0; round < 3; round++) {
        v = (v * 0x2c1b3c6du + 0x297a2d39u) & mask;
        v ^= v >> (bits / 2);
    }
    return v;
}

__global__ void set_up(float *a, float *b, double *da, int *index, float *sorted)
{
    for (unsigned i = GLOBAL_ID; i < FLOATS; i += gridDim.x * blockDim.x) {
        a[i] = (float)(mix(i) >> 8) * 0x1p-24f;
        b[i] = (float)(mix(~i) >> 8) * 0x1p-24f;
        if (i < DOUBLES) {
            da[i] = (double)mix(i + 77) * 0x1p-32;
            index[i] = (int)permute(i, 22);
        }
        if (i < SORTED)
            sorted[i] = (float)i / SORTED;
    }
}

#ifdef TIMES_TENSOR
__global__ void set_up_halves(__half *halves)
{
    for (unsigned i = GLOBAL_ID; i < HALVES; i += gridDim.x * blockDim.x)
        halves[i] = __float2half_rn((float)(int)(mix(i + 0x12345) >> 20) * 0x1p-12f - 0.5f);
}

static void open_halves(struct times_io *io)
{
    __half *halves;
    CUDA_CHECK(cudaMalloc(&halves, HALVES * sizeof *halves));
    set_up_halves<<<1024, BLOCK>>>(halves);
    CUDA_CHECK_LAUNCH();
    io->halves = halves;
}
#else
static void open_halves(struct times_io *io) { io->halves = NULL; }
#endif

static void open_io(struct times_io *io)
{
    float *a, *b, *sorted;
    double *da;
    int *index;
    CUDA_CHECK(cudaMalloc(&a, FLOATS * sizeof *a));
    CUDA_CHECK(cudaMalloc(&b, FLOATS * sizeof *b));
    CUDA_CHECK(cudaMalloc(&io->out, FLOATS * sizeof *io->out));
    CUDA_CHECK(cudaMalloc(&da, DOUBLES * sizeof *da));
    CUDA_CHECK(cudaMalloc(&io->dout, DOUBLES * sizeof *io->dout));
    CUDA_CHECK(cudaMalloc(&index, INDICES * sizeof *index));
    CUDA_CHECK(cudaMalloc(&sorted, SORTED * sizeof *sorted));
    CUDA_CHECK(cudaMalloc(&io->counts, COUNTS * sizeof *io->counts));
    set_up<<<1024, BLOCK>>>(a, b, da, index, sorted);
    CUDA_CHECK_LAUNCH();
    open_halves(io);
    io->a = a, io->b = b, io->da = da, io->index = index, io->sorted = sorted;
}

static void close_io(const struct times_io *io)
{
    const void *all[] = {io->a,     io->b,      io->out,    io->da,    io->dout,
                         io->index, io->sorted, io->counts, io->halves};
    for (const void *p : all)
        CUDA_CHECK(cudaFree((void *)p));
}

/* The weights tell places apart. A NaN that nobody overwrote makes the sum a NaN. */
static double checksum(const struct times_io *io, const struct times_case *c)
{
    const void *from[] = {io->out, io->dout, io->counts, io->counts, io->out};
    const size_t each = c->result == IN_DOUT ? sizeof(double) : sizeof(float);
    void *got = malloc(c->count * each + 1);
    double sum = 0;
    CUDA_CHECK(cudaMemcpy(got, from[c->result], c->count * each, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < c->count; i++) {
        double v = c->result == IN_OUT      ? (double)((const float *)got)[i]
                   : c->result == IN_DOUT   ? ((const double *)got)[i]
                   : c->result == IN_COUNTS ? (double)((const unsigned *)got)[i]
                   : c->result == IN_WORDS  ? (double)((const int *)got)[i]
                                            : (double)(((const unsigned *)got)[i] != 0);
        sum += v * (double)(1 + i % 97);
    }
    free(got);
    return sum;
}

struct timed {
    const struct times_io *io;
    const struct times_case *c;
};
static void launch(void *state)
{
    const struct timed *t = (const struct timed *)state;
    t->c->launch(t->io);
}

static bool run_case(const struct times_io *io, const char *group, const struct times_case *c,
                     bool profile)
{
    const struct timing_options options = {WARMUP, REPEATS, 1, true};
    struct timed state = {io, c};
    cuda_poison(io->out, FLOATS * sizeof *io->out);
    cuda_poison(io->dout, DOUBLES * sizeof *io->dout);
    CUDA_CHECK(cudaMemset(io->counts, 0, COUNTS * sizeof *io->counts));
    if (profile)
        CUDA_CHECK(cudaProfilerStart());
    c->launch(io);
    CUDA_CHECK_LAUNCH();
    if (profile)
        CUDA_CHECK(cudaProfilerStop());
    const double sum = checksum(io, c);
    printf("%s,%s,%.9g", c->name, group, sum);
    if (profile || backend_is_sim()) {
        printf(",-,-\n");
    } else {
        const struct timing t = timing_run(&options, launch, &state);
        printf(",%.3f,%.3f\n", t.median_ms * 1e3, t.min_ms * 1e3);
    }
    return !isnan(sum);
}

static bool is_among(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length)
        if ((at == names || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct times_io io;
    const char *only = NULL;
    bool list = false, profile = false, ok = true;
    unsigned ran = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0) {
            list = true;
        } else if (strcmp(argv[i], "--profile") == 0) {
            profile = true;
        } else if (strcmp(argv[i], "--kernel") == 0 && i + 1 < argc) {
            only = argv[++i];
        } else {
            fprintf(stderr, "usage: times [--list] [--profile] [--kernel NAME,NAME,...]\n");
            return 2;
        }
    }
    if (!list) {
        open_io(&io);
        printf("name,group,checksum,median_us,min_us\n");
    }
    for (const auto &group : groups)
        for (const struct times_case *c = group.cases; c->name; c++) {
            if (only && !is_among(only, c->name))
                continue;
            if (list)
                printf("%s\n", c->name);
            else
                ok = run_case(&io, group.group, c, profile) && ok;
            ran++;
        }
    if (!list)
        close_io(&io);
    if (ran == 0) {
        fprintf(stderr, "times: no kernel is called '%s'; --list shows them\n", only);
        return 2;
    }
    return ok ? 0 : 1;
}
