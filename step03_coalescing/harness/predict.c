/* predict.c - requests, sectors and bank conflicts of every kernel, before it runs.
 *
 * Each function walks over the warps of one kernel, writes down the 32 addresses of each access as
 * the kernel computes them, and lets common/gpu/access count. Device addresses are not known, nor
 * needed: cudaMalloc aligns to at least 256 bytes, so an array may as well start at 0. */
#include "common/gpu/access.h"
#include "step03_coalescing/harness/lesson.h"

enum { LANES = 32, SHARED_FLOAT = 4 };

/* One request: `times` warps that differ only by a multiple of 32 bytes in their addresses. */
static void add_load(struct traffic *t, const uint64_t *address, uint32_t mask, unsigned bytes,
                     uint64_t times)
{
    if (mask == 0) /* a warp without an active lane makes no request */
        return;
    t->load_requests += times;
    t->load_sectors += times * access_global_sectors(address, mask, bytes);
}

static void add_store(struct traffic *t, const uint64_t *address, uint32_t mask, unsigned bytes,
                      uint64_t times)
{
    if (mask == 0)
        return;
    t->store_requests += times;
    t->store_sectors += times * access_global_sectors(address, mask, bytes);
}

static uint32_t first_lanes(size_t count)
{
    return count >= LANES ? UINT32_MAX : (UINT32_C(1) << count) - 1;
}

/* --- one-dimensional kernels -------------------------------------------------------------------
 * Whatever the block size and the elements per thread, the 32 lanes of a request handle elements
 * 32 c .. 32 c + 31. 32 elements further on, addresses have grown by a multiple of 32 bytes: all
 * full requests cost the same, and only the last one may have fewer lanes. */

struct walk {
    uint64_t base, stride_bytes; /* lane i of the first request is at base + i * stride_bytes */
    unsigned bytes;
};

static void add_walk(struct traffic *t, struct walk w, size_t n, bool load, bool store)
{
    uint64_t address[LANES];
    const struct {
        uint32_t mask;
        uint64_t times;
    } parts[] = {{UINT32_MAX, n / LANES}, {first_lanes(n % LANES), 1}};
    access_strided(address, w.base, w.stride_bytes);
    for (int i = 0; i < 2; i++) {
        if (load)
            add_load(t, address, parts[i].mask, w.bytes, parts[i].times);
        if (store)
            add_store(t, address, parts[i].mask, w.bytes, parts[i].times);
    }
}

void predict_copy(const struct trial *t, struct traffic *out)
{
    const struct walk w = {t->offset * t->element_bytes, t->stride * t->element_bytes,
                           t->element_bytes};
    *out = (struct traffic){0};
    add_walk(out, w, t->n, true, true);
}

/* Whole float4s, then up to three floats by the threads behind them, which may lie in two warps. */
void predict_plain(const struct trial *t, struct traffic *out)
{
    const size_t whole = t->n / 4, rest = t->n % 4;
    uint64_t address[LANES];
    *out = (struct traffic){0};
    add_walk(out, (struct walk){0, 16, 16}, whole, true, true);
    for (size_t first = whole - whole % LANES; first < whole + rest; first += LANES) {
        uint32_t mask = 0;
        for (size_t lane = 0; lane < LANES; lane++) {
            const size_t thread = first + lane;
            const bool active = thread >= whole && thread < whole + rest;
            mask |= (uint32_t)active << lane;
            address[lane] = active ? (4 * whole + thread - whole) * 4 : 0;
        }
        add_load(out, address, mask, 4, 1);
        add_store(out, address, mask, 4, 1);
    }
}

void predict_aos_one_field(const struct trial *t, struct traffic *out)
{
    *out = (struct traffic){0};
    add_walk(out, (struct walk){0, sizeof(struct particle), 4}, t->n, true, true);
}

void predict_soa_one_field(const struct trial *t, struct traffic *out)
{
    *out = (struct traffic){0};
    add_walk(out, (struct walk){0, 4, 4}, t->n, true, true);
}

void predict_aos_all_fields(const struct trial *t, struct traffic *out)
{
    *out = (struct traffic){0};
    for (uint64_t f = 0; f < PARTICLE_FIELDS; f++)
        add_walk(out, (struct walk){4 * f, sizeof(struct particle), 4}, t->n, true, true);
}

void predict_aos_all_fields_float4(const struct trial *t, struct traffic *out)
{
    *out = (struct traffic){0};
    for (uint64_t half = 0; half < 2; half++)
        add_walk(out, (struct walk){16 * half, sizeof(struct particle), 16}, t->n, true, true);
}

void predict_soa_all_fields(const struct trial *t, struct traffic *out)
{
    *out = (struct traffic){0};
    for (uint64_t f = 0; f < PARTICLE_FIELDS; f++) /* field f starts behind f * n floats */
        add_walk(out, (struct walk){4 * f * t->n, 4, 4}, t->n, true, true);
}

/* --- transposes --------------------------------------------------------------------------------*/

struct tile {
    int x, y;          /* its upper left element in the input */
    int width, height; /* of the whole input */
};

typedef void (*predict_tile)(const struct tile *p, struct traffic *out);

static void add_traffic(struct traffic *sum, const struct traffic *t, uint64_t times)
{
    sum->load_requests += times * t->load_requests;
    sum->load_sectors += times * t->load_sectors;
    sum->store_requests += times * t->store_requests;
    sum->store_sectors += times * t->store_sectors;
    sum->bank_conflicts += times * t->bank_conflicts;
}

/* All tiles. Where every row starts at a multiple of 32 bytes, on both sides, whole tiles cost the
 * same, so that one of them is walked for all. */
static void predict_tiles(const struct trial *t, predict_tile predict, struct traffic *out)
{
    const int floats_per_sector = ACCESS_SECTOR_BYTES / 4;
    const bool alike = t->width % floats_per_sector == 0 && t->height % floats_per_sector == 0;
    struct traffic whole = {0};
    uint64_t whole_tiles = 0;
    *out = (struct traffic){0};
    for (int y = 0; y < t->height; y += TILE) {
        for (int x = 0; x < t->width; x += TILE) {
            const struct tile p = {x, y, t->width, t->height};
            if (!alike || x + TILE > t->width || y + TILE > t->height)
                predict(&p, out);
            else if (whole_tiles++ == 0)
                predict(&p, &whole);
        }
    }
    add_traffic(out, &whole, whole_tiles);
}

/* The floats of row y that columns x .. x + 31 of the warp find inside the matrix. */
static uint32_t row_of_floats(uint64_t address[LANES], int x, int y, int width, int height)
{
    uint32_t mask = 0;
    for (int lane = 0; lane < LANES; lane++) {
        address[lane] = 4 * ((uint64_t)y * (uint64_t)width + (uint64_t)(x + lane));
        mask |= (uint32_t)(x + lane < width && y < height) << lane;
    }
    return mask;
}

static void predict_naive_tile(const struct tile *p, struct traffic *out)
{
    uint64_t address[LANES];
    for (int y = p->y; y < p->y + TILE; y++) {
        for (int x = p->x; x < p->x + TILE; x += LANES) {
            const uint32_t mask = row_of_floats(address, x, y, p->width, p->height);
            add_load(out, address, mask, 4, 1);
            for (int lane = 0; lane < LANES; lane++)
                address[lane] = 4 * ((uint64_t)(x + lane) * (uint64_t)p->height + (uint64_t)y);
            add_store(out, address, mask, 4, 1);
        }
    }
}

/* Lane i at word first + i * step of the tile in shared memory. */
static void shared_words(uint32_t offset[LANES], int first, int step)
{
    for (int lane = 0; lane < LANES; lane++)
        offset[lane] = (uint32_t)(SHARED_FLOAT * (first + lane * step));
}

static void predict_tile_of_pitch(const struct tile *p, int pitch, struct traffic *out)
{
    uint64_t address[LANES];
    uint32_t offset[LANES];
    for (int row = 0; row < TILE; row++) {
        for (int column = 0; column < TILE; column += LANES) {
            uint32_t mask = row_of_floats(address, p->x + column, p->y + row, p->width, p->height);
            shared_words(offset, row * pitch + column, 1);
            add_load(out, address, mask, 4, 1);
            out->bank_conflicts += access_shared_store(offset, mask, 4).conflicts;

            mask = row_of_floats(address, p->y + column, p->x + row, p->height, p->width);
            shared_words(offset, column * pitch + row, pitch);
            out->bank_conflicts += access_shared_load(offset, mask, 4).conflicts;
            add_store(out, address, mask, 4, 1);
        }
    }
}

static void predict_tile_unpadded(const struct tile *p, struct traffic *out)
{
    predict_tile_of_pitch(p, TILE, out);
}

static void predict_tile_padded(const struct tile *p, struct traffic *out)
{
    predict_tile_of_pitch(p, TILE + 1, out);
}

enum { UNITS = TILE / 4, UNIT_BYTES = 16 }; /* transpose_float4: 16 units of 16 bytes per row */

/* The 32 units at (x[i], y[i]) that are inside the matrix. */
static uint32_t units_inside(uint64_t address[LANES], const int x[LANES], const int y[LANES],
                             int width, int height)
{
    uint32_t mask = 0;
    for (int lane = 0; lane < LANES; lane++) {
        address[lane] = 4 * ((uint64_t)y[lane] * (uint64_t)width + (uint64_t)x[lane]);
        mask |= (uint32_t)(x[lane] < width && y[lane] < height) << lane;
    }
    return mask;
}

/* Line j of the 4 x 4 squares that a warp reads, and the row of the tile that it becomes. */
static void predict_float4_read(const struct tile *p, int warp, int j, struct traffic *out)
{
    int x[LANES], y[LANES];
    uint64_t address[LANES];
    uint32_t offset[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        const int row = 2 * warp + lane / UNITS, unit = lane % UNITS;
        x[lane] = p->x + 4 * unit;
        y[lane] = p->y + 4 * row + j;
        offset[lane] = (uint32_t)(UNIT_BYTES * ((4 * unit + j) * UNITS + (row ^ unit % 8)));
    }
    const uint32_t mask = units_inside(address, x, y, p->width, p->height);
    add_load(out, address, mask, UNIT_BYTES, 1);
    out->bank_conflicts += access_shared_store(offset, mask, UNIT_BYTES).conflicts;
}

static void predict_float4_write(const struct tile *p, int warp, int j, struct traffic *out)
{
    int x[LANES], y[LANES];
    uint64_t address[LANES];
    uint32_t offset[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        const int row = 2 * warp + lane / UNITS + j, unit = lane % UNITS;
        x[lane] = p->y + 4 * unit;
        y[lane] = p->x + row;
        offset[lane] = (uint32_t)(UNIT_BYTES * (row * UNITS + (unit ^ row / 4 % 8)));
    }
    const uint32_t mask = units_inside(address, x, y, p->height, p->width);
    out->bank_conflicts += access_shared_load(offset, mask, UNIT_BYTES).conflicts;
    add_store(out, address, mask, UNIT_BYTES, 1);
}

static void predict_float4_tile(const struct tile *p, struct traffic *out)
{
    for (int warp = 0; warp < TILE * TILE_ROWS / LANES; warp++) {
        for (int j = 0; j < 4; j++)
            predict_float4_read(p, warp, j, out);
        for (int j = 0; j < TILE; j += TILE / 4)
            predict_float4_write(p, warp, j, out);
    }
}

void predict_transpose_naive(const struct trial *t, struct traffic *out)
{
    predict_tiles(t, predict_naive_tile, out);
}

void predict_transpose_tile(const struct trial *t, struct traffic *out)
{
    predict_tiles(t, predict_tile_unpadded, out);
}

void predict_transpose_padded(const struct trial *t, struct traffic *out)
{
    predict_tiles(t, predict_tile_padded, out);
}

void predict_transpose_float4(const struct trial *t, struct traffic *out)
{
    const bool aligned = t->width % 4 == 0 && t->height % 4 == 0; /* else see launch_float4() */
    predict_tiles(t, aligned ? predict_float4_tile : predict_tile_padded, out);
}
