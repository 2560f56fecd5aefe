/* fatbin.c - reads fat binaries, as nvcc 13 and its fatbinary tool write them. The layout is
 * nowhere documented; this was found by comparing their output for known input, and all of it is
 * little-endian:
 *
 *   header (16 bytes)              entry (64 bytes, then options and names, then the payload)
 *    0 u32 magic 0xba55ed50         0 u16 kind: 1 PTX, 2 machine code (ELF)
 *    4 u16 version                  4 u32 header size, from the entry's start to its payload
 *    6 u16 header size              8 u64 payload size, with its padding
 *    8 u64 size of all entries     16 u32 compressed size, without padding; 0: not compressed
 *                                  20 u32 where two u32 lie: offset and length of ptxas's options
 *                                  28 u32 target: 80 is compute_80
 *                                  40 u64 flags: 0x2000 LZ4 block, 0x8000 Zstandard
 *                                  56 u64 uncompressed size
 *
 * LZ4's block format is documented at github.com/lz4/lz4, doc/lz4_Block_format.md. */
#include "ptx/fatbin.h"

#include "base/base.h"

#include <stdio.h>
#include <string.h>

enum {
    HEADER_BYTES = 16,
    ENTRY_BYTES = 64,
    KIND_PTX = 1,
    KIND_ELF = 2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    MAX_TEXT_BYTES = 512 << 20,
    LZ4_LEAST_MATCH = 4,
    LZ4_BEST_RATIO = 255 /* one byte of length stands for at most 255 bytes */
};

static const uint32_t wrapper_magic = 0x466243b1u;
static const unsigned char data_magic[4] = {0x50, 0xed, 0x55, 0xba};

struct fatbin_entry {
    unsigned kind, target;
    uint64_t flags;
    const unsigned char *payload;
    uint64_t payload_bytes, compressed_bytes, text_bytes;
    bool no_fmad;  /* ptxas is to get `--fmad false` */
    unsigned from; /* simtcc's `--simt-from=sm_75`: 75; 0: not there */
};

static uint64_t read_little(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;) {
        value = value << 8 | at[i];
    }
    return value;
}

const void *fatbin_unwrap(const void *wrapper, struct err *e)
{
    struct {
        uint32_t magic, version;
        const void *data;
    } head;
    memcpy(&head, wrapper, sizeof head);
    if (head.magic != wrapper_magic || head.data == NULL) {
        err_set(e,
                "the program's GPU code has no fat-binary wrapper (magic 0x%08x, expected "
                "0x%08x); build it with simtcc",
                head.magic, wrapper_magic);
        return NULL;
    }
    return head.data;
}

/* --- LZ4 ------------------------------------------------------------------------------------- */

struct bytes {
    const unsigned char *next, *end;
};

/* A length of 15 goes on in further bytes, until one that is not 255. */
static bool lz4_length(struct bytes *in, size_t *length)
{
    unsigned char more;
    if (*length != 15) {
        return true;
    }
    do {
        if (in->next == in->end) {
            return false;
        }
        more = *in->next++;
        *length += more;
    } while (more == 255);
    return true;
}

/* Sequences of literals and of matches, which repeat what is already there. True if `in` filled
 * `out` exactly. */
static bool lz4_decompress(struct bytes in, unsigned char *out, size_t out_bytes)
{
    size_t done = 0;
    while (in.next < in.end) {
        unsigned token = *in.next++;
        size_t literals = token >> 4, match = token & 15;
        if (!lz4_length(&in, &literals) || literals > (size_t)(in.end - in.next) ||
            literals > out_bytes - done) {
            return false;
        }
        memcpy(out + done, in.next, literals);
        in.next += literals;
        done += literals;
        if (in.next == in.end) { /* the last sequence has no match */
            break;
        }
        if (in.end - in.next < 2) {
            return false;
        }
        size_t distance = (size_t)read_little(in.next, 2);
        in.next += 2;
        if (!lz4_length(&in, &match) || distance == 0 || distance > done ||
            match + LZ4_LEAST_MATCH > out_bytes - done) {
            return false;
        }
        for (size_t i = 0; i < match + LZ4_LEAST_MATCH; i++, done++) {
            out[done] = out[done - distance]; /* may overlap: byte by byte, in order */
        }
    }
    return done == out_bytes;
}

/* --- entries --------------------------------------------------------------------------------- */

/* Where `word` ends in the options for ptxas; NULL: it is not there. */
static const unsigned char *behind_option(const unsigned char *at, uint64_t header_bytes,
                                          const char *word)
{
    const size_t bytes = strlen(word);
    const uint64_t place = read_little(at + 20, 4);
    if (place < ENTRY_BYTES || header_bytes < 8 || place > header_bytes - 8) {
        return NULL;
    }
    const uint64_t offset = read_little(at + place, 4), length = read_little(at + place + 4, 4);
    const unsigned char *found = offset <= header_bytes && length <= header_bytes - offset
                                     ? memmem(at + offset, (size_t)length, word, bytes)
                                     : NULL;
    return found != NULL ? found + bytes : NULL;
}

/* Two or three digits, in front of the payload at the latest. */
static unsigned read_from(const unsigned char *at, uint64_t header_bytes)
{
    const unsigned char *digit = behind_option(at, header_bytes, "--simt-from=sm_");
    unsigned from = 0;
    for (;
         digit != NULL && digit < at + header_bytes && *digit >= '0' && *digit <= '9' && from < 100;
         digit++) {
        from = 10 * from + (*digit - '0');
    }
    return from;
}

/* False: the entry does not lie within the `left` bytes at `at`. */
static bool read_entry(const unsigned char *at, uint64_t left, struct fatbin_entry *entry,
                       uint64_t *bytes)
{
    if (left < ENTRY_BYTES) {
        return false;
    }
    uint64_t header_bytes = read_little(at + 4, 4);
    uint64_t payload_bytes = read_little(at + 8, 8);
    if (header_bytes < ENTRY_BYTES || header_bytes > left || payload_bytes > left - header_bytes) {
        return false;
    }
    *bytes = header_bytes + payload_bytes;
    *entry = (struct fatbin_entry){
        .kind = (unsigned)read_little(at, 2),
        .target = (unsigned)read_little(at + 28, 4),
        .flags = read_little(at + 40, 8),
        .payload = at + header_bytes,
        .payload_bytes = payload_bytes,
        .compressed_bytes = read_little(at + 16, 4),
        .text_bytes = read_little(at + 56, 8),
        .no_fmad = behind_option(at, header_bytes, "--fmad false") != NULL,
        .from = read_from(at, header_bytes),
    };
    return true;
}

static bool entry_text(const struct fatbin_entry *entry, struct arena *a, const char **text,
                       size_t *length, struct err *e)
{
    const unsigned char *payload = entry->payload;
    if ((entry->flags & FLAG_LZ4) == 0) {
        *text = (const char *)payload;
        *length = strnlen(*text, (size_t)entry->payload_bytes);
        return true;
    }
    if (entry->compressed_bytes > entry->payload_bytes || entry->text_bytes == 0 ||
        entry->text_bytes > MAX_TEXT_BYTES ||
        entry->text_bytes / LZ4_BEST_RATIO > entry->compressed_bytes) {
        return err_set(e,
                       "the fat binary's PTX for compute_%u is damaged: %llu bytes cannot hold "
                       "%llu; build the program again",
                       entry->target, (unsigned long long)entry->compressed_bytes,
                       (unsigned long long)entry->text_bytes);
    }
    unsigned char *out = arena_alloc(a, (size_t)entry->text_bytes);
    struct bytes in = {payload, payload + entry->compressed_bytes};
    if (!lz4_decompress(in, out, (size_t)entry->text_bytes)) {
        return err_set(e,
                       "the fat binary's PTX for compute_%u is damaged: its LZ4 data do not "
                       "decompress; build the program again",
                       entry->target);
    }
    *text = (const char *)out;
    *length = strnlen(*text, (size_t)entry->text_bytes);
    return true;
}

/* What the options say, in the words of the PTX itself. */
static void append_options(const struct fatbin_entry *entry, struct arena *a, const char **text,
                           size_t *length)
{
    char pragmas[100] = "", from[40] = "";
    if (entry->from != 0) {
        snprintf(from, sizeof from, "//simt_from sm_%u\n", entry->from);
    }
    snprintf(pragmas, sizeof pragmas, "\n%s%s", entry->no_fmad ? ".pragma \"simt_no_fmad\";\n" : "",
             from);
    if (pragmas[1] != '\0') {
        const size_t more = strlen(pragmas);
        char *longer = arena_alloc(a, *length + more + 1);
        memcpy(longer, *text, *length);
        memcpy(longer + *length, pragmas, more + 1);
        *text = longer;
        *length += more;
    }
}

/* No PTX could be used: says what there was instead. */
static bool reject(const struct fatbin_entry *zstd, const struct fatbin_entry *elf, struct err *e)
{
    if (zstd->kind == KIND_PTX) {
        return err_set(e,
                       "the program's PTX for compute_%u is compressed with Zstandard, which "
                       "the simulator does not read; build it with simtcc, or give nvcc "
                       "--no-compress",
                       zstd->target);
    }
    if (elf->kind == KIND_ELF) {
        return err_set(e,
                       "the program holds machine code for sm_%u but no PTX; build it with "
                       "simtcc, or with nvcc -gencode arch=compute_80,code=compute_80 "
                       "--no-compress",
                       elf->target);
    }
    return err_set(e, "the program's fat binary holds no PTX; build it with simtcc");
}

/* Rather one for this GPU or an older one, of those the latest; else the oldest. gpu 0: any. */
static bool is_better(const struct fatbin_entry *entry, const struct fatbin_entry *than,
                      unsigned gpu)
{
    const bool runs = gpu == 0 || entry->target <= gpu, other = gpu == 0 || than->target <= gpu;
    if (than->kind == 0 || runs != other) {
        return than->kind == 0 || runs;
    }
    return runs ? entry->target >= than->target : entry->target < than->target;
}

static bool choose_entry(const unsigned char *at, uint64_t left, unsigned gpu,
                         struct fatbin_entry *best, struct err *e)
{
    struct fatbin_entry entry, zstd = {0}, elf = {0};
    uint64_t bytes;
    *best = (struct fatbin_entry){0};
    for (; left > 0; at += bytes, left -= bytes) {
        if (!read_entry(at, left, &entry, &bytes)) {
            return err_set(e, "the program's fat binary is damaged: an entry reaches beyond its "
                              "end; build the program again");
        }
        struct fatbin_entry *slot = NULL;
        if (entry.kind == KIND_ELF) {
            slot = &elf;
        } else if (entry.kind == KIND_PTX) {
            slot = (entry.flags & FLAG_ZSTD) != 0 ? &zstd : best;
        }
        if (slot != NULL && is_better(&entry, slot, gpu)) {
            *slot = entry;
        }
    }
    return best->kind == KIND_PTX || reject(&zstd, &elf, e);
}

/* --- the data -------------------------------------------------------------------------------- */

/* Byte by byte, so that a short text that ends in NUL is not read beyond it. */
static bool begins_with(const unsigned char *data, size_t limit, const void *what, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if ((limit != 0 && i >= limit) || data[i] != ((const unsigned char *)what)[i]) {
            return false;
        }
    }
    return true;
}

static bool is_text(const unsigned char *data, size_t limit)
{
    size_t i = 0;
    while ((limit == 0 || i < limit) &&
           (data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n')) {
        i++;
    }
    if (limit != 0 && i == limit) {
        return false;
    }
    size_t left = limit == 0 ? 0 : limit - i;
    return begins_with(data + i, left, "//", 2) || begins_with(data + i, left, "/*", 2) ||
           begins_with(data + i, left, ".version", 8);
}

bool fatbin_is_binary(const void *data) { return memcmp(data, data_magic, sizeof data_magic) == 0; }

bool fatbin_ptx(const void *data, size_t limit, unsigned gpu, struct arena *a, const char **text,
                size_t *length, struct err *e)
{
    const unsigned char *at = data;
    struct fatbin_entry entry;
    if (is_text(at, limit)) {
        *text = data;
        *length = limit == 0 ? strlen(*text) : strnlen(*text, limit);
        return true;
    }
    if (!begins_with(at, limit, data_magic, sizeof data_magic)) {
        return err_set(e, "the program's GPU code is neither PTX text nor a fat binary; build the "
                          "program with simtcc");
    }
    if (limit != 0 && limit < HEADER_BYTES) {
        return err_set(e, "the program's fat binary is damaged: its header is cut off; build the "
                          "program again");
    }
    uint64_t header_bytes = read_little(at + 6, 2), entries_bytes = read_little(at + 8, 8);
    if (header_bytes < HEADER_BYTES ||
        (limit != 0 && (header_bytes > limit || entries_bytes > limit - header_bytes))) {
        return err_set(e,
                       "the program's fat binary is damaged: its header names %llu bytes of "
                       "images; build the program again",
                       (unsigned long long)entries_bytes);
    }
    if (!choose_entry(at + header_bytes, entries_bytes, gpu, &entry, e) ||
        !entry_text(&entry, a, text, length, e)) {
        return false;
    }
    append_options(&entry, a, text, length);
    return true;
}
