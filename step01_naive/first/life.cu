/* life.cu - a whole program with many launches: each computes a generation of the game of life.
 *
 *     make life && ./run                   60 x 20 cells, 120 generations
 *     ./run 33 17 1                        another field, and how many generations
 *
 * A cell lives on with two or three living neighbours of its eight, and is born with three. What
 * leaves the field on one side comes in on the other. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__host__ __device__ static unsigned char cell(const unsigned char *from, int row, int column,
                                              int width, int height)
{
    int alive = from[row * width + column], neighbours = -alive;
    for (int down = height - 1; down <= height + 1; down++)
        for (int right = width - 1; right <= width + 1; right++)
            neighbours += from[(row + down) % height * width + (column + right) % width];
    return neighbours == 3 || (alive && neighbours == 2);
}

__global__ void generation(unsigned char *to, const unsigned char *from, int width, int height)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < height && column < width)
        to[row * width + column] = cell(from, row, column, width, height);
}

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "life: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

static void exchange(unsigned char **a, unsigned char **b)
{
    unsigned char *kept = *a;
    *a = *b;
    *b = kept;
}

/* The field's memory belongs to the host: the first generation, and afterwards the last. */
static void live(unsigned char *field, int width, int height, int generations)
{
    size_t bytes = (size_t)width * height;
    unsigned char *d_from, *d_to;
    check(cudaMalloc(&d_from, bytes), "memory for a generation");
    check(cudaMalloc(&d_to, bytes), "memory for the next one");
    check(cudaMemcpy(d_from, field, bytes, cudaMemcpyHostToDevice), "copy of the field");

    dim3 block(16, 16);
    dim3 grid((width + 15) / 16, (height + 15) / 16);
    for (int g = 0; g < generations; g++) {
        generation<<<grid, block>>>(d_to, d_from, width, height);
        check(cudaGetLastError(), "launch");
        exchange(&d_from, &d_to);
    }

    check(cudaMemcpy(field, d_from, bytes, cudaMemcpyDeviceToHost), "copy of the last generation");
    check(cudaFree(d_from), "freeing a generation");
    check(cudaFree(d_to), "freeing the next one");
}

static void live_on_cpu(unsigned char *field, unsigned char *room, int width, int height,
                        int generations)
{
    unsigned char *from = field, *to = room;
    for (int g = 0; g < generations; g++) {
        for (int i = 0; i < width * height; i++)
            to[i] = cell(from, i / width, i % width, width, height);
        exchange(&from, &to);
    }
    for (int i = 0; i < width * height; i++)
        field[i] = from[i];
}

static int number(const char *text, const char *what, long least)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < least || value > 4096) {
        fprintf(stderr, "life: %s '%s': give a whole number from %ld to 4096\n", what, text, least);
        exit(2);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    if (argc != 1 && argc != 4) {
        fprintf(stderr, "usage: life [WIDTH HEIGHT GENERATIONS]\n");
        return 2;
    }
    int width = argc > 1 ? number(argv[1], "width", 3) : 60;
    int height = argc > 1 ? number(argv[2], "height", 3) : 20;
    int generations = argc > 1 ? number(argv[3], "generations", 0) : 120, cells = width * height;
    unsigned char *field = (unsigned char *)calloc(3, cells);
    if (!field) {
        fprintf(stderr, "life: no memory for %d x %d cells\n", width, height);
        return 2;
    }
    unsigned char *want = field + cells, *room = want + cells;
    for (int i = 0; i < 5;
         i++) { /* five cells in the middle: the r-pentomino */
        static const int row[] = {0, 0, 1, 1, 2}, column[] = {1, 2, 0, 1, 1};
        int at = (height / 2 - 1 + row[i]) * width + width / 2 - 1 + column[i];
        field[at] = want[at] = 1;
    }
    live(field, width, height, generations);
    live_on_cpu(want, room, width, height, generations);

    int wrong = 0, alive = 0;
    for (int i = 0; i < cells; i++) {
        if (width <= 80 && height <= 40)
            printf("%c%s", field[i] ? '#' : '.', i % width == width - 1 ? "\n" : "");
        wrong += field[i] != want[i];
        alive += field[i];
    }
    printf("%d x %d cells, generations: %d, alive: %d, wrong: %d\n", width, height, generations, alive,
           wrong);
    free(field);
    return wrong > 0;
}
