/* fragment.c - the pictures of ./run --draw fragment: which lane holds which element for
 * mma.sync.m16n8k16, and why ldmatrix wants its rows exchanged. */
#include <stdio.h>

#include "common/gpu/access.h"
#include "step02_tiled/harness/draw.h"

enum { ROWS = 16, COLUMNS = 8, DEPTH = 16, PIECE = 16 /* bytes that a lane names for ldmatrix */ };

/* A row of a picture: the lanes of pairs of elements, half of them in one register each. */
static void row_of_pairs(int row, int pairs, const char *upper, const char *lower)
{
    printf("%4d |", row);
    for (int pair = 0; pair < pairs; pair++)
        printf(" %2d%s", row % 8 * 4 + pair % 4, pair % 4 == 3 && pair + 1 < pairs ? "  |" : "");
    printf("   %s\n", row < 8 ? upper : lower);
}

static void draw_a(void)
{
    printf("A, 16 x 16 halves. Each number is the lane that holds two neighbours along k:\n\n"
           " row | k 0 .. 7      | k 8 .. 15   registers\n");
    for (int row = 0; row < ROWS; row++)
        row_of_pairs(row, DEPTH / 2, "a0 | a2", "a1 | a3");
}

static void draw_b(void)
{
    printf("\nB, 16 x 8 halves. Two neighbours along k, which lie below each other:\n\n"
           "   k | columns 0 .. 7            register\n");
    for (int k = 0; k < DEPTH; k += 2) {
        printf("%2d,%2d |", k, k + 1);
        for (int column = 0; column < COLUMNS; column++)
            printf(" %2d", column * 4 + k / 2 % 4);
        printf("   b%d\n", k / 8);
    }
}

static void draw_c(void)
{
    printf("\nC and D, 16 x 8 floats. Two neighbours of a row:\n\n"
           " row | columns 0 .. 7   registers\n");
    for (int row = 0; row < ROWS; row++)
        row_of_pairs(row, COLUMNS / 2, "c0, c1", "c2, c3");
}

/* Eight rows of `row_bytes` in shared memory, and for each the group of four banks its first piece
 * lies in. */
static void draw_rows(const char *what, unsigned row_bytes, unsigned (*piece)(unsigned row))
{
    uint32_t offset[ACCESS_LANES] = {0};
    printf("%-31s", what);
    for (unsigned row = 0; row < 8; row++) {
        offset[row] = row * row_bytes + piece(row) * PIECE;
        printf(" %u", offset[row] / PIECE % 8);
    }
    const struct access_shared cost = access_shared_rows(offset, 0xff);
    printf("   %u wavefront%s, %u conflicts\n", cost.wavefronts, cost.wavefronts == 1 ? "" : "s",
           cost.conflicts);
}

static unsigned first_piece(unsigned row)
{
    (void)row;
    return 0;
}
static unsigned exchanged_of_4(unsigned row) { return row / 2 % 4; }
static unsigned exchanged_of_8(unsigned row) { return row; }

static void draw_ldmatrix(void)
{
    printf("\nldmatrix reads 8 rows of 16 bytes at a time: one wavefront if they lie in 8\n"
           "different groups of 4 banks. The groups of the first pieces of rows 0 to 7:\n\n");
    draw_rows("rows of 64 bytes, as they are", 64, first_piece);
    draw_rows("piece XOR row / 2 % 4", 64, exchanged_of_4);
    draw_rows("rows of 128 bytes, as they are", 128, first_piece);
    draw_rows("piece XOR row % 8", 128, exchanged_of_8);
}

void fragment_print(void)
{
    draw_a();
    draw_b();
    draw_c();
    draw_ldmatrix();
}
