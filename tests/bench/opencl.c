/* opencl.c - see opencl.h. A call that fails ends the program with one line: what is measured here
 * is set up by this file alone. */
#include "tests/bench/opencl.h"

#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C, COLUMNS, STARTS, EDGES, LEVELS, CHANGED, COUNTS, BYTES, HALVES, BUFFERS };

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_device_id device;
static cl_mem buffers[BUFFERS];

static void must(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "bench: OpenCL: %s: error %d\n", what, code);
        exit(1);
    }
}

// ---- the device and its kernels ---------------------------------------------------------------

/* The sizes that the kernels name, then the file's text. */
static char *source_of(const char *path)
{
    enum { ROOM = 1 << 16 };
    char *text = calloc(1, ROOM);
    FILE *file = fopen(path, "r");
    if (text == NULL || file == NULL) {
        fprintf(stderr, "bench: %s cannot be read\n", path);
        exit(1);
    }
    const int sizes = snprintf(text, ROOM,
                               "#define HISTOGRAM_BINS %d\n#define HISTOGRAM_VALUES %d\n"
                               "#define IMAGE_SIDE %d\n#define GRAPH_DEGREE %d\n"
                               "#define BODIES %d\n#define NUMBERS_OF_EACH %d\n",
                               HISTOGRAM_BINS, HISTOGRAM_VALUES, IMAGE_SIDE, GRAPH_DEGREE, BODIES,
                               NUMBERS_OF_EACH);
    if (fread(text + sizes, 1, (size_t)(ROOM - sizes - 1), file) == 0) {
        fprintf(stderr, "bench: %s is empty\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

bool opencl_open(const char *path)
{
    cl_platform_id platform;
    cl_int code;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        return false;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must(code, "a context");
    queue = clCreateCommandQueue(context, device, 0, &code);
    must(code, "a queue");
    char *text = source_of(path);
    program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &code);
    must(code, "a program");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "compiling rows.cl");
    free(text);
    return true;
}

const char *opencl_device(void)
{
    static char name[256];
    must(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof name, name, NULL), "the device's name");
    return name;
}

// ---- data -------------------------------------------------------------------------------------

struct part {
    void *host;
    size_t bytes;
};

static void parts_of(const struct work *w, size_t floats, struct part parts[BUFFERS])
{
    const struct part all[BUFFERS] = {
        [A] = {w->a, floats * sizeof(float)},
        [B] = {w->b, floats * sizeof(float)},
        [C] = {w->c, floats * sizeof(float)},
        [COLUMNS] = {w->columns, SPMV_ROWS * SPMV_PER_ROW * sizeof(int)},
        [STARTS] = {w->starts, (SPMV_ROWS + 1) * sizeof(int)},
        [EDGES] = {w->edges, GRAPH_NODES * GRAPH_DEGREE * sizeof(int)},
        [LEVELS] = {w->levels, GRAPH_NODES * sizeof(int)},
        [CHANGED] = {w->changed, sizeof(int)},
        [COUNTS] = {w->counts, HISTOGRAM_BINS * sizeof(unsigned)},
        [BYTES] = {w->bytes, PIXELS * 4},
        [HALVES] = {w->halves, PIXELS * sizeof(unsigned short)}};
    memcpy(parts, all, sizeof all);
}

void opencl_fill(const struct work *host, size_t floats)
{
    struct part parts[BUFFERS];
    parts_of(host, floats, parts);
    for (int i = 0; i < BUFFERS; i++) {
        cl_int code = CL_SUCCESS;
        if (buffers[i] == NULL) {
            buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, parts[i].bytes, NULL, &code);
        }
        must(code, "a buffer");
        if (parts[i].host != NULL) {
            must(clEnqueueWriteBuffer(queue, buffers[i], CL_TRUE, 0, parts[i].bytes, parts[i].host,
                                      0, NULL, NULL),
                 "a copy");
        }
    }
}

void opencl_fetch(const struct work *to, size_t floats)
{
    static const int results[] = {C, COUNTS, LEVELS, HALVES};
    struct part parts[BUFFERS];
    parts_of(to, floats, parts);
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        const struct part *p = &parts[results[i]];
        if (p->host != NULL) {
            must(clEnqueueReadBuffer(queue, buffers[results[i]], CL_TRUE, 0, p->bytes, p->host, 0,
                                     NULL, NULL),
                 "a copy back");
        }
    }
}

static void clear(int buffer, int byte, size_t bytes)
{
    const unsigned char value = (unsigned char)byte;
    must(clEnqueueFillBuffer(queue, buffers[buffer], &value, 1, 0, bytes, 0, NULL, NULL), "a fill");
}

// ---- launches ---------------------------------------------------------------------------------

struct grid {
    size_t threads[2], block[2];
};

static struct grid line(size_t threads, size_t block)
{
    return (struct grid){{threads, 1}, {block, 1}};
}

/* Launches a kernel; its first arguments are these buffers, the following two, where it has them,
 * numbers. */
static void launch(cl_kernel kernel, struct grid grid, int count, const int *arguments,
                   const void *first, const void *second)
{
    cl_uint at = 0;
    for (; at < (cl_uint)count; at++) {
        must(clSetKernelArg(kernel, at, sizeof(cl_mem), &buffers[arguments[at]]),
             "a buffer passed");
    }
    if (first != NULL) {
        must(clSetKernelArg(kernel, at++, 4, first), "a number passed");
    }
    if (second != NULL) {
        must(clSetKernelArg(kernel, at++, 4, second), "a number passed");
    }
    must(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, grid.threads, grid.block, 0, NULL, NULL),
         "a launch");
}

#define BUFFERS_OF(...)                                                                            \
    (int)(sizeof(const int[]){__VA_ARGS__} / sizeof(int)), (const int[]) { __VA_ARGS__ }

static void run_spmv(cl_kernel k)
{
    launch(k, line(SPMV_ROWS, 128), BUFFERS_OF(A, B, C, COLUMNS, STARTS), NULL, NULL);
}

static void run_histogram(cl_kernel k)
{
    clear(COUNTS, 0, HISTOGRAM_BINS * sizeof(unsigned));
    launch(k, line(64 * HISTOGRAM_BINS, HISTOGRAM_BINS), BUFFERS_OF(BYTES, COUNTS), NULL, NULL);
}

static void run_median(cl_kernel k)
{
    launch(k, (struct grid){{IMAGE_SIDE, IMAGE_SIDE}, {32, 8}}, BUFFERS_OF(A, C), NULL, NULL);
}

static void run_search(cl_kernel k)
{
    int changed = 1;
    clear(LEVELS, 0xff, GRAPH_NODES * sizeof(int));
    clear(LEVELS, 0, sizeof(int));
    for (int level = 0; changed; level++) {
        clear(CHANGED, 0, sizeof(int));
        launch(k, line(GRAPH_NODES, 256), BUFFERS_OF(LEVELS, EDGES, CHANGED), &level, NULL);
        must(clEnqueueReadBuffer(queue, buffers[CHANGED], CL_TRUE, 0, sizeof changed, &changed, 0,
                                 NULL, NULL),
             "a copy back");
    }
}

static void run_bodies(cl_kernel k) { launch(k, line(BODIES, 128), BUFFERS_OF(A, C), NULL, NULL); }

static void run_options(cl_kernel k)
{
    launch(k, line(OPTIONS, 256), BUFFERS_OF(A, B, C), NULL, NULL);
}

static void run_random(cl_kernel k) { launch(k, line(GENERATORS, 256), BUFFERS_OF(C), NULL, NULL); }

static void run_sort(cl_kernel k)
{
    must(clEnqueueCopyBuffer(queue, buffers[B], buffers[C], 0, 0, SORTED * sizeof(float), 0, NULL,
                             NULL),
         "a copy");
    for (int length = 2; length <= SORTED; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
            launch(k, line(SORTED, 256), BUFFERS_OF(C), &length, &distance);
        }
    }
}

static void run_small(cl_kernel k)
{
    for (int i = 0; i < SMALL_LAUNCHES; i++) {
        const float summand = (float)i;
        launch(k, line(SMALL_THREADS, SMALL_THREADS), BUFFERS_OF(A, C), &summand, NULL);
    }
}

static void run_gray(cl_kernel k)
{
    launch(k, line(PIXELS, 256), BUFFERS_OF(BYTES, HALVES), NULL, NULL);
}

static void run_product(cl_kernel k, int n)
{
    launch(k, (struct grid){{(size_t)n, (size_t)n}, {16, 16}}, BUFFERS_OF(A, B, C), &n, NULL);
}

static void run_product_256(cl_kernel k) { run_product(k, 256); }
static void run_product_512(cl_kernel k) { run_product(k, 512); }

static void run_reduction(cl_kernel k)
{
    const int n = 1 << 22;
    must(clSetKernelArg(k, 2, 256 * sizeof(float), NULL), "local memory");
    must(clSetKernelArg(k, 3, sizeof n, &n), "a number passed");
    launch(k, line(n, 256), BUFFERS_OF(A, C), NULL, NULL);
}

/* OpenCL has no barrier of a grid, so "grid.sync()" is not here. */
static const struct {
    const char *name, *kernel;
    void (*run)(cl_kernel);
} rows[] = {
    {"sparse matrix by vector", "spmv", run_spmv},
    {"histogram with shared atomics", "histogram", run_histogram},
    {"median of 3 x 3 in a local array", "median", run_median},
    {"breadth-first search", "search_level", run_search},
    {"N bodies", "bodies", run_bodies},
    {"Black-Scholes", "options", run_options},
    {"random numbers", "random_numbers", run_random},
    {"bitonic sort", "sort_step", run_sort},
    {"10000 small launches", "scale", run_small},
    {"bytes and halves", "gray", run_gray},
    {"naive matmul 256", "matmul_naive", run_product_256},
    {"naive matmul 512", "matmul_naive", run_product_512},
    {"tiled matmul 512", "matmul_tiled", run_product_512},
    {"block reduction 4 M", "reduce_block", run_reduction},
};

bool opencl_run(const char *name)
{
    static cl_kernel kernels[sizeof rows / sizeof rows[0]];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            cl_int code = CL_SUCCESS;
            if (kernels[i] == NULL) {
                kernels[i] = clCreateKernel(program, rows[i].kernel, &code);
            }
            must(code, rows[i].kernel);
            rows[i].run(kernels[i]);
            must(clFinish(queue), name);
            return true;
        }
    }
    return false;
}

#else

bool opencl_open(const char *path) { return (void)path, false; }
const char *opencl_device(void) { return ""; }
void opencl_fill(const struct work *host, size_t floats) { (void)host, (void)floats; }
bool opencl_run(const char *name) { return (void)name, false; }
void opencl_fetch(const struct work *to, size_t floats) { (void)to, (void)floats; }

#endif
