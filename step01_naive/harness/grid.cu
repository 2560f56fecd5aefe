/* grid.cu - a grid of blocks of threads, drawn over what they work on (see grid.h). Every number in
 * the drawing was written by the thread that stands there. */
#include "step01_naive/harness/grid.h"

#include <cuda_runtime.h>
#include <stdio.h>

#include "common/cuda_check.h"

/* What a thread knows of itself. */
struct seat {
    int block_x, block_y, thread_x, thread_y;
    int element; /* -1: none is left for it */
};

/* rows is 1 for a vector. */
__global__ void who_am_i(struct seat *seats, int columns, int rows)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    struct seat *mine = &seats[y * gridDim.x * blockDim.x + x];
    mine->block_x = blockIdx.x;
    mine->block_y = blockIdx.y;
    mine->thread_x = threadIdx.x;
    mine->thread_y = threadIdx.y;
    mine->element = x < columns && y < rows ? y * columns + x : -1;
}

struct drawing {
    int across, down; /* threads of the whole grid */
    int block_x, block_y;
    struct seat seats[GRID_THREADS_ACROSS * GRID_THREADS_DOWN];
};

static int blocks_for(int extent, int block) { return (extent + block - 1) / block; }

int grid_fits(int columns, int rows, int block_x, int block_y)
{
    return blocks_for(columns, block_x) * block_x <= GRID_THREADS_ACROSS &&
           blocks_for(rows > 0 ? rows : 1, block_y) * block_y <= GRID_THREADS_DOWN;
}

static void ask_threads(struct drawing *d, int columns, int rows)
{
    const dim3 block(d->block_x, d->block_y), grid(d->across / d->block_x, d->down / d->block_y);
    const size_t bytes = sizeof(struct seat) * d->across * d->down;
    struct seat *d_seats;
    CUDA_CHECK(cudaMalloc(&d_seats, bytes));
    who_am_i<<<grid, block>>>(d_seats, columns, rows);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(d->seats, d_seats, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_seats));
}

/* One line of numbers, a bar behind each block. */
static void print_line(const struct drawing *d, const char *name, int y,
                       int (*number)(const struct seat *))
{
    printf("%-12s|", name);
    for (int x = 0; x < d->across; x++) {
        const int value = number(&d->seats[y * d->across + x]);
        if (value >= 0)
            printf("%3d", value);
        else
            printf("  -");
        if ((x + 1) % d->block_x == 0)
            printf(" |");
    }
    printf("\n");
}

static int block_x_of(const struct seat *s) { return s->thread_x == 0 ? s->block_x : -2; }
static int thread_x_of(const struct seat *s) { return s->thread_x; }
static int element_of(const struct seat *s) { return s->element; }

/* blockIdx.x stands once above each block. */
static void print_blocks(const struct drawing *d)
{
    printf("%-12s|", "blockIdx.x");
    for (int x = 0; x < d->across; x++) {
        const int block = block_x_of(&d->seats[x]);
        printf(block >= 0 ? "%3d" : "   ", block);
        if ((x + 1) % d->block_x == 0)
            printf(" |");
    }
    printf("\n");
}

void grid_print(int columns, int rows, int block_x, int block_y)
{
    const int height = rows > 0 ? rows : 1;
    struct drawing d = {blocks_for(columns, block_x) * block_x,
                        blocks_for(height, block_y) * block_y,
                        block_x,
                        block_y,
                        {}};
    char name[32];
    ask_threads(&d, columns, height);
    if (rows > 0)
        printf("A matrix of %d columns and %d rows, blocks of %d x %d threads: ", columns, rows,
               block_x, block_y);
    else
        printf("A vector of %d elements, blocks of %d threads: ", columns, block_x);
    printf("%d blocks,\n%d threads, %d of them without an element (-).\n\n",
           d.across / block_x * (d.down / block_y), d.across * d.down,
           d.across * d.down - columns * height);
    print_blocks(&d);
    print_line(&d, "threadIdx.x", 0, thread_x_of);
    for (int y = 0; y < d.down; y++) {
        const struct seat *first = &d.seats[y * d.across];
        if (rows > 0 && first->thread_y == 0)
            printf("blockIdx.y %d\n", first->block_y);
        snprintf(name, sizeof name, "  thread y %d", first->thread_y);
        print_line(&d, rows > 0 ? name : "i", y, element_of);
    }
    if (rows > 0)
        printf("\nAn element's number is row * columns + column: memory holds row after row.\n");
    else
        printf("\ni = blockIdx.x * blockDim.x + threadIdx.x, computed by each thread.\n");
}
