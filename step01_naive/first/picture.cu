/* picture.cu - a whole program in two dimensions: a thread for each pixel of an image.
 *
 *     make picture && ./run                an image of 320 x 240 pixels, in picture.ppm and as text
 *     ./run 100 70                         another size
 *     ./run 100 70 comma                   a launch that compiles and is wrong */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long z -> z*z + c stays small, for the point c that belongs to this pixel: 0 to 255. */
__global__ void mandelbrot(unsigned char *image, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float c_re = -2.2f + 3.2f * x / width, c_im = -1.2f + 2.4f * y / height;
    float re = 0.0f, im = 0.0f;
    int steps = 0;
    while (re * re + im * im < 4.0f && steps < 255) {
        float next_re = re * re - im * im + c_re;
        im = 2.0f * re * im + c_im;
        re = next_re;
        steps++;
    }
    image[y * width + x] = steps;
}

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "picture: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

/* The image's memory belongs to the host. */
static void compute(unsigned char *image, int width, int height, bool comma)
{
    size_t bytes = (size_t)width * height;
    unsigned char *d_image;
    check(cudaMalloc(&d_image, bytes), "memory for the image");
    check(cudaMemset(d_image, 0, bytes), "an image that is black at first");

    dim3 block(16, 16);
    dim3 grid((width + 15) / 16, (height + 15) / 16);
    if (comma) /* two numbers in parentheses are one number: the last */
        mandelbrot<<<((void)((width + 15) / 16), (height + 15) / 16), ((void)16, 16)>>>(
            d_image, width, height);
    else
        mandelbrot<<<grid, block>>>(d_image, width, height);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");

    check(cudaMemcpy(image, d_image, bytes, cudaMemcpyDeviceToHost), "copy of the image");
    check(cudaFree(d_image), "freeing the image");
}

/* PPM is the simplest format there is: a line of text, then red, green and blue of each pixel. */
static void write_ppm(const unsigned char *image, int width, int height, const char *path)
{
    FILE *out = fopen(path, "wb");
    if (!out) {
        fprintf(stderr, "picture: cannot write %s\n", path);
        exit(2);
    }
    fprintf(out, "P6\n%d %d\n255\n", width, height);
    for (int i = 0; i < width * height; i++) {
        unsigned char v = image[i] == 255 ? 0 : image[i]; /* the set itself is black */
        unsigned char color[3] = {v, (unsigned char)(v * 5), (unsigned char)(v * 11)};
        fwrite(color, 1, 3, out);
    }
    fclose(out);
}

/* 64 x 20 characters, one pixel for each; a pixel that no thread computed is blank. */
static void draw(const unsigned char *image, int width, int height)
{
    const char shades[] = " .:-=+*%#@@";
    for (int row = 0; row < 20; row++) {
        for (int column = 0; column < 64; column++) {
            int v = image[(row * height / 20) * width + column * width / 64];
            putchar(shades[v == 0 ? 0 : v >= 90 ? 10 : 1 + v / 10]);
        }
        putchar('\n');
    }
}

static int number(const char *text, const char *what)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < 1 || value > 8192) {
        fprintf(stderr, "picture: %s '%s': give a whole number from 1 to 8192\n", what, text);
        exit(2);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    if (argc == 2 || argc > 4 || (argc == 4 && strcmp(argv[3], "comma") != 0)) {
        fprintf(stderr, "usage: picture [WIDTH HEIGHT [comma]]\n");
        return 2;
    }
    int width = argc > 2 ? number(argv[1], "width") : 320;
    int height = argc > 2 ? number(argv[2], "height") : 240;
    unsigned char *image = (unsigned char *)malloc((size_t)width * height);
    if (!image) {
        fprintf(stderr, "picture: no memory for %d x %d pixels\n", width, height);
        return 2;
    }
    compute(image, width, height, argc == 4);
    draw(image, width, height);
    write_ppm(image, width, height, "picture.ppm");
    long computed = 0;
    for (int i = 0; i < width * height; i++)
        computed += image[i] != 0;
    printf("picture.ppm: %d x %d pixels, %ld of them computed\n", width, height, computed);
    free(image);
    return computed == (long)width * height ? 0 : 1;
}
