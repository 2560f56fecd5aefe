/* fault.c - what the simulator said about a fault, in the words of the exercise: the address
 * becomes an element of one of its arrays, and the line must be one of the learner's. */
#include "common/judge/learner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char MISALIGNED[] = " is misaligned: ";

/* What this process wrote on stderr, which main.c turned into a file. */
static void read_stderr(char *text, size_t size)
{
    fflush(stderr);
    const ssize_t length = pread(STDERR_FILENO, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
}

static uint32_t own_line(const struct judge *j, const char *text)
{
    const char *slash = strrchr(j->source, '/');
    char wanted[256];
    snprintf(wanted, sizeof wanted, " at %s:", slash != NULL ? slash + 1 : j->source);
    const char *at = strstr(text, wanted);
    return at != NULL ? (uint32_t)strtoul(at + strlen(wanted), NULL, 10) : 0;
}

/* "that is out[20481], but out has 20481 elements: 0 to 20480" for the address in the text; "" if
 * it is near none. */
static void element_of(const struct judge *j, const char *text, char *into, size_t size)
{
    const char *at = strstr(text, " at 0x");
    into[0] = '\0';
    if (at == NULL) {
        return;
    }
    const uint64_t address = strtoull(at + 4, NULL, 16);
    const struct judge_buffer *b = judge_buffer_at(j, address);
    if (b == NULL) {
        return;
    }
    const int64_t bytes = (int64_t)(address - (uint64_t)(uintptr_t)b->device);
    const int64_t element = bytes >= 0 ? bytes / 4 : -((3 - bytes) / 4);
    if (strstr(text, MISALIGNED) != NULL) {
        snprintf(into, size, "it begins at %s[%" PRId64 "]\n", b->name, element);
    } else if (strstr(text, "out of bounds") == NULL) {
        snprintf(into, size, "that is %s[%" PRId64 "]\n", b->name, element);
    } else if (element >= 0 && (uint64_t)element < b->count) {
        snprintf(into, size,
                 "it begins at %s[%" PRId64 "] and ends behind the last element, %s[%zu]\n",
                 b->name, element, b->name, b->count - 1);
    } else if (b->count == 0) {
        snprintf(into, size, "that is %s[%" PRId64 "], but %s has no elements\n", b->name, element,
                 b->name);
    } else {
        snprintf(into, size, "that is %s[%" PRId64 "], but %s has %zu elements: 0 to %zu\n",
                 b->name, element, b->name, b->count, b->count - 1);
    }
}

/* Of an address near none of the exercise's arrays. Memory that the learner allocated has no name
 * here. "that is right behind the end of the nearest allocation, 5121 bytes, made at
 * 04_six_steps.cu:24", as the simulator says; else "". Where it was made only the box knows. */
static void neighbour_of(const char *text, char *into, size_t size)
{
    char line[128] = "";
    const char *from = strstr(text, "that is ");
    into[0] = '\0';
    if (strstr(text, "it is no device address") != NULL) {
        snprintf(into, size, "%s",
                 "that is no memory of the GPU: is it a pointer of the host, or NULL?\n");
        return;
    }
    if (from == NULL) {
        from = strstr(text, "it starts inside");
    }
    const char *address = from != NULL ? strstr(from, " at 0x") : NULL;
    const char *const fault = strstr(text, " at 0x");
    if (address == NULL) {
        return;
    }
    const bool inside = strncmp(from, "it starts", 9) == 0;
    box_line(box_site_of(strtoull(fault + 4, NULL, 16)), line, sizeof line);
    snprintf(into, size, "%.*s%s%s%s\n", (int)(address - from), from,
             inside ? " and ends outside" : "", line[0] != '\0' ? ";\nallocated at " : "", line);
}

/* Behind "simt: ", and behind a place in the judge: "box_process.c:180: twice: a block of ...". */
static const char *without_place(const char *text)
{
    text += strncmp(text, "simt: ", 6) == 0 ? 6 : 0;
    const char *const colon = strchr(text, ':');
    if (colon != NULL && strcspn(text, " \n") > (size_t)(colon - text)) {
        const char *const behind = colon + 1 + strspn(colon + 1, "0123456789");
        text = behind > colon + 1 && strncmp(behind, ": ", 2) == 0 ? behind + 2 : text;
    }
    return text;
}

/* "block (3,0,0), thread (4,0,0): global store of 4 bytes" from the simulator's line, and what it
 * says of an address that is misaligned. */
static void what_happened(const char *text, char *into, size_t size)
{
    static const char *const ends[] = {" at 0x", "; launched", " (set SIMT_", " (with SIMT_", "\n"};
    const char *const block = strstr(text, "block (");
    const char *const from = block != NULL ? block : without_place(text);
    const char *const misaligned = strstr(from, MISALIGNED);
    size_t length = strlen(from);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const char *const end = strstr(from, ends[i]);
        length = end != NULL && (size_t)(end - from) < length ? (size_t)(end - from) : length;
    }
    snprintf(into, size, "%.*s%.*s\n", (int)length, from,
             misaligned != NULL ? (int)strcspn(misaligned, ";\n(") : 0,
             misaligned != NULL ? misaligned : "");
}

/* "out[2]" for "the 82372 bytes of out, byte 8", wherever it stands. */
static void name_elements(const struct judge *j, char *text)
{
    for (unsigned i = 0; i < j->buffer_count; i++) {
        const struct judge_buffer *b = &j->buffers[i];
        char words[200];
        const int length =
            snprintf(words, sizeof words, "the %zu bytes of %s, byte ", b->count * 4, b->name);
        for (char *at = text; (at = strstr(at, words)) != NULL; at++) {
            char *rest, element[200];
            const unsigned long long byte = strtoull(at + length, &rest, 10);
            const int written = snprintf(element, sizeof element, "%s[%llu]", b->name, byte / 4);
            memmove(at + written, rest, strlen(rest) + 1);
            memcpy(at, element, (size_t)written);
        }
    }
}

/* What SIMT_CHECK found: one line for each finding. The first is reported, without the cure. */
void judge_findings(struct judge *j)
{
    char text[4096];
    read_stderr(text, sizeof text);
    name_elements(j, text);
    box_allocations_named(text, sizeof text);
    const char *race = strstr(text, "simt: race in "), *read = strstr(text, "simt: uninitialised");
    const char *said = race != NULL ? race : read; /* the one may well cause the other */
    if (said == NULL) {
        return;
    }
    const char *what = strstr(said, "): ");
    what = what != NULL ? what + 3 : said;
    const char *end = strstr(what, " Cure: ");
    size_t length = end != NULL ? (size_t)(end - what) : strcspn(what, "\n");
    judge_end(j, said == race ? JUDGE_RACE : JUDGE_UNINITIALISED, own_line(j, said), "", "%.*s\n",
              (int)length, what);
}

void judge_fault(struct judge *j, enum judge_kind kind, const char *otherwise)
{
    char text[4096], what[600], element[400];
    judge_findings(j); /* a race before it may well be its cause */
    read_stderr(text, sizeof text);
    const char *said = strstr(text, "simt: kernel ");
    said = said != NULL ? said : strstr(text, "simt: ");
    if (said == NULL) {
        judge_end(j, kind, 0, "", "%s\n", otherwise);
    }
    if (kind == JUDGE_CRASH && strstr(said, "barrier") != NULL) {
        kind = JUDGE_BARRIER;
    }
    if (kind == JUDGE_CRASH &&
        (strstr(said, "takes no part") != NULL || strstr(said, "warp-wide") != NULL ||
         strstr(said, "every lane named in the mask") != NULL)) {
        kind = JUDGE_SHUFFLE;
    }
    what_happened(said, what, sizeof what);
    element_of(j, said, element, sizeof element);
    if (element[0] == '\0') {
        neighbour_of(said, element, sizeof element);
    }
    judge_end(j, kind, own_line(j, said), "", "%s%s", what, element);
}
