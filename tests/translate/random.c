/* random.c - random SEED COUNT [LENGTH] [keep]: are kernels made at random (random_kernel.h) the
 * same to the interpreter as translated? For each seed from SEED on, a kernel runs both ways, with
 * one worker, in whole and in broken warps: memory, registers, the counters of each instruction and
 * the words of a fault must be equal, bit for bit. `random rows` asks the same of each row of
 * random_ops.def alone. Exit code 1: something differs. */
#include "common/gpu/gpu_limits.h"
#include "common/simt/api/simt_state.h"
#include "tests/translate/random_kernel.h"

#include <stdlib.h>
#include <string.h>

enum { OUT_WORDS = RANDOM_WORDS + RANDOM_KEPT * RANDOM_THREADS, LAUNCHES = 3 };

/* A GPU of one of the two ways. */
struct side {
    struct simt *gpu;
    uint64_t in, out;
    struct simt_module *module;
    const struct simt_kernel *kernel;
    struct err e[LAUNCHES];
    struct simt_counters counters[LAUNCHES];
    struct site *sites[LAUNCHES];
    uint32_t kept[LAUNCHES][OUT_WORDS];
};

static struct side interpreted, translated;
static unsigned faults; /* launches that ended so */

/* Numbers of all sizes, and those at which something ends: as floats, halves and whole numbers. */
static uint32_t word(struct dice *d)
{
    static const uint32_t odd[] = {0,          0x80000000, 1,          0x7fffffff, 0xffffffff,
                                   0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001,
                                   0x7f800001, 0xffa00000, 0x00800000, 0x007fffff, 0x4f000000,
                                   0xcf000001, 0x5f800000, 0x7c003c00, 0xfc017e00, 0x7ff00000,
                                   0xfff80000, 0x3ff00000, 0x40490fdb, 0xc1c80000};
    const unsigned kind = dice_roll(d, 4);
    const float some = ((float)dice_roll(d, 20001) - 10000) / (float)(1 + dice_roll(d, 300));
    uint32_t bits;
    memcpy(&bits, &some, sizeof bits);
    return kind == 0   ? odd[dice_roll(d, sizeof odd / sizeof odd[0])]
           : kind == 1 ? dice_roll(d, 1u << 31) << dice_roll(d, 2)
           : kind == 2 ? dice_roll(d, 100)
                       : bits;
}

static void *host_of(struct side *s, uint64_t address, uint64_t bytes)
{
    return memory_host(simt_memory(s->gpu), address, bytes);
}

static void fill(struct side *s)
{
    struct dice d = {7};
    uint32_t *in = host_of(s, s->in, 4 * RANDOM_WORDS);
    for (unsigned i = 0; i < RANDOM_WORDS; i++) {
        in[i] = word(&d);
    }
    memset(host_of(s, s->out, 4 * OUT_WORDS), 0x55, 4 * OUT_WORDS);
}

static void open_side(struct side *s, const char *translate)
{
    struct err e = {0};
    setenv("SIMT_TRANSLATE", translate, 1);
    s->gpu = simt_open(gpu_limits_default(), 1, &e);
    if (s->gpu == NULL) {
        fprintf(stderr, "random: %s\n", e.text);
        exit(2);
    }
    struct memory *m = simt_memory(s->gpu);
    s->in = memory_alloc(m, 4 * RANDOM_WORDS, MEMORY_DEVICE, "in", NULL)->begin;
    s->out = memory_alloc(m, 4 * OUT_WORDS, MEMORY_DEVICE, "out", NULL)->begin;
}

static void launch(struct side *s, unsigned nth)
{
    static const struct simt_dim blocks[LAUNCHES] = {{64, 1, 1}, {37, 1, 1}, {96, 1, 1}};
    const uint64_t params[2] = {s->in, s->out};
    const size_t bytes = s->kernel->decoded->site_count * sizeof *s->sites[nth];
    const struct simt_launch l = {
        .kernel = s->kernel, .grid = {2, 1, 1}, .block = blocks[nth], .params = params};
    s->e[nth] = (struct err){0};
    fill(s);
    simt_run(s->gpu, &l, &s->counters[nth], &s->e[nth]);
    s->sites[nth] = malloc(bytes);
    memcpy(s->sites[nth], s->kernel->sites, bytes);
    memcpy(s->kept[nth], host_of(s, s->out, 4 * OUT_WORDS), 4 * OUT_WORDS);
}

/* false: it is rejected. */
static bool run(struct side *s, const char *text, size_t length)
{
    struct err e = {0};
    s->module = simt_module_load(s->gpu, text, length, "random.ptx", &e);
    s->kernel = s->module != NULL ? simt_module_kernel(s->module, "random", &e) : NULL;
    if (s->kernel == NULL) {
        printf("rejected: %s\n", e.text);
        return false;
    }
    for (unsigned i = 0; i < LAUNCHES; i++) {
        launch(s, i);
    }
    return true;
}

static void end(struct side *s)
{
    for (unsigned i = 0; i < LAUNCHES; i++) {
        free(s->sites[i]);
        s->sites[i] = NULL;
    }
    if (s->module != NULL) {
        simt_module_unload(s->module);
        s->module = NULL;
    }
}

static bool same_words(unsigned nth)
{
    const uint32_t *a = interpreted.kept[nth], *b = translated.kept[nth];
    for (unsigned i = 0; i < OUT_WORDS; i++) {
        if (a[i] != b[i]) {
            const unsigned kept = i - RANDOM_WORDS;
            printf(
                "launch %u: word %u (%s %u of thread %u): 0x%08x interpreted, 0x%08x translated\n",
                nth, i, i < RANDOM_WORDS ? "memory, not register" : "register word",
                kept % RANDOM_KEPT, kept / RANDOM_KEPT, a[i], b[i]);
            return false;
        }
    }
    return true;
}

static bool same_counts(unsigned nth)
{
    const struct kernel *k = interpreted.kernel->decoded;
    for (unsigned i = 0; i < k->site_count; i++) {
        const struct site *a = &interpreted.sites[nth][i], *b = &translated.sites[nth][i];
        if (memcmp(a, b, sizeof *a) != 0) {
            printf("launch %u: site %u, code %u (%s): %llu %llu %llu interpreted, %llu %llu %llu "
                   "translated\n",
                   nth, i, k->sites[i].insn, k->handlers[k->sites[i].insn]->name,
                   (unsigned long long)a->a, (unsigned long long)a->b, (unsigned long long)a->c,
                   (unsigned long long)b->a, (unsigned long long)b->b, (unsigned long long)b->c);
            return false;
        }
    }
    return memcmp(&interpreted.counters[nth], &translated.counters[nth],
                  sizeof translated.counters[nth]) == 0;
}

/* But for the first two digits of addresses: each GPU has its own. */
static bool same_text(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] == b[i] && a[i] != '\0') {
        i += strncmp(a + i, "0x", 2) == 0 && strlen(a + i) > 4 && strlen(b + i) > 4 ? 4 : 1;
    }
    return a[i] == b[i];
}

static bool same(unsigned nth)
{
    const struct err *a = &interpreted.e[nth], *b = &translated.e[nth];
    faults += a->code != SIMT_OK;
    if (a->code != b->code || !same_text(a->text, b->text)) {
        printf("launch %u: \"%s\" interpreted, \"%s\" translated\n", nth, a->text, b->text);
        return false;
    }
    return same_words(nth) && same_counts(nth);
}

/* Both ways; tells what differs. */
static bool compare(const char *text, size_t length)
{
    bool good = run(&interpreted, text, length) && run(&translated, text, length);
    for (unsigned i = 0; good && i < LAUNCHES; i++) {
        good = same(i);
    }
    if (good && translated.kernel->translation == NULL) {
        printf("is not translated\n");
    }
    end(&interpreted);
    end(&translated);
    return good;
}

int main(int argc, char **argv)
{
    const bool only_rows = argc > 1 && strcmp(argv[1], "rows") == 0;
    const char *having = only_rows && argc > 2 ? argv[2] : "";
    const uint64_t seed = argc > 1 && !only_rows ? strtoull(argv[1], NULL, 10) : 1;
    const unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
    const unsigned size = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 20;
    unsigned passed = 0, failed = 0;
    setenv("SIMT_MAX_INSTRUCTIONS", "1000000", 1);
    setenv("SIMT_EXITED_THREADS", "ignore", 1);
    setenv("SIMT_SHUFFLE", "poison", 1);
    open_side(&interpreted, "0");
    open_side(&translated, "2");
    for (unsigned i = 0; only_rows ? random_row(i) != NULL : i < count; i++) {
        char *text;
        size_t length;
        if (only_rows && strstr(random_row(i), having) == NULL) {
            continue;
        }
        FILE *f = open_memstream(&text, &length);
        if (only_rows) {
            random_row_kernel(f, i);
        } else {
            random_kernel(f, seed + i, size);
        }
        fclose(f);
        if (argc > 4) {
            fputs(text, stdout);
        }
        if (compare(text, length)) {
            passed++;
        } else {
            failed++;
            printf("seed %llu, length %u: differs%s%s\n", (unsigned long long)(seed + i), size,
                   only_rows ? ": " : "", only_rows ? random_row(i) : "");
        }
        fflush(stdout);
        free(text);
    }
    printf("%u launches ended with a fault\n%u passed, %u failed\n", faults, passed, failed);
    return failed > 0;
}
