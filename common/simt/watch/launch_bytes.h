/* launch_bytes.h - which bytes of global memory a launch read and wrote, to be compared with those
 * of another launch, of a copy, or of the host.
 *
 * Layer watch. */
#ifndef SIMT_LAUNCH_BYTES_H
#define SIMT_LAUNCH_BYTES_H

#include "machine/observer.h"
#include "base/byte_set.h"

/* Plain reads and writes; strong ones (atomics, volatile, relaxed ...) are how sides speak to each
 * other while both run. */
enum touched_kind {
    TOUCHED_READ,
    TOUCHED_WRITTEN,
    TOUCHED_STRONGLY_READ,
    TOUCHED_STRONGLY_WRITTEN, /* atomics, too */
    TOUCHED_KINDS
};

/* Which addresses a launch is watched for: none; those outside of [begin, end), where the host can
 * reach; all. */
enum launch_bytes_what { LAUNCH_BYTES_NONE, LAUNCH_BYTES_HOST, LAUNCH_BYTES_ALL };

/* A launch that points to one (struct simt_launch) is asked for `what`, and leaves the rest there.
 */
struct touched_bytes_of {
    enum launch_bytes_what what;
    uint64_t begin, end;
    struct byte_set sets[TOUCHED_KINDS]; /* finished */
    /* The launch may begin before the one before it in its stream has ended (dependents.h). Of its
     * bytes, those that threads touched that had not waited for that one. */
    bool begins_early;
    struct byte_set early[TOUCHED_KINDS];
    /* Those that threads touched after they had let the next launch begin. */
    struct byte_set late[TOUCHED_KINDS];
    bool waits;  /* a thread waited for the launch before, and the next one begins behind that */
    bool begun;  /* what runs now is a launch of the kernel's own */
    bool fenced; /* a thread executed __threadfence() or a release, */
    bool system_fenced; /* __threadfence_system() or a release for the system */
};

struct launch_bytes;

struct launch_bytes *launch_bytes_open(void);
void launch_bytes_close(struct launch_bytes *l);
const struct observer *launch_bytes_observer(const struct launch_bytes *l);

#endif
