/* box_names.c - what a program in its box may name: memory that it allocated or was granted, and
 * the streams and events that it got. See box_state.h. */
#include "common/judge/box_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEMORY = 512, MOST_HANDLES = 512 };

static struct memory memories[MOST_MEMORY];
static unsigned memory_count;
static char names[MOST_MEMORY][32];
static const char nameless[] = "your allocation number ";

static struct {
    void *handle;
    bool event;
} handles[MOST_HANDLES];
static unsigned handle_count;

/* --- memory ----------------------------------------------------------------------------------- */

struct memory *box_memory_at(uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < memory_count; i++) {
        struct memory *m = &memories[i];
        if (!m->freed && address >= m->address && address - m->address <= m->bytes &&
            bytes <= m->bytes - (address - m->address)) {
            return m;
        }
    }
    return NULL;
}

/* An address that no runtime takes for memory, so that it reports the error and remembers it. */
void *box_address(uint64_t address, uint64_t bytes)
{
    return (void *)(uintptr_t)(box_memory_at(address, bytes) != NULL ? address : 8);
}

bool box_remember(uint64_t address, uint64_t bytes, uint64_t site, int whose)
{
    unsigned i = memory_count;
    for (unsigned k = 0; i == MOST_MEMORY && k < MOST_MEMORY; k++) {
        i = memories[k].freed ? k : i;
    }
    if (i == MOST_MEMORY) {
        return false;
    }
    memory_count += i == memory_count;
    memories[i] = (struct memory){.address = address, .bytes = bytes, .site = site, .whose = whose};
    return true;
}

const char *box_name_of(uint64_t address)
{
    const struct memory *const m = box_memory_at(address, 0);
    if (m == NULL) {
        return "memory of yours";
    }
    const size_t i = (size_t)(m - memories);
    snprintf(names[i], sizeof names[i], "%s%zu", nameless, i);
    return names[i];
}

/* In place, where the new words fit: they name the line instead of the number. */
void box_allocations_named(char *text, size_t size)
{
    char line[128], words[160];
    for (char *at = text; (at = strstr(at, nameless)) != NULL; at++) {
        char *rest;
        const unsigned long i = strtoul(at + strlen(nameless), &rest, 10);
        box_line(i < MOST_MEMORY ? memories[i].site : 0, line, sizeof line);
        const int length = snprintf(words, sizeof words, "your allocation%s%s%s",
                                    line[0] != '\0' ? " (" : "", line, line[0] != '\0' ? ")" : "");
        if ((size_t)(at - text) + (size_t)length + strlen(rest) < size) {
            memmove(at + length, rest, strlen(rest) + 1);
            memcpy(at, words, (size_t)length);
        }
    }
}

void box_grant(uint64_t address, uint64_t bytes) { box_remember(address, bytes, 0, OF_JUDGE); }

uint64_t box_site_of(uint64_t address)
{
    uint64_t best = UINT64_C(1) << 20, site = 0;
    for (unsigned i = 0; i < memory_count; i++) {
        const struct memory *m = &memories[i];
        const uint64_t end = m->address + m->bytes;
        const uint64_t away = address < m->address ? m->address - address
                              : address >= end     ? address - end
                                                   : 0;
        if (m->whose == OF_PROGRAM && away < best) {
            best = away;
            site = m->site;
        }
    }
    return site;
}

/* --- streams and events ------------------------------------------------------------------------
 */

static bool handle_is(uint64_t value, bool event)
{
    for (unsigned i = 0; i < handle_count; i++) {
        if ((uint64_t)(uintptr_t)handles[i].handle == value && handles[i].event == event) {
            return true;
        }
    }
    return false;
}

/* Stream 0 and the two that CUDA names by 1 and 2 need no permission. An unknown one becomes a
 * number that no stream has. */
cudaStream_t box_stream(uint64_t value)
{
    return (cudaStream_t)(uintptr_t)(value <= 2 || handle_is(value, false) ? value : 3);
}

cudaEvent_t box_event(uint64_t value)
{
    return (cudaEvent_t)(uintptr_t)(handle_is(value, true) ? value : 0);
}

cudaError_t box_new_handle(void *handle, bool event, cudaError_t code, uint64_t *result)
{
    if (code == cudaSuccess && handle_count == MOST_HANDLES) {
        code = cudaErrorMemoryAllocation;
    }
    if (code == cudaSuccess) {
        handles[handle_count].handle = handle;
        handles[handle_count++].event = event;
        *result = (uint64_t)(uintptr_t)handle;
    }
    return code;
}

void box_forget_handle(uint64_t value)
{
    for (unsigned i = 0; i < handle_count; i++) {
        if ((uint64_t)(uintptr_t)handles[i].handle == value) {
            handles[i] = handles[--handle_count];
        }
    }
}

void box_forget_names(void)
{
    for (unsigned i = 0; i < memory_count; i++) {
        if (memories[i].whose == OF_PROGRAM && !memories[i].freed) {
            cudaFree((void *)(uintptr_t)memories[i].address);
        }
    }
    memory_count = handle_count = 0;
}
