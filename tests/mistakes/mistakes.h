/* mistakes.h - one program of many small mistakes, each beside its right twin.
 *
 *     template <bool right> __global__ void k(...) { ...; x = a[i]; // MISTAKE name kind
 *     TWINS(name) { k<right><<<1, 64>>>(buffer<int>(64)); }
 *
 * `./program name` runs the mistake and must be told one of that kind at that very line; `./program
 * name_right` runs the twin and must be told nothing. `./program` lists the names.
 * tests/mistakes/run does all of it. */
#ifndef MISTAKES_H
#define MISTAKES_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct twins {
    const char *name;
    void (*wrong)();
    void (*right)();
    twins *next;
    static twins *&first()
    {
        static twins *list;
        return list;
    }
    twins(const char *n, void (*w)(), void (*r)()) : name(n), wrong(w), right(r), next(first())
    {
        first() = this;
    }
};

#define TWINS(name)                                                                                \
    template <bool right> static void run_##name();                                                \
    static twins twins_##name(#name, run_##name<false>, run_##name<true>);                         \
    template <bool right> static void run_##name()

static inline void must(cudaError_t code)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "mistakes: %s\n", cudaGetErrorString(code));
        exit(3);
    }
}

enum { MOST_BUFFERS = 16 };
static void *buffers[MOST_BUFFERS];
static int buffer_count;

/* Zeroed device memory, given back by main(). */
template <typename T> static T *buffer(size_t n)
{
    void *p;
    must(cudaMalloc(&p, n * sizeof(T)));
    must(cudaMemset(p, 0, n * sizeof(T)));
    buffers[buffer_count++] = p;
    return static_cast<T *>(p);
}

int main(int argc, char **argv)
{
    for (const twins *t = twins::first(); t != NULL; t = t->next) {
        if (argc < 2) {
            printf("%s\n", t->name);
            continue;
        }
        size_t length = strlen(t->name);
        bool same = strncmp(argv[1], t->name, length) == 0;
        if (same && argv[1][length] == '\0') {
            t->wrong();
        } else if (same && strcmp(argv[1] + length, "_right") == 0) {
            t->right();
        } else {
            continue;
        }
        bool good = cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess;
        for (int i = 0; i < buffer_count; i++) {
            cudaFree(buffers[i]);
        }
        return good ? 0 : 1;
    }
    return argc < 2 ? 0 : 2;
}

#endif
