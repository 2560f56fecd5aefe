/* switches.cu - switches whose cases fall through, jumps, and loops that end early. */
#include "strangers.h"

/* --- switches and jumps ------------------------------------------------------------------------------------------- */
__global__ void interpret(const int *program, const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = in[i];
    for (int pc = 0; pc < 8; pc++) {
        switch (program[(i / 4 * 8 + pc) & 1023] & 7) {
        case 0: a += in[(i + pc) & 1023]; break;
        case 1: a -= pc;
        case 2: a *= 3; break;
        case 3: a ^= in[(a & 1023)];
        case 4:
        case 5: a += 7; break;
        case 6: continue;
        default: a = -a;
        }
        out[(i * 8 + pc) & 8191] = a;
    }
}

__global__ void days_of_month(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int month = in[i] % 12, year = 1900 + in[i] % 200, days = 0;
    switch (month) {
    case 11: days += 30;
    case 10: days += 31;
    case 9: days += 30;
    case 8: days += 31;
    case 7: days += 31;
    case 6: days += 30;
    case 5: days += 31;
    case 4: days += 30;
    case 3: days += 31;
    case 2: days += year % 4 == 0 ? 29 : 28;
    case 1: days += 31;
    }
    out[i] = days;
}

__global__ void fall_through(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    switch (i % 5) {
    case 4: x += in[i * 4 + 3];
    case 3: x *= in[i * 4 + 2];
    case 2: x -= in[i * 4 + 1];
    case 1: x += in[i * 4]; break;
    default: x = -1;
    }
    out[i] = x;
}

__global__ void scan_tokens(const char *text, int *out, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i * 16, words = 0;
    const int end = at + 16 < length ? at + 16 : length;
blank:
    if (at >= end)
        goto done;
    if ((text[at] & 7) == 0) {
        at++;
        goto blank;
    }
    words++;
letter:
    at++;
    if (at >= end)
        goto done;
    if (text[at] & 7)
        goto letter;
    goto blank;
done:
    out[i] = words;
}

__global__ void first_above(const float *in, int *out, int columns, float limit)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int c = 0; c < columns; c++) {
        if (in[row * columns + c] > limit) {
            out[row] = c;
            return;
        }
    }
    out[row] = -1;
}

__global__ void collatz(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long n = (in[i] & 1023) + 1;
    int steps = 0, odd = 0;
    while (true) {
        if (n == 1)
            break;
        if (++steps > 60)
            break;
        if (n % 2 == 0) {
            n /= 2;
            continue;
        }
        n = 3 * n + 1;
        odd++;
    }
    out[i] = steps * 1000 + odd;
}

__global__ void binary_search(const int *sorted, const int *keys, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int key = keys[i] % 3000, low = 0, high = n - 1, found = -1;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (sorted[middle] == key) {
            found = middle;
            break;
        } else if (sorted[middle] < key) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    out[i] = found;
}

__global__ void run_lengths(const unsigned char *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *row = in + i * 24;
    int runs = 0, longest = 0;
    for (int k = 0; k < 24;) {
        int start = k;
        while (k < 24 && (row[k] & 1) == (row[start] & 1))
            k++;
        if (k - start > longest)
            longest = k - start;
        runs++;
    }
    out[i] = runs * 100 + longest;
}

__global__ void integer_root(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = in[i] & 0xfffff, x = n / 2 + 1, before;
    do {
        before = x;
        x = (x + n / (x ? x : 1)) / 2;
    } while (x < before);
    out[i] = before;
}

void run_switches(void)
{
    const int *in = (const int *)d_in;
    int *out = (int *)d_out;
    RUN(interpret, WHOLE, interpret<<<2, 128>>>(in + 2048, in, out));
    RUN(days_of_month, WHOLE, days_of_month<<<2, 128>>>(in, out));
    RUN(fall_through, FLOATS, fall_through<<<2, 128>>>((const float *)d_in, (float *)d_out));
    RUN(scan_tokens, WHOLE, scan_tokens<<<2, 128>>>((const char *)d_in, out, 4090));
    RUN(first_above, FLOATS, first_above<<<2, 128>>>((const float *)d_in, out, 30, 9.0f));
    RUN(collatz, WHOLE, collatz<<<2, 128>>>(in, out));
    RUN(binary_search, SORTED, binary_search<<<2, 128>>>(in, in + 5000, out, 2000));
    RUN(run_lengths, WHOLE, run_lengths<<<2, 128>>>((const unsigned char *)d_in, out));
    RUN(integer_root, WHOLE, integer_root<<<2, 128>>>(in, out));
}
