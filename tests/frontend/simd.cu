/* Two halves, four bytes, and the extremes of dynamic programming: a hash of what each function
 * makes of ordinary and extreme words. The expected hashes are those of NVIDIA's own headers. */
#include "check.h"

#define FUNCTIONS(TWO, ONE, THREE, RELU, WHICH)                                                    \
    TWO(__vadd2)                                                                                   \
    TWO(__vadd4)                                                                                   \
    TWO(__vaddss2) TWO(__vaddss4) TWO(__vaddus2) TWO(__vaddus4) TWO(__vsub2) TWO(__vsub4) TWO(     \
        __vsubss2) TWO(__vsubss4) TWO(__vsubus2) TWO(__vsubus4) TWO(__vabsdiffs2)                  \
        TWO(__vabsdiffs4) TWO(__vabsdiffu2) TWO(__vabsdiffu4) TWO(__vavgs2) TWO(__vavgs4) TWO(     \
            __vavgu2) TWO(__vavgu4) TWO(__vhaddu2) TWO(__vhaddu4) TWO(__vmaxs2) TWO(__vmaxs4)      \
            TWO(__vmaxu2) TWO(__vmaxu4) TWO(__vmins2) TWO(__vmins4) TWO(__vminu2) TWO(             \
                __vminu4) TWO(__vsads2) TWO(__vsads4) TWO(__vsadu2) TWO(__vsadu4) TWO(__vcmpeq2)   \
                TWO(__vcmpeq4) TWO(__vcmpne2) TWO(__vcmpne4) TWO(__vcmpges2) TWO(__vcmpges4) TWO(  \
                    __vcmpgeu2) TWO(__vcmpgeu4) TWO(__vcmpgts2) TWO(__vcmpgts4) TWO(__vcmpgtu2)    \
                    TWO(__vcmpgtu4) TWO(__vcmples2) TWO(__vcmples4) TWO(__vcmpleu2) TWO(           \
                        __vcmpleu4) TWO(__vcmplts2) TWO(__vcmplts4) TWO(__vcmpltu2)                \
                        TWO(__vcmpltu4) TWO(__vseteq2) TWO(__vseteq4) TWO(__vsetne2) TWO(          \
                            __vsetne4) TWO(__vsetges2) TWO(__vsetges4) TWO(__vsetgeu2)             \
                            TWO(__vsetgeu4) TWO(__vsetgts2) TWO(__vsetgts4) TWO(__vsetgtu2) TWO(   \
                                __vsetgtu4) TWO(__vsetles2) TWO(__vsetles4) TWO(__vsetleu2)        \
                                TWO(__vsetleu4) TWO(__vsetlts2) TWO(__vsetlts4) TWO(               \
                                    __vsetltu2) TWO(__vsetltu4) ONE(__vabs2) ONE(__vabs4)          \
                                    ONE(__vabsss2) ONE(__vabsss4) ONE(__vneg2) ONE(__vneg4) ONE(   \
                                        __vnegss2) ONE(__vnegss4) THREE(__vimax3_s32, int)         \
                                        THREE(__vimin3_s32, int) THREE(__viaddmax_s32, int) THREE( \
                                            __viaddmin_s32, int) THREE(__vimax3_s32_relu, int)     \
                                            THREE(__vimin3_s32_relu,                               \
                                                  int) THREE(__viaddmax_s32_relu,                  \
                                                             int) THREE(__viaddmin_s32_relu, int)  \
                                                THREE(__vimax3_u32, unsigned) THREE(               \
                                                    __vimin3_u32, unsigned) THREE(__viaddmax_u32,  \
                                                                                  unsigned)        \
                                                    THREE(__viaddmin_u32, unsigned) RELU(          \
                                                        __vimax_s32_relu) RELU(__vimin_s32_relu)   \
                                                        WHICH(__vibmax_s32, int)                   \
                                                            WHICH(__vibmin_s32, int)               \
                                                                WHICH(__vibmax_u32, unsigned)      \
                                                                    WHICH(__vibmin_u32, unsigned)

#define NUMBER_OF(...)     +1
#define FUNCTION_COUNT     (0 FUNCTIONS(NUMBER_OF, NUMBER_OF, NUMBER_OF, NUMBER_OF, NUMBER_OF))
#define NAME_OF(name, ...) #name,

static const char *const names[] = {FUNCTIONS(NAME_OF, NAME_OF, NAME_OF, NAME_OF, NAME_OF)};

__device__ static void mix(unsigned long long *hash, unsigned int value)
{
    *hash = (*hash ^ value) * 1099511628211ull;
}

__global__ void hash_all(const unsigned int *in, int count, unsigned long long *hashes)
{
    for (int i = 0; i < count * count; i++) {
        unsigned int a = in[i % count], b = in[i / count], c = in[(i * 7 + 3) % count];
        bool first;
        unsigned long long *h = hashes;
#define TWO(name)         mix(h++, name(a, b));
#define ONE(name)         mix(h++, name(a ^ b >> 3));
#define THREE(name, type) mix(h++, (unsigned int)name((type)a, (type)b, (type)c));
#define RELU(name)        mix(h++, (unsigned int)name((int)a, (int)b));
#define WHICH(name, type)                                                                          \
    mix(h, (unsigned int)name((type)a, (type)b, &first));                                          \
    mix(h++, first);
        FUNCTIONS(TWO, ONE, THREE, RELU, WHICH)
    }
}

int main(void)
{
    static const unsigned int edges[] = {0,          1,          0xffffffff, 0x80808080,
                                         0x7f7f7f7f, 0x80007fff, 0x7fff8000, 0x00ff00ff,
                                         0x01020304, 0xfefdfcfb};
    enum { COUNT = 64, EDGES = sizeof edges / sizeof edges[0] };
    unsigned int *in = make_array<unsigned int>(COUNT);
    unsigned long long *hashes = make_array<unsigned long long>(FUNCTION_COUNT);
    unsigned int state = 1;
    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525 + 1013904223;
        in[i] = i < EDGES ? edges[i] : state;
    }
    hash_all<<<1, 1>>>(in, COUNT, hashes);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < FUNCTION_COUNT; i++)
        printf("%s %016llx\n", names[i], hashes[i]);
    return check_done();
}
