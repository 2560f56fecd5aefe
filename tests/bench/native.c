/* native.c - the rows' work as loops of C, see rows.h: what a reader would write for this machine's
 * cores, and how gcc -O3 -march=native makes it fast. */
#include "tests/bench/rows.h"

#include <math.h>
#include <string.h>

void native_spmv(const struct work *w)
{
#pragma omp parallel for
    for (int row = 0; row < SPMV_ROWS; row++) {
        float sum = 0;
        for (int k = w->starts[row]; k < w->starts[row + 1]; k++) {
            sum += w->a[k] * w->b[w->columns[k]];
        }
        w->c[row] = sum;
    }
}

void native_histogram(const struct work *w)
{
    unsigned counts[HISTOGRAM_BINS] = {0};
#pragma omp parallel for reduction(+ : counts[:HISTOGRAM_BINS])
    for (int i = 0; i < HISTOGRAM_VALUES; i++) {
        counts[w->bytes[i]]++;
    }
    memcpy(w->counts, counts, sizeof counts);
}

static float median_of(float v[9])
{
    for (int i = 1; i < 9; i++) {
        float x = v[i];
        int j = i;
        for (; j > 0 && v[j - 1] > x; j--) {
            v[j] = v[j - 1];
        }
        v[j] = x;
    }
    return v[4];
}

void native_median(const struct work *w)
{
#pragma omp parallel for
    for (int y = 1; y < IMAGE_SIDE - 1; y++) {
        for (int x = 1; x < IMAGE_SIDE - 1; x++) {
            float v[9];
            for (int k = 0; k < 9; k++) {
                v[k] = w->a[(y + k / 3 - 1) * IMAGE_SIDE + x + k % 3 - 1];
            }
            w->c[y * IMAGE_SIDE + x] = median_of(v);
        }
    }
}

void native_search(const struct work *w)
{
    int changed = 1;
    memset(w->levels, 0xff, GRAPH_NODES * sizeof *w->levels);
    w->levels[0] = 0;
    for (int level = 0; changed; level++) {
        changed = 0;
#pragma omp parallel for reduction(| : changed)
        for (int node = 0; node < GRAPH_NODES; node++) {
            for (int k = 0; w->levels[node] == level && k < GRAPH_DEGREE; k++) {
                const int next = w->edges[node * GRAPH_DEGREE + k];
                if (w->levels[next] < 0) {
                    w->levels[next] = level + 1;
                    changed = 1;
                }
            }
        }
    }
}

void native_bodies(const struct work *w)
{
#pragma omp parallel for
    for (int i = 0; i < BODIES; i++) {
        const float *p = w->a + 4 * i;
        float ax = 0, ay = 0, az = 0;
        for (int j = 0; j < BODIES; j++) {
            const float *q = w->a + 4 * j;
            const float dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
            const float r = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float pull = q[3] * r * r * r;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        w->c[4 * i] = ax;
        w->c[4 * i + 1] = ay;
        w->c[4 * i + 2] = az;
    }
}

static float normal_below(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

void native_options(const struct work *w)
{
#pragma omp parallel for
    for (int i = 0; i < OPTIONS; i++) {
        const float price = 5 + w->a[i], strike = 1 + w->b[i], years = 1 + 0.1f * w->a[i];
        const float root = sqrtf(years);
        const float d1 = (logf(price / strike) + 0.065f * years) / (0.3f * root);
        const float d2 = d1 - 0.3f * root;
        w->c[i] = price * normal_below(d1) - strike * expf(-0.02f * years) * normal_below(d2);
    }
}

static uint32_t next_number(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

void native_random(const struct work *w)
{
#pragma omp parallel for
    for (int i = 0; i < GENERATORS; i++) {
        uint32_t x = 1 + (uint32_t)i;
        int inside = 0;
        for (int k = 0; k < NUMBERS_OF_EACH; k++) {
            x = next_number(x);
            const float u = (float)(x >> 8) * 0x1p-24f;
            x = next_number(x);
            const float v = (float)(x >> 8) * 0x1p-24f;
            inside += u * u + v * v < 1;
        }
        w->c[i] = (float)inside;
    }
}

void native_sort(const struct work *w)
{
    memcpy(w->c, w->b, SORTED * sizeof *w->c);
    for (int length = 2; length <= SORTED; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
#pragma omp parallel for
            for (int i = 0; i < SORTED; i++) {
                const int other = i ^ distance;
                const float low = w->c[i], high = w->c[other];
                if (other > i && (low > high) == ((i & length) == 0)) {
                    w->c[i] = high;
                    w->c[other] = low;
                }
            }
        }
    }
}

void native_small(const struct work *w)
{
    for (int launch = 0; launch < SMALL_LAUNCHES; launch++) {
        for (int i = 0; i < SMALL_THREADS; i++) {
            w->c[i] = w->a[i] * 2 + (float)launch;
        }
        __asm__ volatile("" : : : "memory"); /* a launch is not optimised away either */
    }
}

void native_synced(const struct work *w)
{
    enum { COUNT = SYNCED_BLOCKS * SYNCED_THREADS };
    for (int step = 0; step < SYNCS; step++) {
        const float *from = step % 2 == 0 ? w->a : w->c;
        float *to = step % 2 == 0 ? w->c : w->a;
#pragma omp parallel for
        for (int i = 0; i < COUNT; i++) {
            to[i] = 0.5f * (from[i] + from[(i + 1) % COUNT]);
        }
    }
}

void native_gray(const struct work *w)
{
#pragma omp parallel for
    for (int i = 0; i < PIXELS; i++) {
        const unsigned char *p = w->bytes + 4 * i;
        const _Float16 gray = (_Float16)((77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8);
        const _Float16 scaled = gray * (_Float16)0.5f + (_Float16)1.0f;
        memcpy(&w->halves[i], &scaled, sizeof scaled);
    }
}
