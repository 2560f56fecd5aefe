/* memory.h - the simulated device's global memory: allocations, bounds, addresses.
 *
 * A device address is not a host address: device memory lives behind a window that the
 * host cannot read, exactly as on a card, and host = device address + the allocation's delta.
 * Pinned and managed memory have delta 0: one pointer serves both sides. Every allocation is
 * surrounded by unmapped addresses, and a freed one is remembered, so that a wrong address can be
 * explained. Thread-safe: lookups take no lock, alloc and free do. */
#ifndef SIMT_MEMORY_H
#define SIMT_MEMORY_H

#include "../base/base.h"
#include "../base/err.h"

enum memory_kind {
    MEMORY_DEVICE,  /* cudaMalloc and friends */
    MEMORY_ARRAY,   /* a CUDA array: textures, surfaces and copies reach it */
    MEMORY_MANAGED, /* cudaMallocManaged: one pointer for host and device */
    MEMORY_PINNED,  /* cudaMallocHost, cudaHostRegister: host memory that a kernel may use */
    MEMORY_SYMBOL,  /* __device__ variable */
    MEMORY_CONSTANT /* __constant__ variable: stores from a kernel are rejected */
};

struct allocation {
    uint64_t begin, bytes; /* device addresses [begin, begin + bytes) */
    uint64_t lead;         /* bytes before begin that belong to it, though no message counts them */
    int64_t delta;         /* host pointer = address + delta */
    enum memory_kind kind;
    bool freed;
    bool in_kernel;      /* by malloc() in a kernel: name holds the line, too */
    bool registered;     /* host memory that belongs to the program (cudaHostRegister), or mapped */
    bool mirrored;       /* mapped: the memory of another device */
    const char *name;    /* symbol name, or the call that made it ("cudaMalloc") */
    const char *called;  /* what messages call it instead (memory_call), or NULL */
    const void *made_at; /* return address of that call, or NULL */
    const void *freed_at;
    uint64_t serial; /* 1, 2, ... in order of allocation */
};

/* Generic addresses: the two bytes that no pointer of the host uses tell the window. */
enum {
    WINDOW_SHIFT = 48,
    WINDOW_GLOBAL = 0,
    WINDOW_SHARED = 1,
    WINDOW_LOCAL = 2,
    WINDOW_PARAM = 3
};
#define WINDOW_BASE(window) ((uint64_t)(window) << WINDOW_SHIFT)

struct memory;

/* limit_bytes: cudaMalloc beyond it fails as on a card of that size. */
struct memory *memory_open(uint64_t limit_bytes, struct err *e);
void memory_close(struct memory *m);
/* Nobody needs what it holds: this computer gets its pages back. */
void memory_discard(struct memory *m);

/* Returns the allocation, or NULL when the device is full. Addresses are aligned to 512 bytes.
 * Contents are junk, 0xff, for MEMORY_DEVICE, else zero. bytes 0 is given one byte's worth of
 * address space. */
const struct allocation *memory_alloc(struct memory *m, uint64_t bytes, enum memory_kind kind,
                                      const char *name, const void *made_at);
/* The same for MEMORY_DEVICE; at `begin` if that is free and has not been given a second time by
 * going round: for a pool, whose freed memory is found again. */
const struct allocation *memory_alloc_again(struct memory *m, uint64_t begin, uint64_t bytes,
                                            const char *name, const void *made_at);
/* What malloc() in a kernel gives; line: of the source, copied. NULL, too, where the heap of
 * kernels is full. nvcc's `new T[n]` notes n in the 8 bytes before the array, where a GPU's heap
 * keeps a head of its own. */
const struct allocation *memory_alloc_in_kernel(struct memory *m, uint64_t bytes, const char *line);
/* The heap of kernels: what malloc() there may give in all, in multiples of 16 bytes as CUDA aligns
 * it; 8 MiB at first, as CUDA has it. false: some kernel has taken from it already, so it stays. */
bool memory_set_heap(struct memory *m, uint64_t bytes);
/* Its size, once it has rejected something; else 0. */
uint64_t memory_full_heap(struct memory *m);
/* Makes host memory visible to kernels (cudaHostRegister: MEMORY_PINNED). NULL when it overlaps
 * another. */
const struct allocation *memory_register(struct memory *m, void *host, uint64_t bytes,
                                         enum memory_kind kind, const char *name,
                                         const void *made_at);
/* Makes memory that lies elsewhere visible to kernels, as *what says: begin, bytes, delta, kind,
 * name and made_at. NULL when it overlaps another. */
const struct allocation *memory_map(struct memory *m, const struct allocation *what);
/* The host has given these bytes back, or may have: what was registered there is freed, if it was
 * there. Cheap where nothing is registered. */
void memory_host_gone(struct memory *m, uint64_t begin, uint64_t bytes, const void *freed_at);
/* Frees what was registered and has no memory any more. */
void memory_check_registered(struct memory *m);
/* Makes `host` the bytes of the live allocation that begins at `begin`, whose contents are copied
 * there: a managed variable has one copy. No kernel that uses it may have run before. */
void memory_rebind(struct memory *m, uint64_t begin, void *host);
/* Messages call the live allocation that begins at `begin` so from now on; the name must last as
 * long. */
void memory_call(struct memory *m, uint64_t begin, const char *name);
/* begin must be the exact start of a live allocation; else false (see memory_find for why). */
bool memory_free(struct memory *m, uint64_t begin, const void *freed_at);

/* How many allocations have been freed so far: another number says that what is known of where
 * allocations lie may be void. To be read atomically. */
const uint64_t *memory_frees(const struct memory *m);

/* What happens to memory besides kernels' accesses, for the checkers. Reported by any thread.
 */
enum memory_change { MEMORY_MADE, MEMORY_WRITTEN, MEMORY_COPIED, MEMORY_GIVEN_BACK };
typedef void (*memory_listener)(void *state, enum memory_change change, uint64_t address,
                                uint64_t bytes, uint64_t from);
void memory_listen(struct memory *m, memory_listener listener, void *state);
bool memory_is_heard(const struct memory *m); /* no: nobody listens */
/* Who may know an address that is none of this device: true if it has said what it is. */
typedef bool (*memory_stranger)(uint64_t address, char *text, size_t size);
void memory_ask_of_strangers(struct memory *m, memory_stranger stranger);
bool memory_is_strange(const struct memory *m, uint64_t address, char *text, size_t size);
/* The host has written, or copied from one device address to another. */
void memory_changed(struct memory *m, enum memory_change change, uint64_t address, uint64_t bytes,
                    uint64_t from);
/* Calls visit for every live allocation. */
void memory_visit(struct memory *m, void (*visit)(void *state, const struct allocation *a),
                  void *state);

/* The live allocation that holds address, or NULL. */
const struct allocation *memory_find(struct memory *m, uint64_t address);
/* The freed allocation that held address last, or NULL: for "use after free", "double free". */
const struct allocation *memory_find_freed(struct memory *m, uint64_t address);
/* The live allocation nearest to address, or NULL if there is none at all. */
const struct allocation *memory_nearest(struct memory *m, uint64_t address);
/* Bytes from the nearest byte of the allocation to address; 0 inside. */
uint64_t memory_distance(const struct allocation *a, uint64_t address);
/* Host pointer for [address, address + bytes), or NULL unless one live allocation holds it all. */
void *memory_host(struct memory *m, uint64_t address, uint64_t bytes);
/* Bytes in use and the limit, for cudaMemGetInfo. */
void memory_usage(struct memory *m, uint64_t *used_bytes, uint64_t *limit_bytes);
/* Bytes that memory_alloc could still give: the card's rest, or this computer's if it is less. */
uint64_t memory_available(struct memory *m);
/* Does the address lie where memory was that has been closed, and nothing is now? */
bool memory_is_former(struct memory *m, uint64_t address);
/* True if address lies inside the window of device addresses (live or not). */
bool memory_is_device_address(struct memory *m, uint64_t address);
void memory_window(struct memory *m, uint64_t *begin, uint64_t *end); /* these addresses */
/* The same, and where pinned and managed memory lie: no memory of the program's own is there. */
bool memory_is_mine(struct memory *m, uint64_t address);
/* How many of these bytes the host has memory for, up to the first page that it has not. Slow. */
uint64_t memory_on_host(uint64_t address, uint64_t bytes);

#endif
