/* access_copy.c - what asynchronous copies cost. The rules were found on an H200 with Nsight
 * Compute (tests/fidelity/copies). */
#include "access.h"

#include <string.h>

enum { LINE_BYTES = 128, PIECE_BYTES = 16 };

#define LOWER_HALF 0xffffu

static bool is_new(uint64_t (*seen)[3], unsigned *count, uint64_t a, uint64_t b, uint64_t c)
{
    for (unsigned i = 0; i < *count; i++) {
        if (seen[i][0] == a && seen[i][1] == b && seen[i][2] == c) {
            return false;
        }
    }
    seen[*count][0] = a;
    seen[*count][1] = b;
    seen[*count][2] = c;
    ++*count;
    return true;
}

/* The pieces of 16 bytes that a half of the warp moves from the line of lane `first` to that lane's
 * line of shared memory. One pass moves those that turn alike: all are shifted by one distance, and
 * so are their sectors; or all change the same bits of their places, as a swizzle does. */
static unsigned passes_of_line(const uint64_t *global, const uint64_t *shared, uint32_t lanes,
                               unsigned first)
{
    uint32_t shifts = 0, flips = 0;
    for (unsigned i = first; i < ACCESS_LANES; i++) {
        const uint64_t g = global[i], s = shared[i];
        if (lanes >> i & 1u && g / LINE_BYTES == global[first] / LINE_BYTES &&
            s / LINE_BYTES == shared[first] / LINE_BYTES) {
            const uint64_t sectors = (g / ACCESS_SECTOR_BYTES - s / ACCESS_SECTOR_BYTES) % 4;
            shifts |= 1u << ((g - s) % LINE_BYTES / PIECE_BYTES * 4 + sectors);
            flips |= 1u << ((g ^ s) % LINE_BYTES / PIECE_BYTES);
        }
    }
    const int by_shifts = __builtin_popcount(shifts), by_flips = __builtin_popcount(flips);
    return (unsigned)(by_shifts < by_flips ? by_shifts : by_flips);
}

static unsigned passes(const uint64_t *global, const uint64_t *shared, uint32_t lanes)
{
    uint64_t lines[ACCESS_LANES][3];
    unsigned count = 0, sum = 0;
    for (unsigned i = 0; i < ACCESS_LANES; i++) {
        if (lanes >> i & 1u &&
            is_new(lines, &count, global[i] / LINE_BYTES, shared[i] / LINE_BYTES, 0)) {
            sum += passes_of_line(global, shared, lanes, i);
        }
    }
    return sum;
}

/* The lanes whose piece no lane before them copies to the same place. */
static uint32_t without_repeats(const uint64_t *global, const uint64_t *shared, uint32_t mask)
{
    uint64_t pieces[ACCESS_LANES][3];
    uint32_t kept = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < ACCESS_LANES; i++) {
        if (mask >> i & 1u && is_new(pieces, &count, global[i], shared[i], 0)) {
            kept |= 1u << i;
        }
    }
    return kept;
}

static unsigned passes_of_halves(const uint64_t *global, const uint64_t *shared, uint32_t lanes)
{
    return passes(global, shared, lanes & LOWER_HALF) + passes(global, shared, lanes & ~LOWER_HALF);
}

/* Not through L1: 16 bytes of each lane. Lanes move together if they keep their places in a sector.
 * If the size is in a register, the zeros of all lanes of `filling` are written, too. */
static struct access_copy bypassing(const uint64_t *global, const uint64_t *shared, uint32_t mask,
                                    uint32_t filling)
{
    uint64_t sectors[ACCESS_LANES][3], loads[ACCESS_LANES][3];
    unsigned sector_count = 0, load_count = 0;
    mask = without_repeats(global, shared, mask);
    for (unsigned i = 0; i < ACCESS_LANES; i++) {
        const uint64_t g = global[i], s = shared[i];
        if (mask >> i & 1u) {
            is_new(sectors, &sector_count, g / ACCESS_SECTOR_BYTES, s / ACCESS_SECTOR_BYTES,
                   (g - s) % ACCESS_SECTOR_BYTES);
            is_new(loads, &load_count, g / LINE_BYTES, s / ACCESS_SECTOR_BYTES, 0);
        }
    }
    return (struct access_copy){
        .sectors = sector_count,
        .load_sectors = load_count,
        .wavefronts = filling != 0 ? 2 * passes_of_halves(global, shared,
                                                          without_repeats(global, shared, filling))
                                   : passes_of_halves(global, shared, mask)};
}

/* Through L1: the words pass from its banks to those of shared memory, each bank one at a time. */
static struct access_copy caching(const uint64_t *global, const uint64_t *shared, uint32_t mask,
                                  uint32_t reading, unsigned bytes)
{
    const unsigned words = bytes / ACCESS_BANK_BYTES;
    unsigned from[ACCESS_BANKS] = {0}, to[ACCESS_BANKS] = {0}, most = 0;
    for (unsigned i = 0; i < ACCESS_LANES; i++) {
        for (unsigned k = 0; k < words && mask >> i & 1u; k++) {
            const unsigned a = from[(global[i] / ACCESS_BANK_BYTES + k) % ACCESS_BANKS] +=
                reading >> i & 1u;
            const unsigned b = ++to[(shared[i] / ACCESS_BANK_BYTES + k) % ACCESS_BANKS];
            most = a > most ? a : most;
            most = b > most ? b : most;
        }
    }
    unsigned least =
        0; /* of lanes that are next to each other and fill all banks: each such group */
    for (unsigned i = 0; i < words; i++) {
        const unsigned group = ACCESS_LANES / words;
        least += words == 1 ? mask != 0 : (mask >> i * group & ((1u << group) - 1)) != 0;
    }
    const unsigned sectors = access_global_sectors(global, reading, bytes);
    return (struct access_copy){sectors, sectors, most, most - least};
}

struct access_copy access_async_copy(const uint64_t global[ACCESS_LANES],
                                     const uint64_t shared[ACCESS_LANES], uint32_t mask,
                                     uint32_t reading, unsigned bytes, unsigned ways)
{
    const uint32_t filling = ways & ACCESS_COPY_SIZED ? mask : 0;
    return ways & ACCESS_COPY_BYPASSES ? bypassing(global, shared, reading, filling)
                                       : caching(global, shared, mask, reading, bytes);
}

/* It goes by pieces that fill a line of shared memory; each pays for the sectors that it touches.
 */
unsigned access_bulk_sectors(uint64_t global, uint64_t shared, uint64_t bytes)
{
    unsigned sectors = 0;
    while (bytes > 0) {
        const uint64_t room = LINE_BYTES - shared % LINE_BYTES, piece = bytes < room ? bytes : room;
        sectors +=
            (unsigned)((global + piece - 1) / ACCESS_SECTOR_BYTES - global / ACCESS_SECTOR_BYTES) +
            1;
        global += piece;
        shared += piece;
        bytes -= piece;
    }
    return sectors;
}
