/* driver_textures.cu - arrays, copies of boxes and texture objects by the driver API, read by a
 * kernel. */
#include <cuda.h>
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKED(call)                                                                              \
    do {                                                                                           \
        CUresult code_ = (call);                                                                   \
        if (code_ != CUDA_SUCCESS) {                                                               \
            printf("%s is %d\n", #call, (int)code_);                                               \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { W = 12, H = 5 };

__global__ void halves(cudaTextureObject_t texture, float *out)
{
    const int x = threadIdx.x, y = blockIdx.x;
    out[y * W + x] = tex2D<float>(texture, (float)x + 1.0f, (float)y + 0.5f);
}

int main(void)
{
    CUdevice device;
    CUcontext context;
    CUarray array;
    CUtexObject texture;
    unsigned char in[H][W], back[2][3];
    float got[H][W], *out;
    int wrong = 0, count = 0;
    if (cuDeviceGet(&device, 0) != CUDA_ERROR_NOT_INITIALIZED || cudaGetDeviceCount(&count) != cudaSuccess)
        return 2;
    CHECKED(cuDeviceGet(&device, 0)); /* the runtime has initialised it */
    CHECKED(cuDevicePrimaryCtxRetain(&context, device));
    CHECKED(cuCtxSetCurrent(context));
    for (int i = 0; i < H * W; i++) {
        ((unsigned char *)in)[i] = (unsigned char)(i * 4);
    }
    CUDA_ARRAY_DESCRIPTOR shape = {};
    shape.Width = W, shape.Height = H;
    shape.Format = CU_AD_FORMAT_UNSIGNED_INT8;
    shape.NumChannels = 1;
    CHECKED(cuArrayCreate(&array, &shape));
    CUDA_MEMCPY2D to = {};
    to.srcMemoryType = CU_MEMORYTYPE_HOST;
    to.srcHost = in;
    to.srcPitch = W;
    to.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    to.dstArray = array;
    to.WidthInBytes = W, to.Height = H;
    CHECKED(cuMemcpy2D(&to));
    CUDA_MEMCPY2D from = {};
    from.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    from.srcArray = array;
    from.srcXInBytes = 4, from.srcY = 2;
    from.dstMemoryType = CU_MEMORYTYPE_HOST;
    from.dstHost = back;
    from.dstPitch = sizeof back[0];
    from.WidthInBytes = 3, from.Height = 2;
    CHECKED(cuMemcpy2D(&from));
    wrong += memcmp(back[0], &in[2][4], 3) != 0 || memcmp(back[1], &in[3][4], 3) != 0;
    unsigned char line[W], *pinned;
    CUDA_MEMCPY3D_PEER peers = {};
    CHECKED(cuMemHostAlloc((void **)&pinned, 2 * W, 0));
    memcpy(pinned, in[4], W);
    CHECKED(cuMemcpyHtoAAsync(array, 0, pinned, W, 0));
    CHECKED(cuMemcpyAtoHAsync(pinned + W, array, 0, W, 0));
    CHECKED(cuMemcpyHtoAAsync(array, 0, in[0], W, 0));
    peers.srcMemoryType = CU_MEMORYTYPE_ARRAY, peers.srcArray = array;
    peers.srcY = 3;
    peers.dstMemoryType = CU_MEMORYTYPE_HOST, peers.dstHost = line, peers.dstPitch = W;
    peers.dstContext = context;
    peers.WidthInBytes = W, peers.Height = peers.Depth = 1;
    CHECKED(cuMemcpy3DPeer(&peers));
    CHECKED(cuStreamSynchronize(0));
    wrong += memcmp(pinned + W, in[4], W) != 0 || memcmp(line, in[3], W) != 0;
    CHECKED(cuMemFreeHost(pinned));
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC reading = {}; /* bytes are read as parts of 255 */
    reading.addressMode[0] = reading.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    reading.filterMode = CU_TR_FILTER_MODE_LINEAR;
    CHECKED(cuTexObjectCreate(&texture, &resource, &reading, NULL));
    CHECKED(cuMemAlloc((CUdeviceptr *)&out, sizeof got));
    halves<<<H, W>>>(texture, out);
    CHECKED(cuMemcpyDtoH(got, (CUdeviceptr)out, sizeof got));
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            const int right = x + 1 < W ? x + 1 : x;
            const float want = (float)(in[y][x] + in[y][right]) / 2.0f / 255.0f;
            const float off = got[y][x] - want;
            wrong += !(off < 1e-5f && off > -1e-5f);
        }
    }
    CUDA_ARRAY_DESCRIPTOR told;
    CHECKED(cuArrayGetDescriptor(&told, array));
    wrong += told.Width != W || told.Format != CU_AD_FORMAT_UNSIGNED_INT8 || told.NumChannels != 1;
    CHECKED(cuTexObjectDestroy(texture));
    CHECKED(cuArrayDestroy(array));
    CHECKED(cuMemFree((CUdeviceptr)out));
    CHECKED(cuDevicePrimaryCtxRelease(device));
    printf(wrong == 0 ? "all right\n" : "%d wrong\n", wrong);
    return wrong != 0;
}
