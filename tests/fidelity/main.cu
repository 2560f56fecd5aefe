/* main.cu - runs the kernels of this folder, one launch after the other, and hashes what they
 * wrote.
 *
 *   fidelity [--list] [--kernel NAME,NAME,...]
 *
 * Prints launch,kernel,output_hash: the number of the launch as ncu and the simulator's report
 * count them, the name of the pattern, and the FNV-1a hash of the output. Called by ncu.sh on a
 * GPU and by compare on the simulator. */
#include "tests/fidelity/fidelity.h"

#include "common/verify.h"

#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { ZEROED_BYTES = 1 << 16, PERMUTED = 1024, NAME_BYTES = 96 };

static const struct fidelity_family *const themes[] = {global_families, shared_families,
                                                       atomic_families, flow_families,
                                                       space_families,  tile_families};

/* FNV-1a, 64 bits (Fowler, Noll and Vo; offset basis and prime as published). */
static uint64_t fnv1a(uint64_t hash, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void open_io(struct fidelity_io *io)
{
    static uint32_t words[WORDS], permutation[PERMUTED];
    struct rng rng = rng_start(7);
    void *d_in, *d_permutation;

    for (uint32_t &word : words) {
        word = (uint32_t)rng_next(&rng);
    }
    for (uint32_t i = 0; i < PERMUTED; i++) { /* inside-out shuffle */
        uint32_t j = (uint32_t)(rng_next(&rng) % (i + 1));
        permutation[i] = permutation[j];
        permutation[j] = i;
    }
    CUDA_CHECK(cudaMalloc(&d_in, IN_BYTES));
    CUDA_CHECK(cudaMalloc(&io->out, OUT_BYTES));
    CUDA_CHECK(cudaMalloc(&d_permutation, sizeof permutation));
    CUDA_CHECK(cudaMalloc((void **)&io->zeroed, ZEROED_BYTES));
    CUDA_CHECK(cudaMemcpy(d_in, words, IN_BYTES, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_permutation, permutation, sizeof permutation, cudaMemcpyHostToDevice));
    io->in = d_in;
    io->permutation = (const uint32_t *)d_permutation;
}

static void close_io(const struct fidelity_io *io)
{
    CUDA_CHECK(cudaFree((void *)io->in));
    CUDA_CHECK(cudaFree(io->out));
    CUDA_CHECK(cudaFree((void *)io->permutation));
    CUDA_CHECK(cudaFree(io->zeroed));
}

static uint64_t launch_and_hash(const struct fidelity_io *io, const struct fidelity_family *family,
                                int value)
{
    static unsigned char out[OUT_BYTES + ZEROED_BYTES];

    CUDA_CHECK(cudaMemset(io->out, 0xa5, OUT_BYTES));
    CUDA_CHECK(cudaMemset(io->zeroed, 0, ZEROED_BYTES));
    family->launch(io, value);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(out, io->out, OUT_BYTES, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(out + OUT_BYTES, io->zeroed, ZEROED_BYTES, cudaMemcpyDeviceToHost));
    return fnv1a(UINT64_C(0xcbf29ce484222325), out, sizeof out);
}

struct run {
    const struct fidelity_io *io; /* NULL: list only */
    const char *only;             /* names, separated by commas; NULL: every launch */
    unsigned launches;
};

static bool is_among(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length) {
        bool begins = at == names || at[-1] == ',';
        if (begins && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static void run_family(struct run *run, const struct fidelity_family *family)
{
    for (int value = family->first; value <= family->last; value++) {
        char name[NAME_BYTES];
        snprintf(name, sizeof name, family->first < family->last ? "%s_%d" : "%s", family->name,
                 value);
        if (run->only && !is_among(run->only, name)) {
            continue;
        }
        if (run->io) {
            uint64_t hash = launch_and_hash(run->io, family, value);
            printf("%u,%s,%016llx\n", run->launches, name, (unsigned long long)hash);
        } else {
            printf("%s\n", name);
        }
        run->launches++;
    }
}

static void run_all(struct run *run)
{
    for (const struct fidelity_family *theme : themes) {
        for (; theme->name; theme++) {
            run_family(run, theme);
        }
    }
}

int main(int argc, char **argv)
{
    struct fidelity_io io;
    struct run run = {&io, NULL, 0};

    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        run.io = NULL;
        run_all(&run);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--kernel") == 0) {
        run.only = argv[2];
    } else if (argc != 1) {
        fprintf(stderr, "usage: fidelity [--list] [--kernel NAME,NAME,...]\n");
        return 2;
    }
    open_io(&io);
    printf("launch,kernel,output_hash\n");
    run_all(&run);
    close_io(&io);
    if (run.launches == 0) {
        fprintf(stderr, "fidelity: no kernel is called '%s'; --list shows them\n", run.only);
        return 2;
    }
    return 0;
}
