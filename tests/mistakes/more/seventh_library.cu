/* seventh_library.cu - of the seventh set: calls of libraries, in streams of their own and with
 * pointers to where they do not look. */
/* flags: -std=c++17 -arch=sm_80 -lcublas -lcufft -lcurand */
#include "mistakes.h"

#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>

enum { N = 4096, BYTES = N * sizeof(float) };

static void well(int code)
{
    if (code != 0) {
        fprintf(stderr, "mistakes: a library returns %d\n", code);
        exit(3);
    }
}
__global__ void fill(float *a, float value) { a[blockIdx.x * blockDim.x + threadIdx.x] = value; }
static cudaStream_t stream()
{
    cudaStream_t s;
    must(cudaDeviceSynchronize());
    must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
}

/* The product is in the default stream, since nobody has told the library another. */
TWINS(product_elsewhere)
{
    cublasHandle_t blas;
    float *x = buffer<float>(N), *y = buffer<float>(N), two = 2;
    well(cublasCreate(&blas));
    cudaStream_t s = stream();
    if (right) {
        well(cublasSetStream(blas, s));
    }
    fill<<<N / 256, 256, 0, s>>>(x, 1);
    well(cublasSaxpy(blas, N, &two, x, 1, y, 1)); // MISTAKE product_elsewhere race
    must(cudaDeviceSynchronize());
    well(cublasDestroy(blas));
    must(cudaStreamDestroy(s));
}

/* A result in memory of the device, and a library that takes the pointer for the host's. */
TWINS(dot_on_device)
{
    cublasHandle_t blas;
    float *x = buffer<float>(N), *dot = buffer<float>(1);
    well(cublasCreate(&blas));
    if (right) {
        well(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
    }
    cublasSdot(blas, N, x, 1, x, 1, dot); // MISTAKE dot_on_device device
    well(cublasDestroy(blas));
}

/* The factor lies on the host, and the library looks for it on the device. */
TWINS(factor_on_host)
{
    cublasHandle_t blas;
    float *x = buffer<float>(N), two = 2;
    well(cublasCreate(&blas));
    well(cublasSetPointerMode(blas, right ? CUBLAS_POINTER_MODE_HOST : CUBLAS_POINTER_MODE_DEVICE));
    cublasSscal(blas, N, &two, x, 1); // MISTAKE factor_on_host host
    well(cublasDestroy(blas));
}

/* The result of a transform is read in a stream that does not wait for the plan's. */
TWINS(transform_elsewhere)
{
    cufftHandle plan;
    cufftComplex *z = buffer<cufftComplex>(N);
    well(cufftPlan1d(&plan, N, CUFFT_C2C, 1));
    cudaStream_t s = stream();
    well(cufftSetStream(plan, s));
    well(cufftExecC2C(plan, z, z, CUFFT_FORWARD)); // MISTAKE transform_elsewhere race
    fill<<<N / 256, 256, 0, right ? s : 0>>>((float *)z, 0);
    must(cudaDeviceSynchronize());
    well(cufftDestroy(plan));
    must(cudaStreamDestroy(s));
}

/* Room for N / 2 complex values, and a real transform gives one more. */
TWINS(one_complex_more)
{
    cufftHandle plan;
    float *x = buffer<float>(N);
    cufftComplex *z = buffer<cufftComplex>(right ? N / 2 + 1 : N / 2);
    well(cufftPlan1d(&plan, N, CUFFT_R2C, 1));
    cufftExecR2C(plan, x, z); // MISTAKE one_complex_more bytes
    well(cufftDestroy(plan));
}

/* A leading dimension of rows where one of columns is wanted: A is beyond its end. */
TWINS(leading_of_rows)
{
    cublasHandle_t blas;
    float *a = buffer<float>(64 * 32), *x = buffer<float>(64), *y = buffer<float>(64), one = 1;
    well(cublasCreate(&blas));
    int lda = right ? 32 : 64;
    const cublasOperation_t n = CUBLAS_OP_N;
    cublasSgemv(blas, n, 32, 64, &one, a, lda, x, 1, &one, y, 1); // MISTAKE leading_of_rows needs
    well(cublasDestroy(blas));
}

/* Random numbers are made in a stream and read by the host before they are there. */
TWINS(numbers_early)
{
    curandGenerator_t g;
    float *x, sum = 0;
    must(cudaMallocManaged(&x, BYTES));
    cudaStream_t s = stream();
    well(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    well(curandSetStream(g, s));
    well(curandGenerateUniform(g, x, N));
    if (right) {
        must(cudaStreamSynchronize(s));
    }
    sum += ((volatile float *)x)[9]; // MISTAKE numbers_early race
    must(cudaDeviceSynchronize());
    well(curandDestroyGenerator(g));
    must(cudaStreamDestroy(s));
    must(cudaFree(x));
}
