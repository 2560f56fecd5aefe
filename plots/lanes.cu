/* lanes.cu - which bytes of memory each lane of one warp reads: the data of the access chart.
 *
 * One warp reads in[offset + stride * lane] and writes down where that is. The sectors under those
 * 32 places are then held to the sectors that the simulator counted for the same launch: a drawing
 * that differs from the count ends with 1. plots/record compiles this with common/simt/simtcc, as
 * any kernel of your own can be, and runs it. On a GPU nobody counts: exit 2. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"

enum { LANES = 32, FLOATS = 1024, SECTOR_BYTES = 32, SECTORS = FLOATS * 4 / SECTOR_BYTES };

struct pattern {
    const char *name;
    int offset, stride;
};
static const struct pattern patterns[] = {
    {"offset 0", 0, 1}, {"offset 1", 1, 1}, {"stride 2", 0, 2}, {"stride 32", 0, 32}};

static const struct column columns[] = {
    {"pattern", NULL, NULL, COLUMN_TEXT, 0},
    {"offset", NULL, "floats", COLUMN_INTEGER, 0},
    {"stride", NULL, "floats", COLUMN_INTEGER, 0},
    {"lane", NULL, NULL, COLUMN_INTEGER, 0},
    {"first_byte", "first byte", NULL, COLUMN_INTEGER, 0},
    {"sector", NULL, NULL, COLUMN_INTEGER, 0},
    {"sectors_counted", "sectors", "counted", COLUMN_INTEGER, 0},
};

__global__ void read_one_each(const float *in, int offset, int stride, float *out, int *first_byte)
{
    const float *mine = in + offset + stride * (int)threadIdx.x;
    first_byte[threadIdx.x] = (int)((mine - in) * (int)sizeof *mine);
    out[threadIdx.x] = *mine;
}

static int count_sectors(const int *first_byte)
{
    bool touched[SECTORS] = {};
    int count = 0;
    for (int lane = 0; lane < LANES; lane++) {
        bool *sector = &touched[first_byte[lane] / SECTOR_BYTES];
        count += !*sector;
        *sector = true;
    }
    return count;
}

/* The values that arrived are those of the places that were written down: in[i] is i. */
static bool values_agree(const float *out, const int *first_byte)
{
    for (int lane = 0; lane < LANES; lane++)
        if (!(out[lane] == (float)(first_byte[lane] / (int)sizeof(float))))
            return false;
    return true;
}

static bool run_pattern(struct table *t, const struct pattern *p, const float *d_in)
{
    struct launch_counters counted;
    float out[LANES], *d_out;
    int first_byte[LANES], *d_first_byte;
    CUDA_CHECK(cudaMalloc(&d_out, sizeof out));
    CUDA_CHECK(cudaMalloc(&d_first_byte, sizeof first_byte));
    cuda_poison(d_out, sizeof out);
    cuda_poison(d_first_byte, sizeof first_byte);
    read_one_each<<<1, LANES>>>(d_in, p->offset, p->stride, d_out, d_first_byte);
    CUDA_CHECK_LAUNCH();
    counters_last_launch(&counted);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(first_byte, d_first_byte, sizeof first_byte, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_out));
    CUDA_CHECK(cudaFree(d_first_byte));
    for (int lane = 0; lane < LANES; lane++) {
        table_row(t);
        table_text(t, "pattern", p->name);
        table_integer(t, "offset", p->offset);
        table_integer(t, "stride", p->stride);
        table_integer(t, "lane", lane);
        table_integer(t, "first_byte", first_byte[lane]);
        table_integer(t, "sector", first_byte[lane] / SECTOR_BYTES);
        table_integer(t, "sectors_counted", (int64_t)counted.global_load_sectors);
    }
    if (values_agree(out, first_byte) &&
        (uint64_t)count_sectors(first_byte) == counted.global_load_sectors)
        return true;
    fprintf(stderr, "lanes: %s: the drawing has %d sectors, the simulator counted %llu\n", p->name,
            count_sectors(first_byte), (unsigned long long)counted.global_load_sectors);
    return false;
}

int main(int argc, char **argv)
{
    const struct options_about about = {"lanes", "where the 32 lanes of a warp read", false, 0, 0};
    struct options o;
    const int code = options_parse(&o, argc, argv, &about, NULL, 0);
    if (code >= 0)
        return code;
    if (!backend_is_sim())
        return options_error(&o, "sectors are counted on the simulator: build with BACKEND=sim");
    float in[FLOATS], *d_in;
    for (int i = 0; i < FLOATS; i++)
        in[i] = (float)i;
    CUDA_CHECK(cudaMalloc(&d_in, sizeof in));
    CUDA_CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    struct table *t = table_open(columns, sizeof columns / sizeof columns[0]);
    bool all_ok = true;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        all_ok = run_pattern(t, &patterns[i], d_in) && all_ok;
    CUDA_CHECK(cudaFree(d_in));
    const bool written = report_table(t, &o);
    table_close(t);
    return !written ? 2 : all_ok ? 0 : 1;
}
