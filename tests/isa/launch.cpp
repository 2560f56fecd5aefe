/* launch.cpp - does the simulator execute, or reject, each instruction of a list? The lines of
 * standard input are rows of instructions.txt; each sample becomes a module of its own, with a
 * kernel that jumps over it. The launch decodes the whole kernel, so it fails where the instruction
 * is rejected. One line for each row: yes or no, a tab, its name. */
#include <cuda.h>

#include <iostream>
#include <string>

/* The module around a sample. What it may name: p and q, h0 to h3 (16 bits), r0 to r19, f0 to f19,
 * d0 to d5 and e0 to e3 (64 bits), x0 and x1 (128 bits), the function callee and the list LABELS.
 */
static std::string module_of(const std::string &sample)
{
    return ".version 9.0\n.target sm_90a\n.address_size 64\n"
           ".func (.param .b32 out) callee(.param .b32 in)\n{\n.reg .b32 r;\nld.param.b32 r, "
           "[in];\nst.param.b32 [out], r;\nret;\n}\n"
           ".entry k(.param .u32 n)\n{\n"
           ".reg .pred p, q;\n.reg .b16 h<4>;\n.reg .b32 r<20>;\n.reg .f32 f<20>;\n.reg .b64 "
           "d<6>;\n.reg .f64 e<4>;\n" +
           std::string(sample.find("x0") != std::string::npos ? ".reg .b128 x<2>;\n" : "") +
           "ld.param.u32 r9, [n];\nsetp.eq.u32 p, r9, 0;\n@p bra DONE;\n" +
           std::string(sample.compare(0, 3, "brx") == 0 ? "LABELS: .branchtargets DONE;\n" : "") +
           sample + "\nDONE:\nret;\n}\n";
}

static bool runs(const std::string &text)
{
    CUmodule module;
    CUfunction kernel;
    unsigned zero = 0;
    void *params[] = {&zero};
    if (cuModuleLoadData(&module, text.c_str()) != CUDA_SUCCESS) {
        return false;
    }
    const bool yes =
        cuModuleGetFunction(&kernel, module, "k") == CUDA_SUCCESS &&
        cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, NULL, params, NULL) == CUDA_SUCCESS &&
        cuCtxSynchronize() == CUDA_SUCCESS;
    cuModuleUnload(module);
    return yes;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    std::string line;
    const bool prints = argc > 1 && std::string(argv[1]) == "--print";
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
        cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS) {
        std::cerr << "launch: no device\n";
        return 2;
    }
    while (std::getline(std::cin, line)) {
        const size_t name = line.find('|'), since = line.find('|', name + 1),
                     why = line.find('|', since + 1);
        if (line.empty() || line[0] == '#' || why == std::string::npos) {
            continue;
        }
        const std::string text = module_of(line.substr(why + 1));
        if (prints) {
            std::cout << text << "//end\n";
        } else {
            std::cout << (runs(text) ? "yes\t" : "no\t") << line.substr(0, name) << std::endl;
        }
    }
    return 0;
}
