/* flags: -arch=sm_90 */
/* Video instructions, cvt.pack and their forms against an interpreter of their text, which follows
 * the manual's words: PTX ISA, "Video Instructions" and "cvt.pack". An H200 differs from them in some (README). */
#include "check.h"

#include <string>
#include <vector>

/* Each line is an instruction: destination, sources a and b, and c, if it has one. */
#define EACH_OF(op, types)                                                                         \
    I(op types " %0, %1, %2;")                                                                     \
    I(op types ".sat %0, %1.b0, %2.h1;")                                                           \
    I(op types ".add %0, %1.h0, %2.b3, %3;")                                                       \
    I(op types ".sat.min %0, %1, %2.h1, %3;")                                                      \
    I(op types ".sat.max %0, %1.b2, %2, %3;")                                                      \
    I(op types " %0.h1, %1.b1, %2, %3;")                                                           \
    I(op types ".sat %0.b2, %1.h1, %2.h0, %3;")
#define SCALAR(op)                                                                                 \
    EACH_OF(op, ".u32.u32.u32")                                                                    \
    EACH_OF(op, ".s32.u32.s32") EACH_OF(op, ".u32.s32.u32") EACH_OF(op, ".s32.s32.s32")
#define SHIFT(op, types)                                                                           \
    I(op types ".clamp %0, %1, %2.b0;")                                                            \
    I(op types ".wrap %0, %1.h1, %2;")                                                             \
    I(op types ".sat.clamp %0, %1, %2.h1;")                                                        \
    I(op types ".sat.wrap.add %0, %1.b3, %2.b1, %3;") I(op types ".sat.clamp %0.b1, %1, %2.b3, "   \
                                                                 "%3;")
#define MAD(types)                                                                                 \
    I("vmad" types " %0, %1.h0, %2.h1, %3;")                                                       \
    I("vmad" types ".po %0, %1, %2.b0, %3;")                                                       \
    I("vmad" types ".sat.shr7 %0, %1, %2, %3;")                                                    \
    I("vmad" types ".sat.shr15 %0, -%1.h0, %2, %3;")                                               \
    I("vmad" types ".shr7 %0, %1.b3, %2.h0, -%3;") I("vmad" types ".sat %0, %1, -%2.h0, %3;")
#define LANES(op, types, part, d_part, a_part)                                                     \
    I(op types " %0, %1, %2, %3;")                                                                 \
    I(op types ".sat %0, %1, %2, %3;")                                                             \
    I(op types ".add %0, %1, %2, %3;")                                                             \
    I(op types " %0" d_part ", %1" a_part ", %2, %3;")                                             \
    I(op types ".add %0" d_part ", %1, %2" a_part ", %3;")
#define TWO(op)                                                                                    \
    LANES(op "2", ".u32.u32.u32", "h", ".h1", ".h30")                                              \
    LANES(op "2", ".s32.s32.u32", "h", ".h0", ".h12")
#define FOUR(op)                                                                                   \
    LANES(op "4", ".u32.u32.u32", "b", ".b20", ".b7016")                                           \
    LANES(op "4", ".s32.s32.s32", "b", ".b321", ".b0123")
#define LANE_WISE(op) TWO(op) FOUR(op)
#define SET(comparison)                                                                            \
    I("vset.u32.s32." comparison " %0, %1.h1, %2.b3;")                                             \
    I("vset.s32.s32." comparison ".add %0, %1, %2, %3;")                                           \
    I("vset.u32.u32." comparison " %0.b3, %1, %2, %3;")                                            \
    I("vset2.s32.u32." comparison " %0, %1, %2, %3;")                                              \
    I("vset4.u32.u32." comparison ".add %0.b10, %1, %2.b6543, %3;")
#define INSTRUCTIONS                                                                               \
    SCALAR("vadd")                                                                                 \
    SCALAR("vsub")                                                                                 \
    SCALAR("vabsdiff")                                                                             \
    SCALAR("vmin")                                                                                 \
    SCALAR("vmax")                                                                                 \
    SHIFT("vshl", ".u32.u32.u32")                                                                  \
    SHIFT("vshl", ".s32.s32.u32")                                                                  \
    SHIFT("vshr", ".u32.u32.u32")                                                                  \
    SHIFT("vshr", ".s32.s32.u32")                                                                  \
    MAD(".u32.u32.u32")                                                                            \
    MAD(".s32.s32.u32")                                                                            \
    MAD(".s32.s32.s32")                                                                            \
    LANE_WISE("vadd")                                                                              \
    LANE_WISE("vsub")                                                                              \
    LANE_WISE("vavrg")                                                                             \
    LANE_WISE("vabsdiff")                                                                          \
    LANE_WISE("vmin")                                                                              \
    LANE_WISE("vmax")                                                                              \
    SET("eq")                                                                                      \
    SET("ne")                                                                                      \
    SET("lt") SET("le") SET("gt") SET("ge") I("cvt.pack.sat.u16.s32 %0, %1, %2;")                  \
        I("cvt.pack.sat.s16.s32 %0, %1, %2;") I("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;")         \
            I("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;")                                           \
                I("cvt.pack.sat.u4.s32.b32 %0, %1, %2, %3;")                                       \
                    I("cvt.pack.sat.s2.s32.b32 %0, %1, %2, %3;")

#define I(text) text,
static const char *const instructions[] = {INSTRUCTIONS};
#undef I
enum { COUNT = sizeof instructions / sizeof instructions[0], VALUES = 96 };

__global__ void compute(const unsigned *in, unsigned *out)
{
    const unsigned a = in[threadIdx.x], b = in[(threadIdx.x * 5 + 1) % VALUES],
                   c = in[(threadIdx.x * 7 + 3) % VALUES];
    unsigned d, *o = out + threadIdx.x;
#define I(text)                                                                                    \
    asm(text : "=r"(d) : "r"(a), "r"(b), "r"(c));                                                  \
    *o = d;                                                                                        \
    o += VALUES;
    INSTRUCTIONS
#undef I
}

/* --- the interpreter ------------------------------------------------------------------------- */

typedef __int128 wide;

struct instruction {
    std::string op;
    std::vector<std::string> words; /* behind its name */
    std::string parts[4];           /* of d, a, b, c: "h1", or "" */
    bool negated[4];
    int operands;
};

static instruction parse(const char *text)
{
    instruction x = {};
    const char *at = text;
    std::string *word = &x.op;
    for (; *at != ' '; at++) {
        if (*at == '.') {
            x.words.push_back("");
            word = &x.words.back();
        } else {
            *word += *at;
        }
    }
    for (at++; *at != ';'; at++) {
        int &n = x.operands;
        if (*at == '-') {
            x.negated[n] = true;
        } else if (*at == '.') {
            for (at++; *at != ',' && *at != ';'; at++)
                x.parts[n] += *at;
            at--;
        } else if (*at == ',') {
            n++;
        }
    }
    x.operands++;
    return x;
}

static bool has(const instruction &x, const char *word)
{
    for (const std::string &w : x.words)
        if (w == word)
            return true;
    return false;
}

static wide extend(unsigned long long value, int bits, bool is_signed)
{
    value &= (1ull << bits) - 1;
    return is_signed && value >> (bits - 1) ? (wide)value - ((wide)1 << bits) : (wide)value;
}

static int bits_of_part(const std::string &part)
{
    return part == "" ? 32 : part[0] == 'b' ? 8 : 16;
}

static int first_bit(const std::string &part)
{
    return part == "" ? 0 : bits_of_part(part) * (part[1] - '0');
}

static wide select_part(unsigned value, const std::string &part, bool is_signed)
{
    return extend(value >> first_bit(part), bits_of_part(part), is_signed);
}

static wide clamp(wide value, int bits, bool is_signed)
{
    const wide most = ((wide)1 << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? ~most : 0;
    return value > most ? most : value < least ? least : value;
}

static wide operate(const instruction &x, wide a, wide b)
{
    const std::string op = x.op.substr(0, x.op.find_first_of("24"));
    if (op == "vadd")
        return a + b;
    if (op == "vsub")
        return a - b;
    if (op == "vabsdiff")
        return a > b ? a - b : b - a;
    if (op == "vmin")
        return a < b ? a : b;
    if (op == "vmax")
        return a > b ? a : b;
    if (op == "vavrg")
        return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    if (op == "vset")
        return has(x, "eq")   ? a == b
               : has(x, "ne") ? a != b
               : has(x, "lt") ? a < b
               : has(x, "le") ? a <= b
               : has(x, "gt") ? a > b
                              : a >= b;
    const int by = has(x, "wrap") ? (int)(b & 31) : b > 32 ? 32 : (int)b;
    return op == "vshl" ? a * ((wide)1 << by) : a >> by;
}

static unsigned lanes(const instruction &x, const bool is_signed[3], unsigned a, unsigned b,
                      unsigned c)
{
    const int count = x.op.back() - '0', bits = 32 / count;
    const unsigned long long both = (unsigned long long)b << 32 | a;
    unsigned added = c, merged = 0;
    for (int lane = 0; lane < count; lane++) {
        wide source[2];
        for (int s = 0; s < 2; s++) {
            const std::string &part = x.parts[1 + s];
            const int which = part == "" ? lane + s * count : part[(size_t)(count - lane)] - '0';
            source[s] = extend(both >> which * bits, bits, is_signed[1 + s]);
        }
        const bool computed =
            x.parts[0] == "" || x.parts[0].find((char)('0' + lane)) != std::string::npos;
        wide t = operate(x, source[0], source[1]);
        t = has(x, "sat") ? clamp(t, bits, is_signed[0]) : t;
        added += computed ? (unsigned)t : 0;
        merged |= (unsigned)extend(computed ? (unsigned long long)t : c >> lane * bits, bits, false)
                  << lane * bits;
    }
    return has(x, "add") ? added : merged;
}

static unsigned multiply_add(const instruction &x, const bool is_signed[3], wide a, wide b,
                             unsigned c)
{
    const bool minus = x.negated[1] != x.negated[2];
    const bool signed_product = is_signed[1] || is_signed[2] || minus;
    wide sum = (minus ? -1 : 1) * (a * b);
    sum += (x.negated[3] ? -1 : 1) * extend(c, 32, signed_product) + has(x, "po");
    sum >>= has(x, "shr7") ? 7 : has(x, "shr15") ? 15 : 0;
    return (unsigned)(has(x, "sat") ? clamp(sum, 32, signed_product || x.negated[3]) : sum);
}

static unsigned pack(const instruction &x, int a, int b, unsigned c)
{
    const int bits = atoi(x.words[2].c_str() + 1);
    const bool is_signed = x.words[2][0] == 's';
    const unsigned long long high = (unsigned long long)extend(
                                 (unsigned long long)clamp(a, bits, is_signed), bits, false),
                             low = (unsigned long long)extend(
                                 (unsigned long long)clamp(b, bits, is_signed), bits, false);
    return (unsigned)(low | high << bits | (unsigned long long)c << 2 * bits);
}

static unsigned interpret(const instruction &x, unsigned a, unsigned b, unsigned c)
{
    bool is_signed[3] = {false, false, false};
    if (x.op == "cvt")
        return pack(x, (int)a, (int)b, x.operands == 4 ? c : 0);
    const int types = x.op.substr(0, 4) == "vset" ? 2 : 3;
    for (int i = 0; i < types; i++)
        is_signed[3 - types + i] = x.words[(size_t)i][0] == 's';
    if (x.op.back() == '2' || x.op.back() == '4')
        return lanes(x, is_signed, a, b, c);
    const wide ta = select_part(a, x.parts[1], is_signed[1]),
               tb = select_part(b, x.parts[2], is_signed[2]);
    if (x.op == "vmad")
        return multiply_add(x, is_signed, ta, tb, c);
    const int bits = bits_of_part(x.parts[0]), at = first_bit(x.parts[0]);
    const wide tc = extend(c, 32, is_signed[0]);
    wide t = operate(x, ta, tb);
    t = has(x, "sat") ? clamp(t, bits, is_signed[0]) : t;
    if (x.parts[0] != "") {
        const unsigned mask = ((1u << bits) - 1) << at;
        return ((unsigned)t << at & mask) | (c & ~mask);
    }
    return (unsigned)(has(x, "add")   ? t + tc
                      : has(x, "min") ? (t < tc ? t : tc)
                      : has(x, "max") ? (t > tc ? t : tc)
                                      : t);
}

int main()
{
    static unsigned in[VALUES], out[COUNT * VALUES];
    static const unsigned extremes[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff,
                                        0x7fff8000, 0x80007fff, 0x7f80ff01, 0x00ff00ff, 33};
    unsigned seed = 12345, *d_in, *d_out;
    for (unsigned i = 0; i < VALUES; i++) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = i < 20 ? extremes[i / 2] : i % 3 == 0 ? seed >> 20 : seed;
    }
    CHECK_CUDA(cudaMalloc(&d_in, sizeof in));
    CHECK_CUDA(cudaMalloc(&d_out, sizeof out));
    CHECK_CUDA(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(d_out, 0xab, sizeof out));
    compute<<<1, VALUES>>>(d_in, d_out);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int k = 0; k < COUNT; k++) {
        const instruction x = parse(instructions[k]);
        for (int i = 0; i < VALUES; i++) {
            const unsigned a = in[i], b = in[(i * 5 + 1) % VALUES], c = in[(i * 7 + 3) % VALUES];
            const unsigned want = interpret(x, a, b, c), got = out[k * VALUES + i];
            if (got != want && check_failures++ < 10)
                printf("%s of 0x%08x, 0x%08x, 0x%08x is 0x%08x, not 0x%08x\n", instructions[k], a,
                       b, c, got, want);
        }
    }
    CHECK_CUDA(cudaFree(d_in));
    CHECK_CUDA(cudaFree(d_out));
    return check_failures != 0;
}
