/* buffers.cu - what the kernels read and write, and the line that is printed for each: its number, its name, a hash of what it left. */
#include "strangers.h"

unsigned *d_in, *d_out;
static unsigned host[WORDS];

static unsigned filled(enum filling how, unsigned at, unsigned random)
{
    const float x = (float)(random % 2001) / 100.0f - 10.0f;
    unsigned bits;
    switch (how) {
    case FLOATS:
        memcpy(&bits, &x, sizeof bits);
        return bits;
    case HALVES:
        return 0x30003000u | (random & 0x83ff83ffu);
    case SORTED:
        return at * 3 / 2;
    case BOOLS:
        return random & 0x01010101u;
    default:
        return random;
    }
}

void begin(enum filling how)
{
    unsigned random = 20261128;
    for (unsigned i = 0; i < WORDS; i++) {
        random = random * 1664525 + 1013904223;
        host[i] = filled(how, i, random >> 8);
    }
    MUST(cudaMemcpy(d_in, host, sizeof host, cudaMemcpyHostToDevice));
    MUST(cudaMemset(d_out, 0, sizeof host));
}

void show(const char *name)
{
    static unsigned number;
    unsigned long long hash = 0xcbf29ce484222325ull;
    unsigned *const buffers[] = {d_in, d_out};
    MUST(cudaGetLastError());
    for (unsigned *buffer : buffers) {
        MUST(cudaMemcpy(host, buffer, sizeof host, cudaMemcpyDeviceToHost));
        for (unsigned word : host) {
            hash = (hash ^ word) * 0x100000001b3ull;
        }
    }
    printf("%u,%s,%016llx\n", number++, name, hash);
}

void allocate(void)
{
    MUST(cudaMalloc(&d_in, sizeof host));
    MUST(cudaMalloc(&d_out, sizeof host));
}
