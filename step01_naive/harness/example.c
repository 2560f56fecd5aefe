/* example.c - draws which elements of A and B the four threads of one block read.
 *
 * Nothing is looked up: the reads are those that matmul_naive makes, replayed on the CPU and
 * counted. Called by main.cu for --example. */
#include "step01_naive/harness/example.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 4, BLOCK = 2 }; /* C = A.B, all 4 x 4; a block computes 2 x 2 elements of C */

struct reads {
    int a[SIZE][SIZE], b[SIZE][SIZE]; /* how often each element is read */
};

/* What the thread for C[row][column] reads: row `row` of A and column `column` of B. */
static void count_thread(struct reads *r, int row, int column)
{
    for (int k = 0; k < SIZE; k++) {
        r->a[row][k]++;
        r->b[k][column]++;
    }
}

static void draw(const struct reads *r)
{
    printf("       A (4 x 4)          B (4 x 4)\n");
    for (int row = 0; row < SIZE; row++) {
        printf("   ");
        for (int column = 0; column < SIZE; column++)
            printf("  %c", r->a[row][column] ? '0' + r->a[row][column] : '.');
        printf("       ");
        for (int column = 0; column < SIZE; column++)
            printf("  %c", r->b[row][column] ? '0' + r->b[row][column] : '.');
        printf("\n");
    }
}

static void print_thread(int row, int column)
{
    printf("  thread (%d,%d)  C[%d][%d]  reads ", column, row, row, column);
    for (int k = 0; k < SIZE; k++)
        printf(" A%d%d*B%d%d%s", row, k, k, column, k + 1 < SIZE ? " +" : "\n");
}

static void print_general_rule(void)
{
    printf("\nIn general, for each k the T x T threads of a block read 2 T T values, of\n"
           "which 2 T differ:\n\n     T   reads   different   each value read\n");
    for (int t = 2; t <= 32; t *= 2)
        printf("  %4d   %5d   %9d   %9d times\n", t, 2 * t * t, 2 * t, 2 * t * t / (2 * t));
    printf("\nA cache may catch the repeats; step 02 makes sure of it.\n");
}

void example_print(void)
{
    struct reads r;
    int total = 0, distinct = 0;
    memset(&r, 0, sizeof r);
    printf("C = A.B, all 4 x 4, in blocks of 2 x 2 threads. Block (0,0) computes the upper\n"
           "left quarter of C; thread (x,y) computes C[y][x]:\n\n");
    for (int row = 0; row < BLOCK; row++)
        for (int column = 0; column < BLOCK; column++) {
            print_thread(row, column);
            count_thread(&r, row, column);
        }
    printf("\nHow often that block reads each element:\n\n");
    draw(&r);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            total += r.a[i][j] + r.b[i][j];
            distinct += (r.a[i][j] > 0) + (r.b[i][j] > 0);
        }
    printf("\n%d threads read %d of A and %d of B each: %d reads of %d distinct values, each\n"
           "exactly %d times.\n",
           BLOCK * BLOCK, SIZE, SIZE, total, distinct, total / distinct);
    print_general_rule();
}
