/* cudart_cluster.c - see cudart_cluster.h; and the occupancy calls for clusters. */
#include "runtime/cudart_cluster.h"

#include <inttypes.h>

#include "common/gpu/occupancy.h"
#include "runtime/registry.h"

/* CUDA C++ Programming Guide, "Thread Block Clusters": 8 blocks on every GPU that has clusters, 16
 * where cudaFuncAttributeNonPortableClusterSizeAllowed says so. */
enum { PORTABLE_BLOCKS = 8, MOST_BLOCKS = 16 };

static uint64_t blocks_of(dim3 d) { return (uint64_t)d.x * d.y * d.z; }

dim3 cluster_asked(const cudaLaunchAttributeValue *v)
{
    const dim3 d = {v->clusterDim.x, v->clusterDim.y, v->clusterDim.z};
    return blocks_of(d) != 0 ? d : (dim3){UINT32_MAX, 1, 1};
}

cudaError_t cluster_of(const struct CUkern_st *k, dim3 *asked)
{
    const dim3 required = k->required_cluster;
    if (required.x == 0) {
        return cudaSuccess;
    }
    if (asked->x != 0 &&
        (asked->x != required.x || asked->y != required.y || asked->z != required.z)) {
        return cuda_error_saying(
            cudaErrorInvalidClusterSize, k->plain,
            "clusters of %u x %u x %u blocks: its __cluster_dims__ are %u x %u "
            "x %u",
            asked->x, asked->y, asked->z, required.x, required.y, required.z);
    }
    *asked = required;
    return cudaSuccess;
}

static unsigned blocks_per_sm(const struct CUkern_st *k, dim3 block, uint64_t dynamic_shared)
{
    const uint64_t threads = blocks_of(block);
    struct occupancy_request request = {
        .threads_per_block = (unsigned)threads,
        .registers_per_thread = k->attributes.registers,
        .static_shared_bytes = k->attributes.static_shared_bytes,
        .dynamic_shared_bytes = dynamic_shared,
    };
    struct occupancy o;
    if (threads == 0 || threads > k->attributes.max_threads_per_block ||
        dynamic_shared > k->max_dynamic_shared) {
        return 0;
    }
    occupancy_compute(runtime_limits(), &request, &o);
    return o.blocks_per_sm;
}

/* Clusters of so many blocks that the GPU holds at once. A cluster runs on neighbouring SMs: in a
 * group of at least as many as it has blocks. */
static unsigned clusters_at_once(unsigned per_sm, unsigned blocks)
{
    enum { MOST_PER_SM = 8 }; /* of a launch with clusters, measured on an H200 */
    const struct gpu_limits *g = runtime_limits();
    const unsigned most = per_sm < MOST_PER_SM ? per_sm : MOST_PER_SM;
    unsigned clusters = 0, grouped = 0;
    for (unsigned i = 0; i < ARRAY_LENGTH(g->sm_groups) && g->sm_groups[i] != 0; i++) {
        clusters += g->sm_groups[i] >= blocks ? g->sm_groups[i] * most / blocks : 0;
        grouped += g->sm_groups[i];
    }
    return clusters + (g->sm_count - grouped) * most / blocks;
}

static cudaError_t check_size(const char *call, const struct CUkern_st *k, dim3 cluster)
{
    const struct gpu_limits *g = runtime_limits();
    const uint64_t blocks = blocks_of(cluster);
    if (g->major < 9) {
        return cuda_error_saying(cudaErrorInvalidClusterSize, call,
                                 "clusters of %u x %u x %u blocks: %s has none", cluster.x,
                                 cluster.y, cluster.z, g->name);
    }
    if (blocks == 0 || blocks > MOST_BLOCKS || (blocks > PORTABLE_BLOCKS && !k->large_clusters)) {
        return cuda_error_saying(
            cudaErrorInvalidClusterSize, call,
            "a cluster of %u x %u x %u blocks: at most %d are possible, or %d with "
            "cudaFuncAttributeNonPortableClusterSizeAllowed",
            cluster.x, cluster.y, cluster.z, PORTABLE_BLOCKS, MOST_BLOCKS);
    }
    return cudaSuccess;
}

cudaError_t cluster_check(const struct request *r)
{
    const struct CUkern_st *k = r->kernel;
    const dim3 d = r->cluster;
    cudaError_t code = check_size(k->plain, k, d);
    if (code != cudaSuccess) {
        return code;
    }
    if (r->grid.x % d.x != 0 || r->grid.y % d.y != 0 || r->grid.z % d.z != 0) {
        return cuda_error_saying(cudaErrorInvalidClusterSize, k->plain,
                                 "a grid of %u x %u x %u blocks is no multiple of its clusters of "
                                 "%u x %u x %u",
                                 r->grid.x, r->grid.y, r->grid.z, d.x, d.y, d.z);
    }
    const unsigned blocks = (unsigned)blocks_of(d);
    if (clusters_at_once(blocks_per_sm(k, r->block, r->shared_bytes), blocks) == 0) {
        return cuda_error_saying(cudaErrorInvalidClusterSize, k->plain,
                                 "not one cluster of %u such blocks fits the GPU", blocks);
    }
    return cudaSuccess;
}

/* NULL: it is another attribute. */
static unsigned *required_size(struct CUkern_st *k, enum cudaFuncAttribute attribute)
{
    switch (attribute) {
    case cudaFuncAttributeRequiredClusterWidth:
        return &k->required_cluster.x;
    case cudaFuncAttributeRequiredClusterHeight:
        return &k->required_cluster.y;
    case cudaFuncAttributeRequiredClusterDepth:
        return &k->required_cluster.z;
    default:
        return NULL;
    }
}

cudaError_t cluster_set_attribute(struct CUkern_st *k, enum cudaFuncAttribute attribute, int value)
{
    unsigned *required = required_size(k, attribute);
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
        k->large_clusters = value != 0;
        return cudaSuccess;
    }
    if (attribute == cudaFuncAttributeClusterSchedulingPolicyPreference) {
        return cudaSuccess; /* a hint */
    }
    if (required == NULL || value < 0 || k->attributes.cluster[0] != 0) {
        return cuda_error_saying(cudaErrorInvalidValue, "cudaFuncSetAttribute",
                                 "%s: attribute %d, value %d%s", k->plain, (int)attribute, value,
                                 required != NULL ? ": its __cluster_dims__ are fixed" : "");
    }
    *required = (unsigned)value;
    return cudaSuccess;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

static struct CUkern_st *loaded(const char *call, const void *function,
                                const cudaLaunchConfig_t *config, const int *out, cudaError_t *code)
{
    *code = runtime_enter();
    struct CUkern_st *k = *code == cudaSuccess ? registry_kernel(function) : NULL;
    if (*code == cudaSuccess && k == NULL) {
        *code = registry_no_kernel(call, function);
    }
    if (*code == cudaSuccess && (config == NULL || out == NULL)) {
        *code = cuda_error(cudaErrorInvalidValue);
    }
    AND_THEN(*code, registry_load_kernel(k));
    return *code == cudaSuccess ? k : NULL;
}

static dim3 cluster_in(const cudaLaunchConfig_t *config)
{
    dim3 d = {0, 0, 0};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
            d = cluster_asked(&config->attrs[i].val);
        }
    }
    return d;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config)
{
    const char *call = "cudaOccupancyMaxActiveClusters";
    cudaError_t code;
    const struct CUkern_st *k = loaded(call, function, config, clusters, &code);
    if (k == NULL) {
        return code;
    }
    dim3 cluster = cluster_in(config);
    code = cluster_of(k, &cluster);
    if (cluster.x == 0) {
        cluster = (dim3){1, 1, 1};
    }
    AND_THEN(code, check_size(call, k, cluster));
    if (code == cudaSuccess) {
        const unsigned per_sm = blocks_per_sm(k, config->blockDim, config->dynamicSmemBytes);
        *clusters = (int)clusters_at_once(per_sm, (unsigned)blocks_of(cluster));
    }
    return code;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                 const cudaLaunchConfig_t *config)
{
    const char *call = "cudaOccupancyMaxPotentialClusterSize";
    cudaError_t code;
    const struct CUkern_st *k = loaded(call, function, config, size, &code);
    if (k == NULL) {
        return code;
    }
    const dim3 asked = cluster_in(config);
    if (asked.x != 0 && (code = check_size(call, k, asked)) != cudaSuccess) {
        return code;
    }
    const unsigned per_sm = blocks_per_sm(k, config->blockDim, config->dynamicSmemBytes);
    unsigned most = k->large_clusters ? MOST_BLOCKS : PORTABLE_BLOCKS;
    while (most > 1 && clusters_at_once(per_sm, most) == 0) {
        most /= 2;
    }
    *size = (int)most;
    return cudaSuccess;
}
