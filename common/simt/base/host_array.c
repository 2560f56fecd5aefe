/* host_array.c - see host_array.h. */
#include "base/host_array.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/describe.h"

#define TAG_SECRET UINT64_C(0x73696d742d746167)

enum { CHUNK_HEAD = 16, SIZE_FLAGS = 7, IS_MAPPED = 2, LEAST_CHUNK = 32, PAGE = 4096 };

static uint64_t word_at(uint64_t address)
{
    uint64_t word;
    memcpy(&word, (const void *)(uintptr_t)address, sizeof word);
    return word;
}

static bool is_mapped(uint64_t address)
{
    unsigned char resident;
    return mincore((void *)(uintptr_t)(address & ~(uint64_t)(PAGE - 1)), 1, &resident) == 0;
}

/* ---- blocks of malloc ------------------------------------------------------------------------ */

static uint64_t tag_of(uint64_t block, uint64_t bytes) { return bytes ^ block ^ TAG_SECRET; }

void host_array_tag(void *block, uint64_t usable_bytes, uint64_t bytes)
{
    const uint64_t tag = tag_of((uint64_t)(uintptr_t)block, bytes);
    if (usable_bytes >= bytes + sizeof tag) {
        memcpy((unsigned char *)block + usable_bytes - sizeof tag, &tag, sizeof tag);
    }
}

/* What glibc notes before a block: its size with that head, and flags. A mapped block has its own
 * head to pay for, others share it with the next one. */
static uint64_t usable_of(uint64_t block)
{
    const uint64_t size = word_at(block - 8);
    return (size & ~(uint64_t)SIZE_FLAGS) - (size & IS_MAPPED ? CHUNK_HEAD : CHUNK_HEAD / 2);
}

/* The size that was asked for, or what there is. */
static uint64_t asked_for(uint64_t block, bool *exact)
{
    const uint64_t usable = usable_of(block);
    const uint64_t bytes = word_at(block + usable - HOST_ARRAY_TAG) ^ block ^ TAG_SECRET;
    *exact =
        bytes <= usable - HOST_ARRAY_TAG && usable - HOST_ARRAY_TAG - bytes < LEAST_CHUNK + PAGE;
    return *exact ? bytes : usable;
}

static struct {
    pthread_mutex_t lock;
    uint64_t heap; /* where the C library's heap begins; 0: not known yet */
    struct host_array latest;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_on_heap(uint64_t address)
{
    const uint64_t heap = __atomic_load_n(&known.heap, __ATOMIC_RELAXED);
    return heap != 0 && address > heap + CHUNK_HEAD && address < (uint64_t)(uintptr_t)sbrk(0);
}

/* Is it the beginning of a block that carries its size? Then that is sure. */
static bool is_tagged(uint64_t pointer, uint64_t *bytes)
{
    bool exact = false;
    const bool on_heap = is_on_heap(pointer); /* all of that is mapped: no need to ask */
    if (pointer % CHUNK_HEAD != 0 || (!on_heap && !is_mapped(pointer - CHUNK_HEAD))) {
        return false;
    }
    const uint64_t size = word_at(pointer - 8) & ~(uint64_t)SIZE_FLAGS;
    const uint64_t end = pointer + size - CHUNK_HEAD;
    if (size >= LEAST_CHUNK && end > pointer &&
        (on_heap ? is_on_heap(end + 7) : is_mapped(end - 1) && is_mapped(end + 7))) {
        *bytes = asked_for(pointer, &exact);
    }
    return exact;
}

/* Goes through the blocks from `first` on, one behind the other. */
static bool walk(uint64_t first, uint64_t end, bool mapped, uint64_t pointer,
                 struct host_array *out)
{
    for (uint64_t at = first; at + LEAST_CHUNK <= end;) {
        const uint64_t word = word_at(at + 8), size = word & ~(uint64_t)SIZE_FLAGS;
        if (size < LEAST_CHUNK || size % CHUNK_HEAD != 0 || size > end - at ||
            mapped != ((word & IS_MAPPED) != 0) || (mapped && size % PAGE != 0)) {
            return false;
        }
        const bool is_last = at + size == end; /* what is left of the heap: no array's */
        if (pointer < at + size) {
            bool exact;
            out->begin = at + CHUNK_HEAD;
            out->bytes = asked_for(out->begin, &exact);
            out->kind = "malloc";
            return pointer >= out->begin && (mapped || !is_last);
        }
        at += size;
    }
    return false;
}

/* The mapping that holds the pointer: [begin, end), readable and of no file. */
static bool mapping_of(uint64_t pointer, uint64_t *begin, uint64_t *end, bool *is_heap)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    bool found = false;
    while (!found && maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long long from, to, inode;
        char rights[5] = "";
        if (sscanf(line, "%llx-%llx %4s %*s %*s %llu", &from, &to, rights, &inode) == 4 &&
            from <= pointer && pointer < to) {
            *begin = from;
            *end = to;
            *is_heap = strstr(line, "[heap]") != NULL;
            found = rights[0] == 'r' && inode == 0 && strstr(line, "[stack]") == NULL;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

/* The heap begins behind the program, wherever the kernel likes. */
static void learn_heap(uint64_t pointer)
{
    uint64_t begin, end;
    bool is_heap = false;
    if (known.heap == 0 && pointer < (uint64_t)(uintptr_t)sbrk(0) &&
        mapping_of(pointer, &begin, &end, &is_heap) && is_heap) {
        __atomic_store_n(&known.heap, begin, __ATOMIC_RELAXED);
    }
}

static bool block_around(uint64_t pointer, struct host_array *out)
{
    uint64_t begin, end;
    bool is_heap = false, found;
    pthread_mutex_lock(&known.lock);
    const struct host_array *latest = &known.latest;
    if (latest->bytes > 0 && pointer - latest->begin < latest->bytes) {
        uint64_t bytes;
        if (is_tagged(latest->begin, &bytes) && bytes == latest->bytes) {
            *out = *latest;
            pthread_mutex_unlock(&known.lock);
            return true;
        }
    }
    const uint64_t top = (uint64_t)(uintptr_t)sbrk(0);
    if (known.heap != 0 && pointer >= known.heap && pointer < top) {
        found = walk(known.heap, top, false, pointer, out);
    } else if (mapping_of(pointer, &begin, &end, &is_heap)) {
        if (is_heap) {
            __atomic_store_n(&known.heap, begin, __ATOMIC_RELAXED);
        }
        found = walk(begin, is_heap ? top : end, !is_heap, pointer, out);
    } else {
        found = false;
    }
    if (found) {
        known.latest = *out;
    }
    pthread_mutex_unlock(&known.lock);
    return found;
}

/* ---- variables ------------------------------------------------------------------------------- */

extern char __executable_start __attribute__((weak));
extern char _end __attribute__((weak));

static int base_of_program(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uint64_t *)base = info->dlpi_addr;
    return 1; /* the first is the program */
}

/* The file of this program, mapped once for good. */
static const Elf64_Ehdr *program_file(uint64_t *bytes)
{
    static const Elf64_Ehdr *mapped;
    static uint64_t mapped_bytes;
    static bool tried;
    pthread_mutex_lock(&known.lock);
    int file = tried ? -1 : open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > (off_t)sizeof(Elf64_Ehdr)) {
        void *at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        mapped = at != MAP_FAILED ? at : NULL;
        mapped_bytes = (uint64_t)status.st_size;
    }
    if (file >= 0) {
        close(file);
    }
    tried = true;
    pthread_mutex_unlock(&known.lock);
    *bytes = mapped_bytes;
    return mapped;
}

static const Elf64_Shdr *elf_symbols(const Elf64_Ehdr *file, uint64_t bytes)
{
    const Elf64_Shdr *sections = (const void *)((const char *)file + file->e_shoff);
    if (memcmp(file->e_ident, ELFMAG, SELFMAG) != 0 || file->e_shoff == 0 ||
        file->e_shoff + (uint64_t)file->e_shnum * sizeof *sections > bytes) {
        return NULL;
    }
    for (unsigned i = 0; i < file->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type == SHT_SYMTAB && s->sh_link < file->e_shnum &&
            s->sh_offset + s->sh_size <= bytes &&
            sections[s->sh_link].sh_offset + sections[s->sh_link].sh_size <= bytes) {
            return s;
        }
    }
    return NULL;
}

static bool variable_at(uint64_t pointer, struct host_array *out)
{
    uint64_t bytes, base = 0;
    const Elf64_Ehdr *file = program_file(&bytes);
    const Elf64_Shdr *table = file != NULL ? elf_symbols(file, bytes) : NULL;
    if (table == NULL) {
        return false;
    }
    dl_iterate_phdr(base_of_program, &base);
    const Elf64_Shdr *names =
        (const Elf64_Shdr *)(const void *)((const char *)file + file->e_shoff) + table->sh_link;
    const Elf64_Sym *symbols = (const void *)((const char *)file + table->sh_offset);
    for (uint64_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const Elf64_Sym *s = &symbols[i];
        if (ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_shndx != SHN_UNDEF &&
            pointer - base - s->st_value < s->st_size && s->st_name < names->sh_size) {
            out->begin = base + s->st_value;
            out->bytes = s->st_size;
            out->kind = "variable";
            snprintf(out->name, sizeof out->name, "%s",
                     (const char *)file + names->sh_offset + s->st_name);
            return true;
        }
    }
    return false;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* The return address lies at the end of a frame. */
static bool frame_around(uint64_t pointer, struct host_array *out)
{
    const uint64_t end = describe_frame_end((const void *)(uintptr_t)pointer);
    if (end == 0 || end - sizeof(void *) <= pointer) {
        return false;
    }
    out->begin = pointer;
    out->bytes = end - sizeof(void *) - pointer;
    out->kind = "stack";
    return true;
}

bool host_array_find(const void *where, struct host_array *out)
{
    const uint64_t pointer = (uint64_t)(uintptr_t)where;
    const uint64_t first = (uint64_t)(uintptr_t)&__executable_start,
                   last = (uint64_t)(uintptr_t)&_end;
    memset(out, 0, sizeof *out);
    if (first != 0 && pointer >= first && pointer < last) {
        return variable_at(pointer, out);
    }
#if defined __SANITIZE_ADDRESS__
    return frame_around(pointer, out); /* its malloc is another, and watches for itself */
#endif
    learn_heap(pointer);
    if (is_tagged(pointer, &out->bytes)) {
        out->begin = pointer;
        out->kind = "malloc";
        return true;
    }
    return frame_around(pointer, out) || block_around(pointer, out);
}

/* ---- the latest ones ------------------------------------------------------------------------- */

/* What was long enough a moment ago is not looked up again; what is too short is, before that is
 * reported. A frame is known by the return address at its end. */
enum { RECENT = 8 };
struct recent_array {
    uint64_t begin, end, back; /* back: of a frame, else 0 */
};
static _Thread_local struct {
    struct recent_array list[RECENT];
    unsigned next;
} latest;

bool host_array_was_enough(const void *where, uint64_t bytes)
{
    const uint64_t pointer = (uint64_t)(uintptr_t)where;
    for (unsigned i = 1; i <= RECENT; i++) { /* the newest first */
        const struct recent_array *r = &latest.list[(latest.next - i) % RECENT];
        if (pointer >= r->begin && pointer < r->end && bytes <= r->end - pointer &&
            (r->back == 0 || (pointer > (uint64_t)(uintptr_t)__builtin_frame_address(0) &&
                              word_at(r->end) == r->back))) {
            return true;
        }
    }
    return false;
}

bool host_array_has(const void *where, uint64_t bytes, struct host_array *out)
{
    if (!host_array_find(where, out)) {
        return true;
    }
    const uint64_t pointer = (uint64_t)(uintptr_t)where, end = out->begin + out->bytes;
    const bool has = bytes <= end - pointer;
    if (has) {
        latest.list[latest.next++ % RECENT] =
            (struct recent_array){out->begin, end, out->kind[0] == 's' ? word_at(end) : 0};
    }
    return has;
}
