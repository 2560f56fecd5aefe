/* driver_api.cu - the driver API beside the runtime: contexts, modules from PTX text with an error
 * log, linking of two texts, launches with both kinds of parameters, memory, virtual memory and
 * what is rejected. */
#include <cuda.h>
#include <cuda_runtime.h>

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            failed = 1;                                                                            \
        }                                                                                          \
    } while (0)
#define GOOD(call) CHECK((call) == CUDA_SUCCESS)

static const char scale_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                ".visible .global .align 4 .u32 factor = 3;\n"
                                ".extern .func (.param .b32 r) times(.param .b32 x);\n"
                                ".visible .entry scale(.param .u64 data, .param .u32 n)\n"
                                "{\n"
                                ".reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p;\n"
                                "ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [n];\n"
                                "mov.u32 %r2, %tid.x; setp.ge.u32 %p, %r2, %r1; @%p bra END;\n"
                                "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n"
                                "ld.global.u32 %r3, [%rd3];\n"
                                "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r3;\n"
                                "call.uni (q), times, (p); ld.param.b32 %r4, [q]; }\n"
                                "st.global.u32 [%rd3], %r4;\n"
                                "END: ret;\n}\n";
static const char times_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                ".extern .global .align 4 .u32 factor;\n"
                                ".visible .func (.param .b32 r) times(.param .b32 x)\n"
                                "{\n.reg .b32 %r<4>; ld.param.b32 %r1, [x];\n"
                                "ld.global.u32 %r2, [factor]; mul.lo.u32 %r3, %r1, %r2;\n"
                                "st.param.b32 [r], %r3; ret;\n}\n";

static void test_contexts(CUdevice device)
{
    CUcontext first, second, popped, current;
    int value = 0;
    char name[100];
    GOOD(cuDeviceGetName(name, sizeof name, device));
    CHECK(strlen(name) > 0);
    GOOD(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    CHECK(value == 32);
    GOOD(cuCtxCreate(&first, NULL, 0, device));
    GOOD(cuCtxCreate(&second, NULL, 0, device));
    GOOD(cuCtxPopCurrent(&popped));
    CHECK(popped == second);
    GOOD(cuCtxGetCurrent(&current));
    CHECK(current == first);
    GOOD(cuCtxDestroy(second));
    GOOD(cuCtxDestroy(first));
    GOOD(cuDevicePrimaryCtxRetain(&first, device));
    GOOD(cuCtxSetCurrent(first));
}

/* What an H200's driver said to each (580.159.04); with a kernel of that head and body. */
static void test_texts(void)
{
    static const struct {
        const char *head, *body;
        CUresult code;
    } texts[] = {
        {".version 9.0\n.target sm_80\n", "", CUDA_SUCCESS},
        {".version 8.0\n.target sm_90a\n", "", CUDA_SUCCESS},
        {".version 99.0\n.target sm_80\n", "", CUDA_ERROR_UNSUPPORTED_PTX_VERSION},
        {".version 9.9\n.target sm_80\n", "", CUDA_ERROR_UNSUPPORTED_PTX_VERSION},
        {".version 8.0\n.target sm_999\n", "", CUDA_ERROR_INVALID_PTX},
        {".version 9.0\n.target sm_100\n", "", CUDA_ERROR_INVALID_PTX},
        {".version 8.0\n", "", CUDA_ERROR_INVALID_PTX},
        {".target sm_80\n", "", CUDA_ERROR_INVALID_IMAGE},
        {".version 8.0\n.target sm_80\n", "wgmma.fence.sync.aligned;", CUDA_ERROR_INVALID_PTX},
        {".version 8.0\n.target sm_80\n", "foo r0, r1;", CUDA_ERROR_INVALID_PTX},
        {".version 8.0\n.target sm_80\n", "bra L9;", CUDA_ERROR_INVALID_PTX},
        {".version 8.0\n.target sm_80\n.extern .func f();\n", "call f;", CUDA_ERROR_INVALID_PTX},
        {".version 8.0\n.target sm_80\n.extern .func f();\n", "", CUDA_SUCCESS}};
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[400];
        CUmodule module;
        snprintf(text, sizeof text,
                 "%s.address_size 64\n.visible .entry k()\n{\n.reg .b32 r<2>;\n%s\nret;\n}\n",
                 texts[i].head, texts[i].body);
        const CUresult code = cuModuleLoadData(&module, text);
        if (code != texts[i].code) {
            printf("text %u: code %d instead of %d\n", i, (int)code, (int)texts[i].code);
        }
        CHECK(code == texts[i].code);
        if (code == CUDA_SUCCESS) {
            GOOD(cuModuleUnload(module));
        }
    }
}

static void test_errors(void)
{
    const char *text = NULL;
    CUmodule module;
    char log[500] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    static const char wrong[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                ".visible .entry k()\n{\nadd.u32 %r1, 1, 2\n}\n";
    GOOD(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    CHECK(strcmp(text, "CUDA_ERROR_INVALID_VALUE") == 0);
    GOOD(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    CHECK(strcmp(text, "out of memory") == 0);
    CHECK(cuGetErrorName((CUresult)12345, &text) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuModuleLoadDataEx(&module, wrong, 2, options, values) == CUDA_ERROR_INVALID_PTX);
    /* ptxas names the line behind the one where the semicolon is missing. */
    CHECK(strstr(log, "ptxas application ptx input, line ") == log);
    CHECK(strstr(log, "line 7; ") != NULL || strstr(log, "line 8; ") != NULL);
    static const char undeclared[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                     ".visible .entry k()\n{\n.reg .b32 %r<2>;\n"
                                     "add.u32 %r1, %r7, 2;\nret;\n}\n";
    CHECK(cuModuleLoadData(&module, undeclared) == CUDA_ERROR_INVALID_PTX); /* not first used */
    CHECK(cuModuleLoad(&module, "/nonexistent.ptx") == CUDA_ERROR_FILE_NOT_FOUND);
    static const char no_code[64] = "\177ELF";
    CHECK(cuModuleLoadData(&module, no_code) == CUDA_ERROR_INVALID_IMAGE);
#ifdef SIMT /* which has no use for machine code */
    static const char cubin[64] = "\177ELF\2\1\1\63\7\0\0\0\0\0\0\0\2\0\276";
    CHECK(cuModuleLoadData(&module, cubin) == CUDA_ERROR_NO_BINARY_FOR_GPU);
#endif
    CHECK(cuModuleLoadData(&module, "/* of PTX */ int main() {}") == CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoadData(&module, "") == CUDA_ERROR_INVALID_IMAGE);
    CHECK(cudaGetLastError() == cudaSuccess); /* the runtime's errors are others */
}

static void test_launches(void)
{
    CUlinkState link;
    CUmodule module;
    CUfunction scale, none;
    CUdeviceptr factor, data;
    void *image;
    size_t bytes;
    unsigned host[64], five = 5, n = 64;
    GOOD(cuLinkCreate(0, NULL, NULL, &link));
    GOOD(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)scale_ptx, sizeof scale_ptx, "scale.ptx", 0,
                       NULL, NULL));
    GOOD(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)times_ptx, sizeof times_ptx, "times.ptx", 0,
                       NULL, NULL));
    GOOD(cuLinkComplete(link, &image, &bytes));
    GOOD(cuModuleLoadData(&module, image));
    GOOD(cuLinkDestroy(link));
    GOOD(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(cuModuleGetFunction(&none, module, "none") == CUDA_ERROR_NOT_FOUND);
    GOOD(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    CHECK(bytes == 4);
    GOOD(cuMemAlloc(&data, sizeof host));
    GOOD(cuMemsetD32(data, 7, 64));
    void *parameters[] = {&data, &n};
    GOOD(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
    GOOD(cuMemcpyHtoD(factor, &five, 4));
    struct {
        CUdeviceptr data;
        unsigned n;
    } packed = {data, n};
    size_t size = offsetof(decltype(packed), n) + sizeof packed.n;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    GOOD(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    size = sizeof packed; /* with the padding, which is one parameter too many */
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra) ==
          CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    GOOD(cuCtxSynchronize());
    GOOD(cuMemcpyDtoH(host, data, sizeof host));
    CHECK(host[0] == 105 && host[63] == 105);
    CHECK(cuLaunchKernel(scale, 0, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cudaMemset((void *)data, 0, sizeof host) == cudaSuccess); /* pointers are of both APIs */
    GOOD(cuMemFree(data));
    GOOD(cuModuleUnload(module));
    CHECK(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
}

/* Two pieces of memory behind each other are one array to a copy; unmapped, neither is any. */
static void test_virtual_memory(void)
{
    CUmemAllocationProp properties = {};
    CUmemAccessDesc access = {};
    CUmemGenericAllocationHandle pieces[2];
    CUdeviceptr at;
    size_t step = 0;
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    GOOD(cuMemGetAllocationGranularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    GOOD(cuMemAddressReserve(&at, 2 * step, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        GOOD(cuMemCreate(&pieces[i], step, &properties, 0));
        GOOD(cuMemMap(at + i * step, step, 0, pieces[i], 0));
        GOOD(cuMemRelease(pieces[i]));
    }
    CHECK(cuMemsetD8(at, 1, 16) == CUDA_ERROR_INVALID_VALUE); /* nobody may access it yet */
    GOOD(cuMemSetAccess(at, 2 * step, &access, 1));
    GOOD(cuMemsetD8(at + step - 8, 9, 16)); /* over the seam */
    unsigned char seam[16];
    GOOD(cuMemcpyDtoH(seam, at + step - 8, 16));
    CHECK(seam[0] == 9 && seam[15] == 9);
    GOOD(cuMemUnmap(at, 2 * step));
    CHECK(cuMemcpyDtoH(seam, at, 16) != CUDA_SUCCESS);
    GOOD(cuMemAddressFree(at, 2 * step));
}

/* What has been said of managed memory through one API is told by both. */
static void test_advice(void)
{
    const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    int read_mostly = -1, prefetched = -1, *places[] = {&read_mostly, &prefetched};
    size_t sizes[] = {sizeof(int), sizeof(int)};
    CUmem_range_attribute both[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION};
    CUdeviceptr managed;
    GOOD(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    GOOD(cuMemPrefetchAsync(managed, 4096, here, 0, NULL));
    GOOD(cuMemRangeGetAttributes((void **)places, sizes, both, 2, managed, 4096));
    CHECK(read_mostly == 0 && prefetched == 0);
    GOOD(cuMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    GOOD(cuMemRangeGetAttribute(&read_mostly, sizeof read_mostly, both[0], managed, 4096));
    CHECK(read_mostly == 1);
    CHECK(cuMemRangeGetAttribute(&read_mostly, 1, both[0], managed, 4096) ==
          CUDA_ERROR_INVALID_VALUE);
    GOOD(cuMemFree(managed));
}

static void test_entry_points(void)
{
    void *function = NULL;
    CUdriverProcAddressQueryResult found;
    enum cudaDriverEntryPointQueryResult status;
    GOOD(cuGetProcAddress("cuDeviceGetCount", &function, CUDA_VERSION, 0, &found));
    int count = 0;
    CHECK(found == CU_GET_PROC_ADDRESS_SUCCESS && ((CUresult(*)(int *))function)(&count) == 0);
    CHECK(count >= 1);
    CHECK(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &function, CUDA_VERSION, 0, &status) ==
              cudaSuccess &&
          status == cudaDriverEntryPointSymbolNotFound);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(driver != NULL);
    function = driver != NULL ? dlsym(driver, "cuDeviceGetCount") : NULL;
    CHECK(function != NULL && ((CUresult(*)(int *))function)(&count) == 0 && count >= 1);
    CHECK(dlopen("libcudaless_nonsense.so", RTLD_NOW) == NULL);
}

int main(void)
{
    CUdevice device;
    CUdeviceptr data;
    CHECK(cuDeviceGet(&device, 0) == CUDA_ERROR_NOT_INITIALIZED);
    GOOD(cuInit(0));
    GOOD(cuDeviceGet(&device, 0));
    CHECK(cuMemAlloc(&data, 4) == CUDA_ERROR_INVALID_CONTEXT); /* no context is current yet */
    test_contexts(device);
    test_errors();
    test_texts();
    test_launches();
    test_virtual_memory();
    test_advice();
    test_entry_points();
    return failed;
}
