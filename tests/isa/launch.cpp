/* launch.cpp - does the simulator execute, or reject, each instruction of a list? The lines of
 * standard input are rows of instructions.txt.
 *
 *   launch                     each sample is a module of its own for sm_90a, with a kernel that
 * jumps over it. The launch decodes the whole kernel, so it fails where the instruction is
 * rejected. A line for each row: yes or no, a tab, its name launch --load sm_80 9.0    the same of
 * modules for that target and version that are only loaded; "own": the row's; "before": the version
 * before the row's launch --print sm_80       one module with all samples, for ptxas; in front of
 * each a comment: the row */
#include <cuda.h>

#include <iostream>
#include <string>

struct row {
    std::string name, version, target, why, sample;
};

static std::string head(const std::string &target, const std::string &version)
{
    return ".version " + version + "\n.target " + target +
           "\n.address_size 64\n"
           ".func (.param .b32 out) callee(.param .b32 in)\n{\n.reg .b32 r;\nld.param.b32 r, "
           "[in];\nst.param.b32 [out], r;\nret;\n}\n";
}

/* The kernel around a sample. What it may name: p and q, h0 to h3 (16 bits), r0 to r19, f0 to f19,
 * d0 to d5 and e0 to e3 (64 bits), x0 and x1 (128 bits), the function callee and the list LABELS.
 */
static std::string kernel(const std::string &name, const std::string &sample)
{
    return ".entry " + name +
           "(.param .u32 n)\n{\n"
           ".reg .pred p, q;\n.reg .b16 h<4>;\n.reg .b32 r<20>;\n.reg .f32 f<20>;\n.reg .b64 "
           "d<6>;\n.reg .f64 e<4>;\n" +
           std::string(sample.find(" x0") != std::string::npos ? ".reg .b128 x<2>;\n" : "") +
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

static bool loads(const std::string &text)
{
    CUmodule module;
    const bool yes = cuModuleLoadData(&module, text.c_str()) == CUDA_SUCCESS;
    if (yes) {
        cuModuleUnload(module);
    }
    return yes;
}

/* "8.0" becomes "7.9", which nobody has published: it is older than 8.0 and not older than 7.8. */
static std::string before(const std::string &version)
{
    const int tenths = 10 * (version[0] - '0') + (version[2] - '0') - 1;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

static bool read_row(const std::string &line, row &r)
{
    std::string *const fields[] = {&r.name, &r.version, &r.target, &r.why};
    size_t at = 0;
    for (std::string *field : fields) {
        const size_t end = line.find('|', at);
        if (line[0] == '#' || end == std::string::npos) {
            return false;
        }
        *field = line.substr(at, end - at);
        at = end + 1;
    }
    r.sample = line.substr(at);
    return true;
}

static bool verdict(const row &r, const std::string &target, const std::string &version)
{
    const std::string own = version == "before" ? before(r.version) : r.version;
    return loads(head(target == "own" ? r.target : target, version[0] > '9' ? own : version) +
                 kernel("k", r.sample));
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    std::string line;
    row r;
    const std::string mode = argc > 2 ? argv[1] : "";
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
        cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS) {
        std::cerr << "launch: no device\n";
        return 2;
    }
    if (mode == "--print") {
        std::cout << head(argv[2], "9.0");
    }
    for (int n = 0; std::getline(std::cin, line);) {
        if (line.empty() || !read_row(line, r)) {
            continue;
        }
        if (mode == "--print") {
            std::cout << "//" << r.name << "\n" << kernel("k" + std::to_string(n++), r.sample);
            continue;
        }
        const bool yes = mode == "--load" ? verdict(r, argv[2], argc > 3 ? argv[3] : "9.0")
                                          : runs(head("sm_90a", "9.0") + kernel("k", r.sample));
        std::cout << (yes ? "yes\t" : "no\t") << r.name << std::endl;
    }
    return 0;
}
