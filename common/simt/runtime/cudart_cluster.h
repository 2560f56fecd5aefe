/* cudart_cluster.h - clusters of blocks: which a launch may have, and how many fit the GPU. */
#ifndef SIMT_CUDART_CLUSTER_H
#define SIMT_CUDART_CLUSTER_H

#include "runtime/cudart_request.h"

/* What an attribute asks for; of an empty cluster something that no GPU has. */
dim3 cluster_asked(const cudaLaunchAttributeValue *value);
/* The cluster of a launch: what it asks for (*asked), or what the kernel requires. */
cudaError_t cluster_of(const struct CUkern_st *k, dim3 *asked);
/* Judges a launch with a cluster, as a card does. */
cudaError_t cluster_check(const struct request *r);
cudaError_t cluster_set_attribute(struct CUkern_st *k, enum cudaFuncAttribute attribute, int value);

#endif
