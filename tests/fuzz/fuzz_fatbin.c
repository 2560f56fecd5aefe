/* fuzz_fatbin.c - libFuzzer target: any bytes at all, taken for what a compiler embeds in a host
 * program, give PTX text that lies in the given memory, or an error of one line.
 *
 * clang -fsanitize=fuzzer,address,undefined; run with corpus_fatbin/ as its seeds. */
#include "common/simt/ptx/fatbin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct err e = {0};
    const char *text = NULL;
    size_t length = 0;
    if (size == 0) { /* 0 would mean: the size is not known */
        return 0;
    }
    if (!fatbin_ptx(data, size, 90, &arena, &text, &length, &e)) {
        if (!e.set || e.text[0] == '\0' || strchr(e.text, '\n') != NULL) {
            abort();
        }
    } else if (e.set || memchr(text, '\0', length) != NULL) {
        abort(); /* memchr reads all of it, which AddressSanitizer watches */
    }
    arena_free(&arena);
    return 0;
}
