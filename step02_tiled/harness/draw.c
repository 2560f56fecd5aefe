/* draw.c - tiles phase by phase, and lanes over banks (see draw.h). Reads are replayed as the
 * kernels make them; what they cost says common/gpu/draw. */
#include "step02_tiled/harness/draw.h"

#include <stdbool.h>
#include <stdio.h>

#include "common/gpu/draw.h"

/* ---------------------------------------------------------------------------------- the phases */

enum { SIZE = 4, TILE = 2 }; /* C = A.B, all 4 x 4, in tiles of 2 x 2 */

/* One row of a matrix; the elements of the tile at (row0, column0) in brackets. */
static void print_row(char name, int row, int row0, int column0)
{
    for (int column = 0; column < SIZE; column++) {
        const bool inside = row / TILE == row0 / TILE && column / TILE == column0 / TILE;
        printf(inside ? "[%c%d%d] " : " %c%d%d  ", name, row, column);
    }
}

static void print_tiles(int k0)
{
    for (int row = 0; row < SIZE; row++) {
        printf("    ");
        print_row('A', row, 0, k0);
        printf("       ");
        print_row('B', row, k0, 0);
        printf("\n");
    }
}

/* What thread (x, y) brings to shared memory, and then adds to its sum. */
static void print_thread(int x, int y, int k0)
{
    printf(" (%d,%d)  a[%d][%d] = A%d%d  b[%d][%d] = B%d%d | sum +=", x, y, y, x, y, k0 + x, y, x,
           k0 + y, x);
    for (int i = 0; i < TILE; i++)
        printf(" a[%d][%d]*b[%d][%d]%s", y, i, i, x, i + 1 < TILE ? " +" : "\n");
}

void phases_print(void)
{
    printf("C = A.B, all 4 x 4, tiles of 2 x 2. Block (0,0) computes C00, C01, C10 and C11\n"
           "in two phases; [ ] is the tile that it holds in shared memory.\n");
    for (int k0 = 0; k0 < SIZE; k0 += TILE) {
        printf("\nPhase %d\n\n", k0 / TILE);
        print_tiles(k0);
        printf("\n thread  loads, global -> shared     | barrier; then this; a barrier again\n");
        for (int y = 0; y < TILE; y++)
            for (int x = 0; x < TILE; x++)
                print_thread(x, y, k0);
    }
    const int threads = TILE * TILE, phases = SIZE / TILE;
    printf("\n%d threads x %d phases x 2 loads = %d loads from global memory; without a tile\n"
           "%d threads x %d x 2 = %d. In general a tile of T x T leaves one T-th of them.\n",
           threads, phases, threads * phases * 2, threads, SIZE, threads * SIZE * 2);
}

/* ----------------------------------------------------------------------------------- the banks */

enum { FLOAT_BYTES = 4 };

/* What lane `lane` of warp 0 reads: the word's number in its tile. */
struct read {
    const char *kernel, *source;
    unsigned bytes;
    unsigned (*word)(unsigned lane);
};

static unsigned tiled_b(unsigned lane) { return lane % 16; }
static unsigned vectorised_b(unsigned lane) { return lane % 16 * 8; }
static unsigned conflict_free_b(unsigned lane) { return lane % 16 * 4; }
static unsigned column(unsigned lane) { return lane * 32; }
static unsigned padded_column(unsigned lane) { return lane * 33; }

static const struct read reads[] = {
    {"a column of tile[32][32]", "tile[lane][0]", 4, column},
    {"a column of tile[32][33], padded", "tile[lane][0]", 4, padded_column},
    {"matmul_tiled_16", "b[i][x], two rows of threads", 4, tiled_b},
    {"matmul_vectorised", "four floats at b_tile[k][tx * 8]", 16, vectorised_b},
    {"matmul_conflict_free", "four floats at b_tile[k][tx * 4]", 16, conflict_free_b},
};

void banks_print(void)
{
    printf("Shared memory has 32 banks, 4 bytes wide. One read of one warp:\n");
    draw_legend(stdout, DRAW_SHARED, draw_style_for(stdout));
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
        struct draw_access a = draw_strided(DRAW_SHARED, 0, 0, reads[i].bytes);
        for (unsigned lane = 0; lane < ACCESS_LANES; lane++)
            a.address[lane] = FLOAT_BYTES * reads[i].word(lane);
        printf("\n%s: %s\n\n", reads[i].kernel, reads[i].source);
        draw_text(stdout, &a, draw_style_for(stdout));
    }
}
