/* image_sizes.cu - txq and suq: what an H200 answers of the width, height and depth of textures, of
 * their levels, and of surfaces. CUDA C++ has no function for them; PTX has. */
#include "check.h"

#define GOOD(call)                 CHECK_INT(call, cudaSuccess)
#define ASK(query, object, result) asm volatile(query ".b32 %0, [%1];" : "=r"(result) : "l"(object))
#define ASK_LEVEL(query, object, level, result)                                                    \
    asm volatile(query ".b32 %0, [%1], %2;" : "=r"(result) : "l"(object), "r"(level))

__global__ void of_texture(cudaTextureObject_t t, int level, int *size)
{
    ASK("txq.width", t, size[0]);
    ASK("txq.height", t, size[1]);
    ASK("txq.depth", t, size[2]);
    ASK_LEVEL("txq.level.width", t, level, size[3]);
    ASK_LEVEL("txq.level.height", t, level, size[4]);
    ASK_LEVEL("txq.level.depth", t, level, size[5]);
}

__global__ void of_surface(cudaSurfaceObject_t s, int *size)
{
    ASK("suq.width", s, size[0]);
    ASK("suq.height", s, size[1]);
}

static void check_array(struct cudaExtent extent, unsigned flags, int height, int depth,
                        int surface_height)
{
    const struct cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    struct cudaResourceDesc r = {};
    const struct cudaTextureDesc reading = {};
    cudaTextureObject_t t = 0;
    cudaSurfaceObject_t s = 0;
    int *size = NULL;
    GOOD(cudaMallocManaged(&size, 8 * sizeof *size));
    r.resType = cudaResourceTypeArray;
    GOOD(cudaMalloc3DArray(&r.res.array.array, &floats, extent, flags | cudaArraySurfaceLoadStore));
    GOOD(cudaCreateTextureObject(&t, &r, &reading, NULL));
    GOOD(cudaCreateSurfaceObject(&s, &r));
    of_texture<<<1, 1>>>(t, 0, size);
    of_surface<<<1, 1>>>(s, size + 6);
    GOOD(cudaDeviceSynchronize());
    const int want[8] = {(int)extent.width, height,        depth, (int)extent.width, height, depth,
                         (int)extent.width, surface_height};
    for (int i = 0; i < 8; i++) {
        CHECK_INT(size[i], want[i]);
    }
    GOOD(cudaDestroyTextureObject(t));
    GOOD(cudaDestroySurfaceObject(s));
    GOOD(cudaFreeArray(r.res.array.array));
    GOOD(cudaFree(size));
}

static void check_levels(void)
{
    const struct cudaChannelFormatDesc shorts = cudaCreateChannelDesc<short2>();
    struct cudaResourceDesc r = {};
    struct cudaTextureDesc reading = {};
    cudaTextureObject_t t = 0;
    int *size = NULL;
    GOOD(cudaMallocManaged(&size, 6 * sizeof *size));
    r.resType = cudaResourceTypeMipmappedArray;
    GOOD(cudaMallocMipmappedArray(&r.res.mipmap.mipmap, &shorts, make_cudaExtent(48, 23, 0), 4));
    reading.maxMipmapLevelClamp = 3;
    reading.normalizedCoords = 1;
    GOOD(cudaCreateTextureObject(&t, &r, &reading, NULL));
    of_texture<<<1, 1>>>(t, 2, size);
    GOOD(cudaDeviceSynchronize());
    CHECK_INT(size[0], 48);
    CHECK_INT(size[1], 23);
    CHECK_INT(size[2], 0);
    CHECK_INT(size[3], 12);
    CHECK_INT(size[4], 5);
    CHECK_INT(size[5], 0);
    GOOD(cudaDestroyTextureObject(t));
    GOOD(cudaFreeMipmappedArray(r.res.mipmap.mipmap));
    GOOD(cudaFree(size));
}

int main(void)
{
    check_array(make_cudaExtent(100, 0, 0), 0, 1, 0, 0);
    check_array(make_cudaExtent(48, 21, 0), 0, 21, 0, 21);
    check_array(make_cudaExtent(20, 10, 6), 0, 10, 6, 10);
    check_array(make_cudaExtent(32, 16, 5), cudaArrayLayered, 16, 5, 16);
    check_levels();
    return check_done();
}
