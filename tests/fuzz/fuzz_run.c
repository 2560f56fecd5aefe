/* fuzz_run.c - what can be decoded is executed: two blocks of 48 threads, every 8-byte parameter a
 * pointer to a buffer, everything checked and observed. Kernels may fault; the simulator may not.
 */
#include "api/simt.h"
#include "machine/memory.h"
#include "check/check.h"

#include "common/gpu/gpu_limits.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 4096, MOST_TEXT = 1 << 15, MOST_KERNELS = 4, PARAM_ROOM = 4096 };

static struct simt *gpu;
static struct check *check;
static uint64_t buffer;

static void drop(void *state, const char *text, size_t length)
{
    (void)state;
    (void)text;
    (void)length;
}

static void open_gpu(void)
{
    struct err e = {0};
    setenv("SIMT_MAX_INSTRUCTIONS", "20000", 1);
    gpu = simt_open(gpu_limits_default(), 1, &e);
    check = check_open(CHECK_ALL);
    if (gpu == NULL || check == NULL) {
        abort();
    }
    simt_set_output(gpu, drop, NULL);
    check_attach(check, simt_memory(gpu));
    simt_observe(gpu, check_observer(check), &e);
    buffer = memory_alloc(simt_memory(gpu), BUFFER_BYTES, MEMORY_DEVICE, "fuzz", NULL)->begin;
}

static void run_kernel(struct simt_module *m, const char *name)
{
    struct err e = {0};
    static uint8_t params[PARAM_ROOM];
    struct simt_counters counters;
    const struct simt_kernel *k = simt_module_kernel(m, name, &e);
    if (k == NULL || simt_kernel_param_bytes(k) > PARAM_ROOM) {
        return;
    }
    memset(params, 3, sizeof params);
    for (unsigned i = 0; i < simt_kernel_param_count(k); i++) {
        uint64_t offset, bytes;
        simt_kernel_param(k, i, &offset, &bytes);
        if (bytes == sizeof buffer) {
            memcpy(params + offset, &buffer, sizeof buffer);
        }
    }
    struct simt_launch launch = {.kernel = k,
                                 .grid = {2, 1, 1},
                                 .block = {16, 3, 1},
                                 .dynamic_shared_bytes = 512,
                                 .params = params};
    simt_run(gpu, &launch, &counters, &e);
}

/* The names behind `.entry`, as they stand in the text. */
static void run_entries(struct simt_module *m, const char *text)
{
    char name[256];
    const char *at = text;
    for (unsigned i = 0; i < MOST_KERNELS && (at = strstr(at, ".entry")) != NULL; i++) {
        at += strlen(".entry");
        at += strspn(at, " \t\r\n");
        size_t length = strcspn(at, " \t\r\n(){},;");
        if (length > 0 && length < sizeof name) {
            memcpy(name, at, length);
            name[length] = '\0';
            run_kernel(m, name);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    if (gpu == NULL) {
        open_gpu();
    }
    char *text = malloc(size + 1);
    if (text == NULL || size > MOST_TEXT) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    struct simt_module *m = simt_module_load(gpu, text, size, "fuzz.ptx", &e);
    if (m != NULL) {
        run_entries(m, text);
        simt_module_unload(m);
    }
    free(text);
    return 0;
}
