/* replay.c - a fuzz target without a fuzzer: each file that is named, and nothing at all, is given
 * to it once. Linked with one of fuzz_*.c by tests/fuzz/run --replay. Exit code 2: a file cannot be
 * read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_SECONDS = 10, MOST_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The target gets memory of just that size, so that the sanitizer sees a byte read behind it. */
static void try_input(const uint8_t *bytes, size_t size)
{
    uint8_t *data = malloc(size);
    for (size_t i = 0; i < size; i++) {
        data[i] = bytes[i];
    }
    alarm(MOST_SECONDS); /* what takes longer hangs: the signal ends the program */
    LLVMFuzzerTestOneInput(data, size);
    alarm(0);
    free(data);
}

int main(int argc, char **argv)
{
    static uint8_t bytes[MOST_BYTES];
    try_input(bytes, 0);
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
        if (file == NULL || size == 0 || size == sizeof bytes) {
            fprintf(stderr, "replay: %s cannot be read, or has no bytes, or over a million\n",
                    argv[i]);
            return 2;
        }
        fclose(file);
        fprintf(stderr, "%s\n", argv[i]); /* the last line before a failure names its input */
        try_input(bytes, size);
    }
    return 0;
}
