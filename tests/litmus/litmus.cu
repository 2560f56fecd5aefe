/* litmus.cu - outcomes that PTX's memory model forbids never come out.
 *
 * The shapes are the published ones (message passing, store buffering, load buffering, independent reads of
 * independent writes, write-to-read causality, coherence); PTX ISA, "Memory Consistency Model", says which
 * outcomes are forbidden with which fences and scopes. A role is a warp, each of its lanes plays a game of
 * its own: (x, y) of that lane. Roles are warps of one block where the scope is .cta, else of several blocks.
 * `./litmus [RUNS]`; VERBOSE=1 prints all outcomes. The last line: N passed, M failed. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* Roles go on together after each STEP games of a lane. Blocks beyond the roles end at once: the simulator
 * gives small grids to one thread. */
enum { LANES = 32, MOST_ROLES = 4, RESULTS = 4, STEP = 256, BLOCKS = 80 };

struct game {
    unsigned *x, *y;
    unsigned *r; /* results: r[0] .. r[3] lie `runs` words apart */
    unsigned runs;
};

#define STORE(op, at, value)  asm volatile(op " [%0], %1;" ::"l"(at), "r"(value) : "memory")
#define LOAD(op, at, result)  asm volatile(op " %0, [%1];" : "=r"(result) : "l"(at) : "memory")
#define FENCE(op)             asm volatile(op ";" ::: "memory")
#define EXCH(op, at, result, value)                                                                \
    asm volatile(op " %0, [%1], %2;" : "=r"(result) : "l"(at), "r"(value) : "memory")

/* A plain load behind a flag that has been seen; without the flag it would be a race of its own, whose
 * outcome PTX leaves open. */
#define LOAD_SEEN(at, flag, result)                                                                \
    result = 1;                                                                                    \
    if (flag != 0) {                                                                               \
        LOAD("ld.global.u32", at, result);                                                         \
    }

/* Two accesses of a role, with what stands between them. KEEP(n): that is result n. */
#define KEEP(n, value) g.r[(n) * g.runs] = (value)
#define TEST(NAME, ROLES, SCOPE, FORBIDDEN, BODY)                                                  \
    struct NAME {                                                                                  \
        static const int roles = ROLES;                                                            \
        static const bool one_block = SCOPE;                                                       \
        static __device__ void play(const game &g, int role, unsigned &a, unsigned &b)             \
        {                                                                                          \
            (void)a, (void)b;                                                                      \
            BODY;                                                                                  \
        }                                                                                          \
        static bool forbidden(const unsigned *r, unsigned x, unsigned y)                           \
        {                                                                                          \
            (void)r, (void)x, (void)y;                                                             \
            return FORBIDDEN;                                                                      \
        }                                                                                          \
    }
enum { ONE_BLOCK = true, MANY_BLOCKS = false };

/* Message passing: data, flag | flag, data. */
#define MP(NAME, SCOPE, WRITE, READ)                                                               \
    TEST(NAME, 2, SCOPE, r[0] == 1 && r[1] == 0, if (role == 0) { WRITE; } else {                  \
        READ;                                                                                      \
        KEEP(0, a);                                                                                \
        KEEP(1, b);                                                                                \
    })
#define MP_FENCE(NAME, SCOPE, FENCES, SUFFIX)                                                      \
    MP(NAME, SCOPE, STORE("st.global.u32", g.x, 1); FENCE(FENCES);                                 \
       STORE("st." SUFFIX ".u32", g.y, 1), LOAD("ld." SUFFIX ".u32", g.y, a);                      \
       FENCE(FENCES); LOAD_SEEN(g.x, a, b))
#define MP_RELEASE(NAME, SCOPE, S)                                                                 \
    MP(NAME, SCOPE, STORE("st.global.u32", g.x, 1); STORE("st.release." S ".u32", g.y, 1),         \
       LOAD("ld.acquire." S ".u32", g.y, a);                                                       \
       LOAD_SEEN(g.x, a, b))
MP_FENCE(mp_fence_gpu, MANY_BLOCKS, "fence.acq_rel.gpu", "relaxed.gpu.global");
MP_FENCE(mp_fence_sys_generic, MANY_BLOCKS, "fence.acq_rel.sys", "relaxed.sys");
MP_FENCE(mp_fence_cta, ONE_BLOCK, "fence.acq_rel.cta", "relaxed.cta.global");
MP_FENCE(mp_membar_volatile, MANY_BLOCKS, "membar.gl", "volatile.global");
MP_FENCE(mp_fence_sc_volatile, MANY_BLOCKS, "fence.sc.gpu", "volatile.global");
MP_RELEASE(mp_release_gpu, MANY_BLOCKS, "gpu");
MP_RELEASE(mp_release_sys, MANY_BLOCKS, "sys.global");
MP_RELEASE(mp_release_cta, ONE_BLOCK, "cta");
MP(mp_atom, MANY_BLOCKS, STORE("st.global.u32", g.x, 1);
   EXCH("atom.release.gpu.global.exch.b32", g.y, a, 1), EXCH("atom.acquire.gpu.global.or.b32", g.y, a, 0);
   LOAD_SEEN(g.x, a, b));

/* Store buffering: x, then y | y, then x. */
#define SB(NAME, SCOPE, FENCES, SUFFIX)                                                            \
    TEST(NAME, 2, SCOPE, r[0] == 0 && r[1] == 0, unsigned *mine = role == 0 ? g.x : g.y;           \
         unsigned *other = role == 0 ? g.y : g.x; STORE("st." SUFFIX ".u32", mine, 1);             \
         FENCE(FENCES); LOAD("ld." SUFFIX ".u32", other, a); KEEP(role, a))
SB(sb_fence_sc_gpu, MANY_BLOCKS, "fence.sc.gpu", "relaxed.gpu.global");
SB(sb_fence_sc_sys, MANY_BLOCKS, "fence.sc.sys", "relaxed.sys");
SB(sb_fence_sc_cta, ONE_BLOCK, "fence.sc.cta", "relaxed.cta.global");
SB(sb_membar_volatile, MANY_BLOCKS, "membar.gl", "volatile.global");
SB(sb_membar_sys_volatile, MANY_BLOCKS, "membar.sys", "volatile.global");

/* Load buffering: load x, store y | load y, store x. */
#define LB(NAME, SCOPE, LOADS, BETWEEN, STORES)                                                    \
    TEST(NAME, 2, SCOPE, r[0] == 1 && r[1] == 1, unsigned *mine = role == 0 ? g.x : g.y;           \
         unsigned *other = role == 0 ? g.y : g.x; LOAD(LOADS, mine, a); BETWEEN;                   \
         STORE(STORES, other, 1); KEEP(role, a))
LB(lb_fence_gpu, MANY_BLOCKS, "ld.relaxed.gpu.u32", FENCE("fence.acq_rel.gpu"), "st.relaxed.gpu.u32");
LB(lb_acquire_release, MANY_BLOCKS, "ld.acquire.gpu.global.u32", , "st.release.gpu.global.u32");
LB(lb_fence_cta, ONE_BLOCK, "ld.relaxed.cta.u32", FENCE("fence.acq_rel.cta"), "st.relaxed.cta.u32");
/* A value out of thin air: each stores what it has loaded. */
TEST(lb_dependent, 2, MANY_BLOCKS, r[0] != 0 || r[1] != 0, unsigned *mine = role == 0 ? g.x : g.y;
     unsigned *other = role == 0 ? g.y : g.x; LOAD("ld.relaxed.gpu.u32", mine, a);
     STORE("st.relaxed.gpu.u32", other, a); KEEP(role, a));

/* Independent reads of independent writes: x | y | x, then y | y, then x. */
#define IRIW(NAME, FENCES, S)                                                                      \
    TEST(NAME, 4, MANY_BLOCKS, r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0,                   \
         unsigned *first = role % 2 == 0 ? g.x : g.y; unsigned *second = role % 2 == 0 ? g.y : g.x;\
         if (role < 2) { STORE("st.relaxed." S ".u32", first, 1); } else {                         \
             LOAD("ld.relaxed." S ".u32", first, a);                                               \
             FENCE(FENCES);                                                                        \
             LOAD("ld.relaxed." S ".u32", second, b);                                              \
             KEEP(2 * role - 4, a);                                                                \
             KEEP(2 * role - 3, b);                                                                \
         })
IRIW(iriw_fence_sc_gpu, "fence.sc.gpu", "gpu");
IRIW(iriw_fence_sc_sys, "fence.sc.sys", "sys.global");

/* Write-to-read causality: x | x, then y | y, then x. */
TEST(wrc_fence_gpu, 3, MANY_BLOCKS, r[0] == 1 && r[1] == 1 && r[2] == 0, if (role == 0) {
         STORE("st.relaxed.gpu.u32", g.x, 1);
     } else if (role == 1) {
         LOAD("ld.relaxed.gpu.u32", g.x, a);
         FENCE("fence.acq_rel.gpu");
         STORE("st.relaxed.gpu.u32", g.y, 1);
         KEEP(0, a);
     } else {
         LOAD("ld.relaxed.gpu.u32", g.y, a);
         FENCE("fence.acq_rel.gpu");
         LOAD("ld.relaxed.gpu.u32", g.x, b);
         KEEP(1, a);
         KEEP(2, b);
     });

/* Coherence: what a thread has seen of a word, it does not see undone. */
#define CORR(NAME, SCOPE, SUFFIX)                                                                  \
    TEST(NAME, 2, SCOPE, r[0] > r[1], if (role == 0) {                                             \
        STORE("st." SUFFIX ".u32", g.x, 1);                                                        \
        STORE("st." SUFFIX ".u32", g.x, 2);                                                        \
    } else {                                                                                       \
        LOAD("ld." SUFFIX ".u32", g.x, a);                                                         \
        LOAD("ld." SUFFIX ".u32", g.x, b);                                                         \
        KEEP(0, a);                                                                                \
        KEEP(1, b);                                                                                \
    })
CORR(corr_relaxed_gpu, MANY_BLOCKS, "relaxed.gpu.global");
CORR(corr_relaxed_sys, MANY_BLOCKS, "relaxed.sys");
CORR(corr_relaxed_cta, ONE_BLOCK, "relaxed.cta.global");
CORR(corr_volatile, MANY_BLOCKS, "volatile.global");
/* The last store of a word is the one that stays: of one thread's two, the second. */
TEST(coww_relaxed_gpu, 2, MANY_BLOCKS, x == 1 || y == 1, STORE("st.relaxed.gpu.u32", role == 0 ? g.x : g.y, 1);
     STORE("st.relaxed.gpu.u32", role == 0 ? g.x : g.y, 2));
/* 2+2W: x = 1, y = 2 | y = 1, x = 2. */
TEST(two_plus_two_fence_sc, 2, MANY_BLOCKS, x == 1 && y == 1,
     STORE("st.relaxed.gpu.u32", role == 0 ? g.x : g.y, 1); FENCE("fence.sc.gpu");
     STORE("st.relaxed.gpu.u32", role == 0 ? g.y : g.x, 2));
/* An atomic is one: of two that add, one finds 0 and the other 1. */
TEST(atom_add, 2, MANY_BLOCKS, r[0] + r[1] != 1 || x != 2,
     EXCH("atom.relaxed.gpu.global.add.u32", g.x, a, 1); KEEP(role, a));
/* Nothing comes between the load and the store of an atomic, be the other store no atomic. */
TEST(atom_beside_store, 2, MANY_BLOCKS, x == 1, if (role == 0) {
         EXCH("atom.relaxed.gpu.global.add.u32", g.x, a, 1);
     } else { STORE("st.relaxed.gpu.global.u32", g.x, 8); });

/* All roles are here: without an order that would help the game. */
static __device__ void meet(unsigned *arrived, unsigned of)
{
    if (threadIdx.x % LANES == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < of) {
        }
    }
    __syncwarp();
}

template <typename Test>
__global__ void roles(unsigned *x, unsigned *y, unsigned *r, unsigned *arrived, unsigned runs)
{
    const int role = Test::one_block ? threadIdx.x / LANES : blockIdx.x;
    if (role >= Test::roles || (Test::one_block && blockIdx.x > 0)) {
        return;
    }
    for (unsigned i = threadIdx.x % LANES, step = 0; i < runs; i += LANES, step++) {
        if (step % STEP == 0) {
            meet(arrived, (step / STEP + 1) * Test::roles);
        }
        const game g = {x + i, y + i, r + i, runs};
        unsigned a, b;
        Test::play(g, role, a, b);
    }
}

struct arrays {
    unsigned *x, *y, *r, *arrived;
};

static int passed, failed;

template <typename Test> static void run(const char *name, const arrays &d, unsigned runs)
{
    const size_t words = (2 + RESULTS) * (size_t)runs;
    unsigned *host = (unsigned *)malloc(words * sizeof *host);
    unsigned bad = 0, outcomes[81] = {0};
    cudaMemset(d.x, 0, words * sizeof *host);
    cudaMemset(d.arrived, 0, sizeof *host);
    roles<Test><<<BLOCKS, Test::one_block ? LANES * Test::roles : LANES>>>(d.x, d.y, d.r, d.arrived, runs);
    const cudaError_t code = cudaMemcpy(host, d.x, words * sizeof *host, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < runs && code == cudaSuccess; i++) {
        unsigned r[RESULTS], outcome = 0;
        for (int k = 0; k < RESULTS; k++) {
            r[k] = host[(2 + k) * (size_t)runs + i];
            outcome = 3 * outcome + (r[k] < 3 ? r[k] : 2);
        }
        outcomes[outcome]++;
        bad += Test::forbidden(r, host[i], host[runs + (size_t)i]);
    }
    const bool good = code == cudaSuccess && bad == 0;
    passed += good;
    failed += !good;
    if (!good || getenv("VERBOSE") != NULL) {
        printf("%s: %u of %u runs came out as PTX forbids (%s);", name, bad, runs, cudaGetErrorString(code));
        for (unsigned k = 0; k < 81; k++) {
            if (outcomes[k] > 0) {
                printf(" %u%u%u%u: %u", k / 27, k / 9 % 3, k / 3 % 3, k % 3, outcomes[k]);
            }
        }
        printf("\n");
    }
    free(host);
}
#define RUN(test) run<test>(#test, d, runs)

int main(int argc, char **argv)
{
    const unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 1000000;
    arrays d;
    cudaMalloc(&d.x, (2 + RESULTS) * (size_t)runs * sizeof *d.x);
    cudaMalloc(&d.arrived, sizeof *d.arrived);
    d.y = d.x + runs;
    d.r = d.y + runs;
    RUN(mp_fence_gpu);
    RUN(mp_fence_sys_generic);
    RUN(mp_fence_cta);
    RUN(mp_membar_volatile);
    RUN(mp_fence_sc_volatile);
    RUN(mp_release_gpu);
    RUN(mp_release_sys);
    RUN(mp_release_cta);
    RUN(mp_atom);
    RUN(sb_fence_sc_gpu);
    RUN(sb_fence_sc_sys);
    RUN(sb_fence_sc_cta);
    RUN(sb_membar_volatile);
    RUN(sb_membar_sys_volatile);
    RUN(lb_fence_gpu);
    RUN(lb_acquire_release);
    RUN(lb_fence_cta);
    RUN(lb_dependent);
    RUN(iriw_fence_sc_gpu);
    RUN(iriw_fence_sc_sys);
    RUN(wrc_fence_gpu);
    RUN(corr_relaxed_gpu);
    RUN(corr_relaxed_sys);
    RUN(corr_relaxed_cta);
    RUN(corr_volatile);
    RUN(coww_relaxed_gpu);
    RUN(two_plus_two_fence_sc);
    RUN(atom_add);
    RUN(atom_beside_store);
    cudaFree(d.x);
    cudaFree(d.arrived);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
