/* curand.c - our cuRAND for the host: generators. */
#include "libraries/curand_state.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "libraries/objects.h"
#include "libraries/sobol.h"
#include "runtime/library.h"

static struct handle_pool generators = HANDLE_POOL(struct curandGenerator_st);

bool curand_is_quasi(curandRngType_t type) { return type >= CURAND_RNG_QUASI_DEFAULT; }

bool curand_is_live(curandGenerator_t g) { return g != NULL && handle_is_live(&generators, g); }

/* ---- generators ------------------------------------------------------------------------------ */

static curandStatus_t create(const char *call, curandGenerator_t *generator, curandRngType_t type,
                             bool on_host)
{
    switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
        break;
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
        simt_library_say(
            call, "this generator is not simulated: MTGP32 and scrambled sequences need tables of "
                  "NVIDIA's; XORWOW, MRG32k3a, MT19937, Philox and Sobol' are there");
        return CURAND_STATUS_TYPE_ERROR;
    default:
        return CURAND_STATUS_TYPE_ERROR;
    }
    *generator = handle_create(&generators);
    (*generator)->type = type == CURAND_RNG_QUASI_DEFAULT ? CURAND_RNG_QUASI_SOBOL32 : type;
    (*generator)->on_host = on_host;
    (*generator)->dimensions = 1;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    return create("curandCreateGenerator", generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
    return create("curandCreateGeneratorHost", generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
    if (!curand_is_live(g)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    engine_free(g->engine);
    handle_destroy(&generators, g);
    return CURAND_STATUS_SUCCESS;
}

/* The next value is the first again. */
static void begin_again(curandGenerator_t g)
{
    engine_free(g->engine);
    g->engine = NULL;
    g->position = 0;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
    if (!curand_is_live(g)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (curand_is_quasi(g->type)) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    g->seed = seed;
    begin_again(g);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
    if (!curand_is_live(g)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    g->offset = offset;
    begin_again(g);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
    if (!curand_is_live(g)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    return curand_is_quasi(g->type) == (order == CURAND_ORDERING_QUASI_DEFAULT)
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions)
{
    if (!curand_is_live(g)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (!curand_is_quasi(g->type)) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (dimensions < 1 || dimensions > SOBOL_DIMENSIONS) {
        simt_library_say("curandSetQuasiRandomGeneratorDimensions",
                         "%u dimensions: 1 to %d are simulated", dimensions, SOBOL_DIMENSIONS);
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    g->dimensions = dimensions;
    begin_again(g);
    return CURAND_STATUS_SUCCESS;
}

LIBRARY_SET(curand, CURAND, curand_is_live, curandGenerator_t, curandSetStream, cudaStream_t,
            stream)

/* An offset is so many values that are drawn and dropped: of each lane its share. */
void curand_make_engine(curandGenerator_t g)
{
    if (g->engine != NULL || curand_is_quasi(g->type)) {
        return;
    }
    g->engine = engine_new(g->type, g->seed);
    const unsigned lanes = engine_lanes(g->engine);
    for (uint64_t i = 0; i < g->offset; i++) {
        engine_draw(g->engine, (unsigned)(i % lanes));
    }
    g->position = g->offset;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t g)
{
    if (!curand_is_live(g)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    curand_make_engine(g);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version)
{
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
    *value = type == MAJOR_VERSION ? CURAND_VERSION / 1000 : type == MINOR_VERSION ? 4 : 0;
    return CURAND_STATUS_SUCCESS;
}

/* ---- direction vectors ----------------------------------------------------------------------- */

/* In pages of their own that end with the last one that we have: what reads on behind it is stopped
 * there, and not given vectors of nothing. */
static void *new_table(size_t bytes)
{
    const size_t page = 4096, pages = (bytes + page - 1) / page * page;
    char *at = mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        return NULL;
    }
    mprotect(at + pages, page, PROT_NONE);
    return at + pages - bytes;
}

static curandStatus_t reject_set(const char *call)
{
    simt_library_say(call, "scrambled direction vectors are not simulated");
    return CURAND_STATUS_OUT_OF_RANGE;
}

/* The directions of the quasirandom numbers of `bits` bits: the upper ones of those that we have.
 */
#define DIRECTION_VECTORS(bits, type)                                                              \
    curandStatus_t curandGetDirectionVectors##bits(curandDirectionVectors##bits##_t *vectors[],    \
                                                   curandDirectionVectorSet_t set)                 \
    {                                                                                              \
        static curandDirectionVectors##bits##_t *table;                                            \
        if (set != CURAND_DIRECTION_VECTORS_##bits##_JOEKUO6) {                                    \
            return reject_set("curandGetDirectionVectors" #bits);                                  \
        }                                                                                          \
        if (table == NULL && (table = new_table(SOBOL_DIMENSIONS * sizeof *table)) == NULL) {      \
            return CURAND_STATUS_ALLOCATION_FAILED;                                                \
        }                                                                                          \
        for (unsigned d = 0; d < SOBOL_DIMENSIONS; d++) {                                          \
            uint64_t v[SOBOL_BITS];                                                                \
            sobol_directions(d, v);                                                                \
            for (unsigned i = 0; i < bits; i++) {                                                  \
                table[d][i] = (type)(v[i] >> (64 - bits));                                         \
            }                                                                                      \
        }                                                                                          \
        *vectors = table;                                                                          \
        return CURAND_STATUS_SUCCESS;                                                              \
    }
DIRECTION_VECTORS(32, unsigned)
DIRECTION_VECTORS(64, unsigned long long)
