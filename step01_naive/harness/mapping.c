/* mapping.c - a warp's reads of A and B, drawn by common/gpu/draw (see mapping.h). */
#include "step01_naive/harness/mapping.h"

#include <stdbool.h>

#include "common/gpu/draw.h"

enum { BLOCK = 16, FLOAT_BYTES = 4 };

/* Warp 0 of block (0,0): lane 16 y + x is thread (x, y). */
static int lane_x(int lane) { return lane % BLOCK; }
static int lane_y(int lane) { return lane / BLOCK; }

/* What the lanes read of A at i = 0, and of B. */
static struct draw_access read_of(bool of_a, bool x_is_column, int k)
{
    struct draw_access a = draw_strided(DRAW_GLOBAL, 0, 0, FLOAT_BYTES);
    for (int lane = 0; lane < (int)ACCESS_LANES; lane++) {
        const int row = x_is_column ? lane_y(lane) : lane_x(lane);
        const int column = x_is_column ? lane_x(lane) : lane_y(lane);
        a.address[lane] = FLOAT_BYTES * (of_a ? (uint64_t)row * (uint64_t)k : (uint64_t)column);
    }
    return a;
}

/* Which part of a 16 x 16 block of C the warp computes: # its elements. */
static void draw_part(bool x_is_column)
{
    for (int row = 0; row < 3; row++) {
        printf("    C  ");
        for (int column = 0; column < BLOCK; column++)
            printf(" %c", (x_is_column ? row < 2 : column < 2) ? '#' : '.');
        printf("\n");
    }
    printf("        ... 16 rows in all\n");
}

static void draw_mapping(const char *kernel, const char *what, bool x_is_column, int k)
{
    const struct draw_access a = read_of(true, x_is_column, k);
    const struct draw_access b = read_of(false, x_is_column, k);
    const unsigned sectors = draw_cost(&a).count + draw_cost(&b).count;
    printf("%s: %s\n\n", kernel, what);
    draw_part(x_is_column);
    printf("\n  its read of A, A[row * k + i] at i = 0:\n\n");
    draw_text(stdout, &a, draw_style_for(stdout));
    printf("\n  its read of B, B[i * n + column]:\n\n");
    draw_text(stdout, &b, draw_style_for(stdout));
    printf("\n  %u sectors for 2 requests: %.2f a request\n\n", sectors, sectors / 2.0);
}

void mapping_print(int n, int k)
{
    printf("The first warp of a block of 16 x 16 threads: two rows of threads, y = 0 and 1.\n"
           "What it computes of C (#), and what it reads in one step of the loop, for\n"
           "n = %d and k = %d:\n\n",
           n, k);
    draw_legend(stdout, DRAW_GLOBAL, draw_style_for(stdout));
    printf("\n");
    draw_mapping("matmul_naive", "x runs along a row of C", true, k);
    draw_mapping("matmul_naive_column_mapped", "x runs down a column of C", false, k);
}
