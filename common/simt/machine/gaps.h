/* gaps.h - parts of one mapping that must not be touched, for the build with AddressSanitizer.
 *
 * Registers, local and shared memory are mappings, of which the sanitizer knows nothing: a handler
 * that left a warp's registers would meet those of the next one. There the warps, and the lanes in
 * local memory, lie GAP_BYTES apart, and the gaps are poisoned. Elsewhere all of this is nothing.
 */
#ifndef SIMT_GAPS_H
#define SIMT_GAPS_H

#include <stddef.h>

#ifdef __has_feature
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#include <sanitizer/asan_interface.h>
enum { GAP_BYTES = 64 };
/* A room may be used as a whole, as it must be before it is unmapped or divided anew. */
static inline void gaps_open(void *room, size_t bytes)
{
    __asan_unpoison_memory_region(room, bytes);
}
static inline void gap_close(void *gap, size_t bytes) { __asan_poison_memory_region(gap, bytes); }
#else
enum { GAP_BYTES = 0 };
static inline void gaps_open(void *room, size_t bytes) { (void)room, (void)bytes; }
static inline void gap_close(void *gap, size_t bytes) { (void)gap, (void)bytes; }
#endif

#endif
