/* narrow_rows.h - a kernel and, where the host has it, a function for each row of ROWS. Read
 * once for each format, with H, H2, Raw, FORMAT, TO_H and ROWS defined; leaves the table `rows`. */
#define JOINED_(a, b) a##b
#define JOINED(a, b)  JOINED_(a, b)
#define VALUE(where, name, ...)                                                                    \
    where static uint64_t JOINED(name, __LINE__)(unsigned index)                                   \
    {                                                                                              \
        operands<H, H2, Raw> o(index);                                                             \
        NAMES;                                                                                     \
        return bits_of(__VA_ARGS__);                                                               \
    }

#define DEVICE(...)                                                                                \
    VALUE(__device__, value, __VA_ARGS__)                                                          \
    __global__ void JOINED(kernel, __LINE__)(uint64_t * out)                                       \
    {                                                                                              \
        unsigned index = blockIdx.x * blockDim.x + threadIdx.x;                                    \
        out[index] = JOINED(value, __LINE__)(index);                                               \
    }
#define BOTH(...) DEVICE(__VA_ARGS__) VALUE(, host, __VA_ARGS__)
#include ROWS
#undef DEVICE
#undef BOTH

#define DEVICE(...) {FORMAT " " #__VA_ARGS__, JOINED(kernel, __LINE__), NULL},
#define BOTH(...)   {FORMAT " " #__VA_ARGS__, JOINED(kernel, __LINE__), JOINED(host, __LINE__)},
static const struct row rows[] = {
#include ROWS
};
#undef DEVICE
#undef BOTH

#undef VALUE
#undef JOINED
#undef JOINED_
#undef FORMAT
#undef TO_H
#undef ROWS
