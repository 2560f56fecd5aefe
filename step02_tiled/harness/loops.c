/* loops.c - tiling where it began: the three loops of a product on a CPU, cut into strips and
 * reordered, and what a small cache then fetches. Called by main.cu for --loops.
 *
 * Nothing is assumed: both nests of loops run, tell each element that they use, and must give the
 * same C. The cache holds the pieces used last (LRU); a real one differs in size, not in kind. */
#include "step02_tiled/harness/loops.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SMALL = 4, LARGE = 64, CACHE_PIECES = 64, PIECE_FLOATS = 8, MATRICES = 3 };

/* Called before each multiplication C[i][j] += A[i][k] * B[k][j]; step counts them. */
typedef void (*visitor)(void *state, int step, const int row[MATRICES], const int column[MATRICES]);

/* for i, for j, for k with n loops each, in tiles of t x t x t: the three outer loops step from
 * tile to tile, the three inner ones through it. t = n: there is one tile, the loops as they stand
 * in the definition. t divides n. */
static void multiply_in_tiles(int n, int t, int *c, visitor visit, void *state)
{
    int step = 0;
    memset(c, 0, (size_t)(n * n) * sizeof *c);
    for (int i0 = 0; i0 < n; i0 += t)
        for (int j0 = 0; j0 < n; j0 += t)
            for (int k0 = 0; k0 < n; k0 += t)
                for (int i = i0; i < i0 + t; i++)
                    for (int j = j0; j < j0 + t; j++)
                        for (int k = k0; k < k0 + t; k++) {
                            const int row[] = {i, k, i}, column[] = {k, j, j};
                            visit(state, step++, row, column);
                            c[i * n + j] += (i + 2 * k) * (3 * k - j); /* some A, some B */
                        }
}

/* ------------------------------------------------------------------ when an element is used */

struct timeline {
    int matrix; /* its element [0][0] is watched */
    char used[SMALL * SMALL * SMALL + 1];
};

static void mark(void *state, int step, const int row[MATRICES], const int column[MATRICES])
{
    struct timeline *line = state;
    const bool is_it = row[line->matrix] == 0 && column[line->matrix] == 0;
    line->used[step] = is_it ? '#' : '.';
}

static void draw_uses(int tile, int *c)
{
    for (int matrix = 0; matrix < 2; matrix++) {
        struct timeline line = {.matrix = matrix};
        multiply_in_tiles(SMALL, tile, c, mark, &line);
        printf("  %c00  %s\n", "AB"[matrix], line.used);
    }
}

/* ------------------------------------------------------------------ what a cache fetches */

/* The pieces in the order of their last use, the latest first. */
struct cache {
    int n, count;
    int32_t piece[CACHE_PIECES];
    int64_t fetched[MATRICES];
};

/* Rows lie one behind the other, matrix behind matrix: piece p holds elements 8 p to 8 p + 7. */
static void use(struct cache *cache, int matrix, int row, int column)
{
    const int element = (matrix * cache->n + row) * cache->n + column;
    const int32_t wanted = element / PIECE_FLOATS;
    int at = 0;
    while (at < cache->count && cache->piece[at] != wanted)
        at++;
    if (at == cache->count) {
        cache->fetched[matrix]++;
        if (cache->count < CACHE_PIECES)
            cache->count++;
        else
            at--; /* the one that was used longest ago goes */
    }
    memmove(&cache->piece[1], &cache->piece[0], (size_t)at * sizeof cache->piece[0]);
    cache->piece[0] = wanted;
}

static void look_up(void *state, int step, const int row[MATRICES], const int column[MATRICES])
{
    (void)step;
    for (int matrix = 0; matrix < MATRICES; matrix++)
        use(state, matrix, row[matrix], column[matrix]);
}

/* One row of the table. false: the tiled loops gave another C. */
static bool count_fetches(int tile, const int *plain, int *c)
{
    struct cache cache = {.n = LARGE};
    multiply_in_tiles(LARGE, tile, c, look_up, &cache);
    if (tile == LARGE)
        printf("  %-12s", "no tiles");
    else
        printf("  %2d x %-7d", tile, tile);
    int64_t sum = 0;
    for (int matrix = 0; matrix < MATRICES; matrix++) {
        printf("%10lld", (long long)cache.fetched[matrix]);
        sum += cache.fetched[matrix];
    }
    printf("%10lld\n", (long long)sum);
    return memcmp(c, plain, sizeof(int[LARGE * LARGE])) == 0;
}

bool loops_print(void)
{
    static int plain[LARGE * LARGE], c[LARGE * LARGE];
    static const int tiles[] = {LARGE, 2, 4, 8, 16, 32};
    printf("C = A.B, all 4 x 4, on a CPU: 64 multiplications, one after the other, from\n"
           "left to right; # uses the element.\n\n"
           "for i, for j, for k: as the definition says\n");
    draw_uses(SMALL, c);
    printf("\nthe same loops cut into strips of 2 and reordered: 2 x 2 x 2 at a time\n");
    draw_uses(2, c);
    printf("\nAll %d x %d, and a cache of %d pieces of %d floats. Pieces that it fetches:\n\n"
           "  tiles                A         B         C       sum\n",
           LARGE, LARGE, CACHE_PIECES, PIECE_FLOATS);
    struct cache unwatched = {.n = LARGE};
    multiply_in_tiles(LARGE, LARGE, plain, look_up, &unwatched);
    bool right = true;
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++)
        right = count_fetches(tiles[i], plain, c) && right;
    printf("\n%s\n", right ? "Every order of the loops gave the same C."
                           : "NOT EVERY ORDER OF THE LOOPS GAVE THE SAME C.");
    return right;
}
