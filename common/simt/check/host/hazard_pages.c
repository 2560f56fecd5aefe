/* hazard_pages.c - the host's accesses cannot be watched one by one, but its pages can: a page that
 * a launch or a copy writes may not be touched before the host has waited; of what they read, none
 * may be written. An access that meets such a page raises SIGSEGV, comes here, is noted down, and
 * is tried again on the open page. Bytes are distinguished: on x86 an access beside the bytes in
 * question runs as a single step, and its page is closed again; elsewhere the page stays open until
 * the next call.
 *
 * Memory of cudaMallocHost() and cudaMallocManaged() is guarded to the byte; of other host memory
 * (cudaHostRegister(), buffers of copies) only pages that belong to it alone. */
#include "check/host/hazard_state.h"
#include "base/room.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/describe.h"
#include "runtime/cudart.h"
#include "machine/memory.h"

enum { MOST_NOTES = 256, MOST_STEPS = 20000 };

struct guarded_pages {
    uint64_t first, end; /* pages */
    int protection;
};

/* One access of the host that met a work. */
struct note {
    char what[200];
    const void *site, *node_made_at;
    struct describe_frames host;
    const char *verb;
    bool writes;
    uint64_t address;
};

static struct {
    struct guarded_pages *list;
    size_t count, room;
    bool closed; /* the pages are guarded now */
    struct note notes[MOST_NOTES];
    unsigned note_count, steps;
} pages; /* under hazard_common.lock */

static _Thread_local struct {
    uint64_t page; /* that is open for a single step; 0: none */
    int protection;
} open_page;

/* ---- guarding -------------------------------------------------------------------------------- */

static void protect(uint64_t first, uint64_t end, int protection)
{
    mprotect((void *)(uintptr_t)(first * BYTE_SET_PAGE), (end - first) * BYTE_SET_PAGE, protection);
}

bool hazard_pages_are_idle(void) { return !pages.closed && pages.note_count == 0; }

void hazard_pages_lift(void)
{
    for (size_t i = 0; i < pages.count && pages.closed; i++) {
        protect(pages.list[i].first, pages.list[i].end, PROT_READ | PROT_WRITE);
    }
    pages.closed = false;
}

static void add_guard(uint64_t first, uint64_t end, int protection)
{
    ROOM_FOR_ONE(pages.list, pages.count, pages.room, 16);
    pages.list[pages.count++] = (struct guarded_pages){first, end, protection};
}

/* Of cudaHostRegister(), and the program's own to close? */
static bool is_registered(struct memory *m, uint64_t address)
{
    static const struct allocation *latest;
    static bool writable;
    const struct allocation *a = memory_find(m, address);
    if (a != NULL && a->registered && a != latest) {
        latest = a;
        writable = host_is_writable((const void *)(uintptr_t)address);
    }
    return a != NULL && a->registered && writable;
}

/* Can the host reach it, and may it be closed? */
static bool may_be_guarded(struct memory *m, const struct hazard_work *w, uint64_t page, bool part)
{
    const uint64_t address = page * BYTE_SET_PAGE;
    if (memory_is_device_address(m, address)) {
        return false;
    }
    return memory_is_mine(m, address) ||
           (!part && (hazard_buffers_may_be_guarded(w, address) || is_registered(m, address)));
}

static void guard_set(struct memory *m, const struct hazard_work *w, const struct byte_set *s,
                      int protection)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct byte_span *x = &s->spans[i];
        if (may_be_guarded(m, w, x->first, x->bits != NULL)) {
            add_guard(x->first, x->end, protection);
        }
    }
}

void hazard_pages_guard(struct memory *m)
{
    hazard_pages_lift();
    host_set_guard(hazard_fault);
    pages.count = 0;
    pages.steps = 0;
    const unsigned count = host_is_watched() ? hazard_common.pending.count : 0;
    for (unsigned strict = 0; strict < 2; strict++) { /* what is written comes last, and holds */
        for (unsigned i = 0; i < count; i++) {
            const struct hazard_work *w = hazard_common.pending.list[i];
            if (!w->touched.system_fenced) { /* else the host may know of it by memory */
                guard_set(m, w, &w->touched.sets[strict ? TOUCHED_WRITTEN : TOUCHED_READ],
                          strict ? PROT_NONE : PROT_READ);
            }
        }
    }
    for (size_t i = 0; i < pages.count; i++) {
        protect(pages.list[i].first, pages.list[i].end, pages.list[i].protection);
    }
    pages.closed = pages.count > 0;
}

/* ---- an access ------------------------------------------------------------------------------- */

static const struct hazard_work *work_at(uint64_t address, bool writes, bool *written)
{
    for (unsigned i = 0; i < hazard_common.pending.count; i++) {
        const struct hazard_work *w = hazard_common.pending.list[i];
        *written = byte_set_has(&w->touched.sets[TOUCHED_WRITTEN], address);
        if (!w->touched.system_fenced &&
            (*written || (writes && byte_set_has(&w->touched.sets[TOUCHED_READ], address)))) {
            return w;
        }
    }
    return NULL;
}

static void note(const struct hazard_work *w, uint64_t address, bool written, bool writes,
                 const void *instruction)
{
    if (pages.note_count == MOST_NOTES) {
        return;
    }
    struct note *n = &pages.notes[pages.note_count++];
    memcpy(n->what, w->what, sizeof n->what);
    n->site = w->site;
    n->node_made_at = w->node_made_at;
    describe_interrupted_frames(instruction, &n->host);
    n->verb = w->verbs[written];
    n->writes = writes;
    n->address = address;
}

#if defined __x86_64__
enum { TRAP_FLAG = 0x100, FAULT_WRITES = 2 };

static bool access_writes(const ucontext_t *c)
{
    return c->uc_mcontext.gregs[REG_ERR] & FAULT_WRITES;
}

static void on_step(int signal_number, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    (void)info;
    if (open_page.page == 0) {
        signal(signal_number, SIG_DFL);
        return;
    }
    c->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    protect(open_page.page, open_page.page + 1, open_page.protection);
    open_page.page = 0;
}

/* The page is open for one instruction. */
static bool single_step(uint64_t page, int protection, ucontext_t *c)
{
    struct sigaction now, ours = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (open_page.page != 0 || pages.steps >= MOST_STEPS || sigaction(SIGTRAP, NULL, &now) != 0 ||
        (now.sa_sigaction != on_step && now.sa_handler != SIG_DFL)) {
        return false;
    }
    sigaction(SIGTRAP, &ours, NULL);
    pages.steps++;
    open_page.page = page;
    open_page.protection = protection;
    c->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    return true;
}
#else
static bool access_writes(const ucontext_t *c)
{
    (void)c;
    return true; /* not known: a guard that forbids reading is reported as what it is */
}

static bool single_step(uint64_t page, int protection, ucontext_t *c)
{
    (void)page, (void)protection, (void)c;
    return false;
}
#endif

static const struct guarded_pages *guard_of(uint64_t page)
{
    const struct guarded_pages *found = NULL;
    for (size_t i = 0; i < pages.count; i++) {
        if (pages.list[i].first <= page && page < pages.list[i].end) {
            found = &pages.list[i]; /* the last one holds */
        }
    }
    return found;
}

/* The same address again and again is no guard of ours but a fault of the program's. */
static bool is_stuck(uint64_t address)
{
    enum { MOST_TIMES = 1000 }; /* other threads may close a page again: a few times, not so many */
    static _Thread_local uint64_t last;
    static _Thread_local unsigned times;
    times = address == last ? times + 1 : 0;
    last = address;
    return times > MOST_TIMES;
}

bool hazard_fault(void *address, void *context)
{
    const uint64_t at = (uint64_t)(uintptr_t)address, page = at / BYTE_SET_PAGE;
    ucontext_t *c = context;
    bool written = false;
    if (!hazard_is_open() || is_stuck(at)) {
        return false;
    }
    pthread_mutex_lock(&hazard_common.lock);
    const struct guarded_pages *g = guard_of(page);
    if (g != NULL && pages.closed) { /* else another thread has opened it just now */
        const bool writes = access_writes(c);
        const struct hazard_work *w = work_at(at, writes, &written);
        if (w != NULL) {
            note(w, at, written, writes, host_instruction_of(c));
        }
        protect(page, page + 1, PROT_READ | PROT_WRITE);
        if (w == NULL) {
            single_step(page, g->protection, c);
        }
    }
    pthread_mutex_unlock(&hazard_common.lock);
    return g != NULL;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void tell(const struct note *n)
{
    char array[448], place[512], text[2048], identity[1400];
    const char *line = describe_line(describe_site_of(&n->host));
    struct hazard_work w = {.site = n->site, .node_made_at = n->node_made_at};
    memcpy(w.what, n->what, sizeof w.what);
    hazard_array(n->address, array, sizeof array);
    hazard_place(&w, place, sizeof place);
    snprintf(identity, sizeof identity, "host %s|%s", place, line);
    snprintf(text, sizeof text,
             "simt: race of host and device: %s: %s by %s, %s by the host%s%s: nothing waits for "
             "the device between. Cure: cudaDeviceSynchronize() (or cudaStreamSynchronize(), "
             "cudaEventSynchronize()) before the host's access",
             array, n->verb, place, n->writes ? "written" : "read", line[0] != '\0' ? " at " : "",
             line);
    hazard_tell(identity, text);
}

void hazard_pages_tell(void)
{
    for (unsigned i = 0; i < pages.note_count; i++) {
        tell(&pages.notes[i]);
    }
    pages.note_count = 0;
}
