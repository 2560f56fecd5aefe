/* simt/rejected.h - what CUDA has and the simulator lacks, declared so that a program that uses it
 * is told which, and why. NVIDIA's headers, through nvcc, compile it; then the call says the same.
 */
#ifndef SIMT_REJECTED_H
#define SIMT_REJECTED_H

#define SIMT_WITHOUT(text) __attribute__((unavailable(text)))
#define SIMT_TEXTURES      SIMT_WITHOUT("textures, surfaces and CUDA arrays are not simulated")
#define SIMT_GRAPHS        SIMT_WITHOUT("CUDA graphs are not simulated")

typedef unsigned long long cudaTextureObject_t SIMT_TEXTURES;
typedef unsigned long long cudaSurfaceObject_t SIMT_TEXTURES;
struct SIMT_TEXTURES cudaTextureDesc;
struct SIMT_TEXTURES cudaResourceDesc;
struct SIMT_TEXTURES cudaResourceViewDesc;
template <typename T> SIMT_TEXTURES void cudaCreateChannelDesc(void);
template <typename T, typename... Arguments> __device__ SIMT_TEXTURES T tex1Dfetch(Arguments...);
template <typename T, typename... Arguments> __device__ SIMT_TEXTURES T tex1D(Arguments...);
template <typename T, typename... Arguments> __device__ SIMT_TEXTURES T tex2D(Arguments...);
template <typename T, typename... Arguments> __device__ SIMT_TEXTURES T tex3D(Arguments...);

typedef struct simt_graph *cudaGraph_t SIMT_GRAPHS;
typedef struct simt_graph *cudaGraphExec_t SIMT_GRAPHS;
typedef struct simt_graph *cudaGraphNode_t SIMT_GRAPHS;
struct SIMT_GRAPHS cudaKernelNodeParams;

/* Every function of the runtime that the library rejects. */
#define TOPIC(topic, text)
#define REJECTED(name, topic) extern "C" SIMT_WITHOUT("not simulated: " #topic) void name(...);
#include "../../runtime/cudart_rejected.def"
#undef TOPIC
#undef REJECTED

#endif
