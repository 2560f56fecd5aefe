/* record.h - launches as a file, from record.c to replay.c: entries of a kind and what belongs to
 * it, as numbers of 64 bits and bytes. */
#ifndef TESTS_SITE_RECORD_H
#define TESTS_SITE_RECORD_H

#include "api/simt.h"

#include <string.h>

enum record_kind {
    RECORD_MODULE = 1, /* how many texts; of each: length, text */
    RECORD_ALLOCATION, /* serial, address, bytes, kind, module or UINT32_MAX, name of its variable
                        */
    RECORD_FREE,       /* serial */
    RECORD_WRITE,      /* serial, from which byte, bytes, contents */
    RECORD_LAUNCH      /* name, sizes, parameters; then counters, and a hash of memory */
};

/* Of an allocation's contents, in which addresses count as 0, since they differ from run to run;
 * the sum over all allocations is that of memory. */
static inline uint64_t record_hash(uint64_t serial, const unsigned char *bytes, uint64_t count,
                                   struct memory *m)
{
    uint64_t hash = serial, word;
    for (uint64_t i = 0; i < count; i += sizeof word) {
        word = 0;
        memcpy(&word, bytes + i, count - i < sizeof word ? count - i : sizeof word);
        const bool address = word >> 28 != 0 && word >> 48 == 0 && memory_find(m, word) != NULL;
        hash = (hash ^ (address ? 0 : word)) * HASH_MULTIPLIER;
        hash ^= hash >> 29;
    }
    return hash;
}

#endif
