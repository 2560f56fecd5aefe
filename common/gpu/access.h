/* access.h - what one warp instruction costs in memory: pure arithmetic on 32 addresses.
 *
 * Every function takes the addresses of the 32 lanes, the mask of lanes that take part (bit i is
 * lane i) and the width of one lane's access in bytes: 1, 2, 4, 8 or 16, each address a multiple
 * of it, as the hardware demands. Addresses of lanes outside the mask are not looked at. A mask of
 * 0 costs nothing. No state, no allocation, no errors. The rules were found on an NVIDIA H200;
 * tests/fidelity holds the kernels and the counters that they reproduce.
 *
 * Called by the simulator for every access it executes, and by lessons that predict a count. */
#ifndef ACCESS_H
#define ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCESS_LANES        32u
#define ACCESS_SECTOR_BYTES 32u /* what global memory moves: a 32-byte sector */
#define ACCESS_BANKS        32u /* shared memory: 32 banks, each 4 bytes wide */
#define ACCESS_BANK_BYTES   4u

/* Distinct 32-byte sectors that a global load or store touches. */
unsigned access_global_sectors(const uint64_t address[ACCESS_LANES], uint32_t mask, unsigned bytes);

/* Different addresses among the lanes. */
unsigned access_distinct(const uint64_t address[ACCESS_LANES], uint32_t mask);

/* A copy of 4, 8 or 16 bytes a lane from global to shared memory (cp.async); .cg bypasses L1. Lanes
 * of the mask that do not read write zeros. */
struct access_copy {
    unsigned sectors;               /* pieces of 32 bytes that it moves */
    unsigned load_sectors;          /* what the counters of global loads see of them */
    unsigned wavefronts, conflicts; /* of shared memory */
};
enum access_copy_ways {
    ACCESS_COPY_BYPASSES = 1, /* .cg */
    ACCESS_COPY_SIZED = 2,    /* each lane says how many bytes it reads: not all or none */
};
struct access_copy access_async_copy(const uint64_t global[ACCESS_LANES],
                                     const uint64_t shared[ACCESS_LANES], uint32_t mask,
                                     uint32_t reading, unsigned bytes, unsigned ways);
/* Sectors of global memory that a bulk copy moves between there and shared memory. */
unsigned access_bulk_sectors(uint64_t global, uint64_t shared, uint64_t bytes);

/* A global reduction or atomic (with or without a result). It is replayed until no two lanes of a
 * replay hit the same address; each replay pays for the distinct sectors that it touches. */
struct access_global_atomic {
    unsigned replays; /* lanes on the most-shared address */
    unsigned sectors; /* distinct sectors, summed over the replays */
};
struct access_global_atomic access_global_atomic(const uint64_t address[ACCESS_LANES],
                                                 uint32_t mask, unsigned bytes);

/* A shared-memory access: wavefronts are the passes over the 32 banks; conflicts are the passes
 * beyond one for each group of lanes that the hardware serves together. */
struct access_shared {
    unsigned wavefronts, conflicts;
};
/* Neighbouring lanes that are served together: 32, 16 or 8, by the width; twice as many where a
 * load of 8 or 16 bytes finds pairs of lanes that want the same. For pictures of the passes. */
unsigned access_shared_group(const uint32_t offset[ACCESS_LANES], uint32_t mask, unsigned bytes,
                             bool is_load);
struct access_shared access_shared_load(const uint32_t offset[ACCESS_LANES], uint32_t mask,
                                        unsigned bytes);
struct access_shared access_shared_store(const uint32_t offset[ACCESS_LANES], uint32_t mask,
                                         unsigned bytes);
/* ldmatrix and stmatrix: rows of 16 bytes, the first 8 lanes' of the first matrix and so on. Eight
 * rows are a group, and no two groups are served at once. */
struct access_shared access_shared_rows(const uint32_t offset[ACCESS_LANES], uint32_t mask);
/* Atomics that shared memory performs by itself: 32-bit integer add, inc, dec, min, max, and, or,
 * xor; exchange and compare-and-swap of 32 and 64 bits. bytes is 4 or 8. */
struct access_shared access_shared_atomic(const uint32_t offset[ACCESS_LANES], uint32_t mask,
                                          unsigned bytes);
struct access_shared access_shared_cas(const uint32_t offset[ACCESS_LANES], uint32_t mask,
                                       unsigned bytes);

/* All other shared atomics (float add, 64-bit integers but exchange) are a loop in machine code:
 * load, compute, compare-and-swap, again for the lanes that lost. unchanged has a bit set for each
 * lane whose update leaves the value as it is (adding 0): it does not make others lose. Exact for
 * one warp alone; other warps on the same addresses cost further rounds, as timing has it. */
struct access_shared_loop {
    unsigned rounds;
    struct access_shared load, atomic;
};
struct access_shared_loop access_shared_loop(const uint32_t offset[ACCESS_LANES], uint32_t mask,
                                             unsigned bytes, uint32_t unchanged);
/* The compare-and-swap of one round of such a loop: the lanes of `mask` that get through. Adds its
 * wavefronts to *wavefronts; none of them is a conflict. */
uint32_t access_shared_round(const uint32_t offset[ACCESS_LANES], uint32_t mask, unsigned bytes,
                             unsigned *wavefronts);

/* For predictions: the 32 addresses of a warp whose lane i is at base + i * stride_bytes. */
void access_strided(uint64_t address[ACCESS_LANES], uint64_t base, uint64_t stride_bytes);
/* Sectors of a warp that reads `bytes`-wide elements offset, offset + 1, ... of an aligned array.
 */
unsigned access_offset_sectors(unsigned bytes, uint64_t offset_elements);
/* Sectors of a warp that reads elements 0, stride, 2 stride, ... of an aligned array. */
unsigned access_stride_sectors(unsigned bytes, uint64_t stride_elements);
/* The distinct sectors themselves (address / 32), ascending; returns how many. */
unsigned access_sector_list(const uint64_t address[ACCESS_LANES], uint32_t mask,
                            uint64_t sector[ACCESS_LANES]);

#ifdef __cplusplus
}
#endif

#endif
