/* Copies and fills: rows with a pitch, parts of planes and boxes, overlapping and asynchronous
 * ones, all directions, checked against the same moves on the host. */
#include "tests/frontend/check.h"

enum { WIDTH = 37, HEIGHT = 11, DEPTH = 5 };

__global__ void number_rows(float *rows, size_t pitch_bytes, int width, int height)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < width && y < height)
        ((float *)((char *)rows + y * pitch_bytes))[x] = (float)(100 * y + x);
}

static void check_pitch(void)
{
    float *rows, host[HEIGHT][WIDTH];
    size_t pitch;
    CHECK_CUDA(cudaMallocPitch(&rows, &pitch, sizeof(host[0]), HEIGHT));
    CHECK(pitch >= sizeof(host[0]) && pitch % 256 == 0);
    CHECK_CUDA(cudaMemset2D(rows, pitch, 0xff, sizeof(host[0]), HEIGHT));
    number_rows<<<dim3(2, 2), dim3(32, 8)>>>(rows, pitch, WIDTH, HEIGHT);
    CHECK_CUDA(cudaMemcpy2D(host, sizeof(host[0]), rows, pitch, sizeof(host[0]), HEIGHT,
                            cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            CHECK_FLOAT(host[y][x], 100 * y + x, 0);
    /* A part of it, from (3, 2), 4 x 3 elements. */
    float part[3][4];
    CHECK_CUDA(cudaMemcpy2D(part, sizeof(part[0]), (char *)rows + 2 * pitch + 3 * sizeof(float),
                            pitch, sizeof(part[0]), 3, cudaMemcpyDefault));
    CHECK_FLOAT(part[0][0], 203, 0);
    CHECK_FLOAT(part[2][3], 406, 0);
    CHECK(cudaMemcpy2D(host, 8, rows, pitch, 16, 2, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidPitchValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidPitchValue);
    CHECK_CUDA(cudaFree(rows));
}

static void check_box(void)
{
    static short in[DEPTH][HEIGHT][WIDTH], out[DEPTH][HEIGHT][WIDTH];
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                in[z][y][x] = (short)(1000 * z + 50 * y + x);
    cudaPitchedPtr box;
    cudaExtent all = make_cudaExtent(sizeof(in[0][0]), HEIGHT, DEPTH);
    CHECK_CUDA(cudaMalloc3D(&box, all));
    CHECK_INT(box.xsize, sizeof(in[0][0]));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(in, sizeof(in[0][0]), sizeof(in[0][0]), HEIGHT);
    copy.dstPtr = box;
    copy.extent = all;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK_CUDA(cudaMemcpy3D(&copy));
    /* Back, a box of 2 x 3 x 2 elements from (5, 4, 1) to (0, 1, 2). */
    cudaMemcpy3DParms back = {};
    back.srcPtr = box;
    back.srcPos = make_cudaPos(5 * sizeof(short), 4, 1);
    back.dstPtr = make_cudaPitchedPtr(out, sizeof(out[0][0]), sizeof(out[0][0]), HEIGHT);
    back.dstPos = make_cudaPos(0, 1, 2);
    back.extent = make_cudaExtent(2 * sizeof(short), 3, 2);
    back.kind = cudaMemcpyDeviceToHost;
    CHECK_CUDA(cudaMemcpy3D(&back));
    int changed = 0;
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                changed += out[z][y][x] != 0;
    CHECK_INT(changed, 12);
    CHECK_INT(out[2][1][0], in[1][4][5]);
    CHECK_INT(out[3][3][1], in[2][6][6]);
    CHECK_CUDA(cudaFree(box.ptr));
}

static void check_directions(void)
{
    unsigned char host[64], back[64], *device, *pinned;
    for (int i = 0; i < 64; i++)
        host[i] = (unsigned char)(3 * i);
    CHECK_CUDA(cudaMalloc(&device, 128));
    CHECK_CUDA(cudaMallocHost(&pinned, 64));
    CHECK_CUDA(cudaMemcpy(pinned, host, 64, cudaMemcpyHostToHost));
    CHECK_CUDA(cudaMemcpy(device, pinned, 64, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(device + 64, device, 64, cudaMemcpyDeviceToDevice));
    CHECK_CUDA(cudaMemcpyPeer(device + 1, 0, device + 65, 0, 63));
    CHECK_CUDA(cudaMemcpy(back, device + 64, 64, cudaMemcpyDeviceToHost));
    CHECK(memcmp(back, host, 64) == 0);
    CHECK_CUDA(cudaMemcpy(back, device, 64, cudaMemcpyDefault));
    CHECK(memcmp(back, host, 64) == 0);
    CHECK_CUDA(cudaMemset(device, 0x5a, 64));
    CHECK_CUDA(cudaMemcpy(back, device, 64, cudaMemcpyDefault));
    CHECK_INT(back[0], 0x5a);
    CHECK_INT(back[63], 0x5a);
    CHECK_CUDA(cudaFree(device));
    CHECK_CUDA(cudaFreeHost(pinned));
}

static void check_streams_of_copies(void)
{
    enum { PARTS = 4, PART = 1000 };
    static int host[PARTS * PART], back[PARTS * PART];
    int *device;
    cudaStream_t streams[PARTS];
    for (int i = 0; i < PARTS * PART; i++)
        host[i] = i * i;
    CHECK_CUDA(cudaMalloc(&device, sizeof(host)));
    for (int p = 0; p < PARTS; p++) {
        size_t begin = (size_t)p * PART, bytes = PART * sizeof(int);
        CHECK_CUDA(cudaStreamCreate(&streams[p]));
        CHECK_CUDA(cudaMemcpyAsync(device + begin, host + begin, bytes, cudaMemcpyHostToDevice,
                                   streams[p]));
        CHECK_CUDA(cudaMemsetAsync(device + begin, 0, sizeof(int), streams[p]));
        CHECK_CUDA(cudaMemcpyAsync(back + begin, device + begin, bytes, cudaMemcpyDeviceToHost,
                                   streams[p]));
    }
    for (int p = 0; p < PARTS; p++) {
        CHECK_CUDA(cudaStreamSynchronize(streams[p]));
        CHECK_CUDA(cudaStreamDestroy(streams[p]));
        CHECK_INT(back[p * PART], 0);
        CHECK_INT(back[p * PART + PART - 1], host[p * PART + PART - 1]);
    }
    CHECK_CUDA(cudaFree(device));
}

int main(void)
{
    check_pitch();
    check_box();
    check_directions();
    check_streams_of_copies();
    return check_done();
}
