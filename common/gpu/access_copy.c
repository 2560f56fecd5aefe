/* access_copy.c - what asynchronous copies cost. The rules were found on an H200 with Nsight
 * Compute (tests/fidelity/copies). */
#include "access.h"

#include <string.h>

enum { LINE_BYTES = 128, HALF_WARP = 16, WORDS_MOST = 4 };

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

/* Not through L1: 16 bytes of each lane. Lanes move together if they keep their places in a sector;
 * in one pass, if the sectors of a line keep theirs. */
static struct access_copy bypassing(const uint64_t *global, const uint64_t *shared, uint32_t mask)
{
    uint64_t sectors[ACCESS_LANES][3], loads[ACCESS_LANES][3], passes[ACCESS_LANES][3];
    unsigned sector_count = 0, load_count = 0, pass_count = 0, before = 0;
    struct access_copy cost = {0, 0, 0, 0};
    for (unsigned i = 0; i < ACCESS_LANES; i++) {
        const uint64_t g = global[i], s = shared[i], turn = (g - s) % LINE_BYTES;
        const uint64_t from = g / ACCESS_SECTOR_BYTES, to = s / ACCESS_SECTOR_BYTES;
        if (i == HALF_WARP) { /* each half of the warp has passes of its own */
            before = pass_count;
            pass_count = 0;
        }
        if (mask >> i & 1u) {
            is_new(sectors, &sector_count, from, to, turn % ACCESS_SECTOR_BYTES);
            is_new(loads, &load_count, g / LINE_BYTES, to, 0);
            is_new(passes, &pass_count, g / LINE_BYTES, s / LINE_BYTES,
                   turn << 8 | ((from - to) & 3));
        }
    }
    cost.sectors = sector_count;
    cost.load_sectors = load_count;
    cost.wavefronts = before + pass_count;
    return cost;
}

/* Through L1: the words pass from its banks to those of shared memory, each bank one at a time. */
static struct access_copy caching(const uint64_t *global, const uint64_t *shared, uint32_t mask,
                                  uint32_t reading, unsigned bytes)
{
    const unsigned words = bytes / ACCESS_BANK_BYTES;
    unsigned from[ACCESS_BANKS] = {0}, to[ACCESS_BANKS] = {0}, most = 0, lanes = 0;
    for (unsigned i = 0; i < ACCESS_LANES; i++) {
        lanes += mask >> i & 1u;
        for (unsigned k = 0; k < words && mask >> i & 1u; k++) {
            const unsigned a = from[(global[i] / ACCESS_BANK_BYTES + k) % ACCESS_BANKS] +=
                reading >> i & 1u;
            const unsigned b = ++to[(shared[i] / ACCESS_BANK_BYTES + k) % ACCESS_BANKS];
            most = a > most ? a : most;
            most = b > most ? b : most;
        }
    }
    const unsigned least = (lanes * words + ACCESS_BANKS - 1) / ACCESS_BANKS;
    const unsigned sectors = access_global_sectors(global, reading, bytes);
    return (struct access_copy){sectors, sectors, most, most - least};
}

struct access_copy access_async_copy(const uint64_t global[ACCESS_LANES],
                                     const uint64_t shared[ACCESS_LANES], uint32_t mask,
                                     uint32_t reading, unsigned bytes, bool bypasses)
{
    return bypasses ? bypassing(global, shared, reading)
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
