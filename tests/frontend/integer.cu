/* Integer intrinsics against plain C, for ordinary and extreme arguments. */
#include "check.h"

#define RESULTS 43

__global__ void compute(const unsigned int *in, int count, long long *out)
{
    for (int i = 0; i < count; i++) {
        unsigned int a = in[i], b = in[(i + 1) % count], c = in[(i + 3) % count];
        int x = (int)a, y = (int)b, z = (int)c;
        unsigned long long aa = (unsigned long long)a << 32 | b,
                           bb = (unsigned long long)b << 32 | c;
        long long *o = out + i * RESULTS;
        *o++ = __clz(x);
        *o++ = __clzll((long long)aa);
        *o++ = __popc(a);
        *o++ = __popcll(aa);
        *o++ = __ffs(x);
        *o++ = __ffsll((long long)aa);
        *o++ = __brev(a);
        *o++ = (long long)__brevll(aa);
        *o++ = __byte_perm(a, b, c);
        *o++ = __funnelshift_l(a, b, c);
        *o++ = __funnelshift_lc(a, b, c);
        *o++ = __funnelshift_r(a, b, c);
        *o++ = __funnelshift_rc(a, b, c);
        *o++ = __mul24(x, y);
        *o++ = __umul24(a, b);
        *o++ = __mulhi(x, y);
        *o++ = __umulhi(a, b);
        *o++ = __mul64hi((long long)aa, (long long)bb);
        *o++ = (long long)__umul64hi(aa, bb);
        *o++ = __hadd(x, y);
        *o++ = __rhadd(x, y);
        *o++ = __uhadd(a, b);
        *o++ = __urhadd(a, b);
        *o++ = __sad(x, y, c);
        *o++ = __usad(a, b, c);
        *o++ = __dp4a(x, y, z);
        *o++ = __dp4a(a, b, c);
        *o++ = __dp2a_lo(x, y, z);
        *o++ = __dp2a_hi(a, b, c);
        *o++ = min(x, y);
        *o++ = max(a, b);
        *o++ = abs(y == (int)0x80000000 ? 0 : y);
        *o++ = llabs((long long)(aa >> 1));
        *o++ = x / (y == 0 || y == -1 ? 3 : y);
        *o++ = x % (y == 0 || y == -1 ? 3 : y);
        *o++ = (long long)(aa / (bb | 1));
        *o++ = (long long)aa % (long long)(bb | 1 | 1ull << 40);
        *o++ = x >> (c & 31);
        *o++ = (long long)(aa >> (c & 63));
        *o++ = max((long long)aa, (long long)bb);
        unsigned int differences; /* what __vabsdiffu4(), __vabsdiffs4() and __vsadu4() become */
        asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(differences) : "r"(a), "r"(b), "r"(c));
        *o++ = differences;
        asm("vabsdiff4.u32.s32.s32 %0, %1, %2, %3;" : "=r"(differences) : "r"(a), "r"(b), "r"(c));
        *o++ = differences;
        asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;"
            : "=r"(differences)
            : "r"(a), "r"(b), "r"(c));
        *o++ = differences;
    }
}

static int count_leading(unsigned long long v, int bits)
{
    int n = 0;
    while (n < bits && !(v >> (bits - 1 - n) & 1))
        n++;
    return n;
}

static int find_first(unsigned long long v)
{
    for (int i = 0; i < 64; i++)
        if (v >> i & 1)
            return i + 1;
    return 0;
}

static unsigned long long reverse(unsigned long long v, int bits)
{
    unsigned long long r = 0;
    for (int i = 0; i < bits; i++)
        r |= (v >> i & 1) << (bits - 1 - i);
    return r;
}

static unsigned int permute(unsigned int a, unsigned int b, unsigned int selector)
{
    unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned int r = 0;
    for (int i = 0; i < 4; i++)
        r |= (unsigned int)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return r;
}

static unsigned int funnel(unsigned int low, unsigned int high, unsigned int shift, bool left)
{
    unsigned long long v = (unsigned long long)high << 32 | low;
    if (left)
        return shift == 32 ? low : (unsigned int)(v << shift >> 32);
    return shift == 32 ? high : (unsigned int)(v >> shift);
}

static long long dot(unsigned int a, unsigned int b, unsigned int c, int parts, int high, bool sign)
{
    unsigned int sum = c;
    for (int i = 0; i < parts; i++) {
        int width = parts == 4 ? 8 : 16, byte = parts == 4 ? i : i + 2 * high;
        long long p = a >> width * i & ((1u << width) - 1), q = b >> 8 * byte & 0xff;
        if (sign && (p >> (width - 1) & 1))
            p -= 1ll << width;
        if (sign && (q & 0x80))
            q -= 256;
        sum += (unsigned int)(p * q);
    }
    return sign ? (long long)(int)sum : (long long)sum;
}

static int sign24(unsigned int v) { return (int)(v << 8) >> 8; }

static void expect(const unsigned int *in, int i, int count, long long *o)
{
    unsigned int a = in[i], b = in[(i + 1) % count], c = in[(i + 3) % count];
    int x = (int)a, y = (int)b;
    unsigned long long aa = (unsigned long long)a << 32 | b, bb = (unsigned long long)b << 32 | c;
    unsigned int clamped = c > 32 ? 32 : c;
    int divisor = y == 0 || y == -1 ? 3 : y;
    *o++ = count_leading(a, 32);
    *o++ = count_leading(aa, 64);
    *o++ = __builtin_popcount(a);
    *o++ = __builtin_popcountll(aa);
    *o++ = find_first(a);
    *o++ = find_first(aa);
    *o++ = (long long)reverse(a, 32);
    *o++ = (long long)reverse(aa, 64);
    *o++ = permute(a, b, c);
    *o++ = funnel(a, b, c & 31, true);
    *o++ = funnel(a, b, clamped, true);
    *o++ = funnel(a, b, c & 31, false);
    *o++ = funnel(a, b, clamped, false);
    *o++ = (int)((unsigned int)sign24(a) * (unsigned int)sign24(b));
    *o++ = (unsigned int)((a & 0xffffff) * (b & 0xffffff));
    *o++ = (long long)x * y >> 32;
    *o++ = (long long)((unsigned long long)a * b >> 32);
    *o++ = (long long)((__int128)(long long)aa * (long long)bb >> 64);
    *o++ = (long long)((unsigned __int128)aa * bb >> 64);
    *o++ = ((long long)x + y) >> 1;
    *o++ = ((long long)x + y + 1) >> 1;
    *o++ = ((long long)a + b) >> 1;
    *o++ = ((long long)a + b + 1) >> 1;
    *o++ = (unsigned int)llabs((long long)x - y) + c;
    *o++ = (unsigned int)llabs((long long)a - b) + c;
    o[-2] = (unsigned int)o[-2];
    o[-1] = (unsigned int)o[-1];
    *o++ = dot(a, b, c, 4, 0, true);
    *o++ = dot(a, b, c, 4, 0, false);
    *o++ = dot(a, b, c, 2, 0, true);
    *o++ = dot(a, b, c, 2, 1, false);
    *o++ = x < y ? x : y;
    *o++ = a > b ? a : b;
    *o++ = y == (int)0x80000000 ? 0 : labs(y);
    *o++ = (long long)(aa >> 1);
    *o++ = (long long)x / divisor;
    *o++ = (long long)x % divisor;
    *o++ = (long long)(aa / (bb | 1));
    *o++ = (long long)aa % (long long)(bb | 1 | 1ull << 40);
    *o++ = x >> (c & 31);
    *o++ = (long long)(aa >> (c & 63));
    *o++ = (long long)aa > (long long)bb ? (long long)aa : (long long)bb;
    unsigned int unsigned_bytes = 0, signed_bytes = 0, sum = c;
    for (int i = 0; i < 32; i += 8) {
        unsigned int difference = (unsigned int)abs((int)(a >> i & 255) - (int)(b >> i & 255));
        unsigned_bytes |= difference << i;
        sum += difference;
        signed_bytes |= (unsigned int)abs((signed char)(a >> i) - (signed char)(b >> i)) << i;
    }
    *o++ = unsigned_bytes;
    *o++ = signed_bytes;
    *o++ = sum;
}

/* Quotients, remainders and conversions of 128 bits, of operands of every length and sign. */
typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;
struct divided {
    unsigned_wide quotient, rest, tenth;
    wide signed_quotient, signed_rest, minus_seventh;
    double as_double, as_signed_double;
    float as_float, as_signed_float;
    unsigned_wide of_double, of_float;
    wide of_signed_double, of_signed_float;
};
enum { DIVISIONS = 1024 };
__host__ __device__ static unsigned_wide operand(unsigned int i)
{
    if (i % 16 < 2) /* between two doubles or floats; the last bit decides which is nearer */
        return (unsigned_wide)(i % 2 ? 1ull << 53 | 1 : 1ull << 24 | 1) << (70 - i % 7) | (i / 16 & 1) << 1;
    unsigned long long high = i * 0x9e3779b97f4a7c15ull, low = (i + 7) * 0xd1b54a32d192ed03ull;
    unsigned_wide x = ((unsigned_wide)high << 64 | low) >> (i * 37 % 128);
    return i % 3 == 0 ? 0 - x : x;
}
__host__ __device__ static divided divide(unsigned int i)
{
    unsigned_wide n = operand(i), d = operand(31 * i + 5);
    wide m = (wide)n, e = (wide)d;
    d += d == 0;
    e = e == 0 || e == -1 ? 3 : e;
    divided r = {n / d, n % d, n / 10, m / e, m % e, m / -7};
    r.as_double = (double)n;
    r.as_signed_double = (double)m;
    r.as_float = (float)(n >> 1); /* the largest would be infinite */
    r.as_signed_float = (float)m;
    r.of_double = (unsigned_wide)((double)d * 0.3);
    r.of_float = (unsigned_wide)((float)(d >> 1) * 0.3f);
    r.of_signed_double = (wide)((double)m * 0.3);
    r.of_signed_float = (wide)((float)m * 0.3f);
    return r;
}
__global__ void divide_all(divided *out)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = divide(i);
}
static void test_wide_division(void)
{
    divided *out = make_array<divided>(DIVISIONS);
    divide_all<<<DIVISIONS / 256, 256>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (unsigned int i = 0; i < DIVISIONS; i++) {
        divided want = divide(i), got = out[i];
        CHECK(got.quotient == want.quotient && got.rest == want.rest && got.tenth == want.tenth);
        CHECK(got.signed_quotient == want.signed_quotient && got.signed_rest == want.signed_rest);
        CHECK(got.minus_seventh == want.minus_seventh);
        CHECK_FLOAT(got.as_double, want.as_double, 0);
        CHECK_FLOAT(got.as_signed_double, want.as_signed_double, 0);
        CHECK_FLOAT(got.as_float, want.as_float, 0);
        CHECK_FLOAT(got.as_signed_float, want.as_signed_float, 0);
        CHECK(got.of_double == want.of_double && got.of_signed_double == want.of_signed_double);
        CHECK(got.of_float == want.of_float && got.of_signed_float == want.of_signed_float);
    }
}

int main(void)
{
    const unsigned int values[] = {0,          1,          2,          31,         32,
                                   33,         0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
                                   0x12345678, 0xdeadbeef, 0x00ffffff, 0xff800000, 0x3210,
                                   0x7654,     12345,      0x80808080, 0x7f7f7f7f, 0xfffffff0};
    const int count = sizeof(values) / sizeof(values[0]);
    unsigned int *in = make_array<unsigned int>(count);
    long long *out = make_array<long long>(count * RESULTS), want[RESULTS];
    memcpy(in, values, sizeof(values));
    compute<<<1, 1>>>(in, count, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++) {
        expect(in, i, count, want);
        for (int j = 0; j < RESULTS; j++)
            if (out[i * RESULTS + j] != want[j] && check_failures++ < 10)
                printf("argument %d, function %d: 0x%llx, not 0x%llx\n", i, j,
                       (unsigned long long)out[i * RESULTS + j], (unsigned long long)want[j]);
    }
    test_wide_division();
    return check_done();
}
