# instead.awk - what to write where a program uses something that CUDA 13 does not have any more, and which compiler
# takes what clang does not. Input: what the compiler said, nvcc or clang; output: one line for each name, three at most.

# Every name between quotes on a line of an error; and what only nvcc's words tell.
function names_of(text, list, n) {
    n = 0
    while (match(text, /['"][A-Za-z_][A-Za-z0-9_]*['"]/)) {
        list[++n] = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH - 1)
    }
    return n
}
function tell(name) {
    if (!(name in instead) || name in told || count == 3) return
    told[name] = 1
    count++
    print "simtcc: CUDA 13 has no " name instead[name]
}
function only_nvcc(what) {
    if (said_nvcc++ == 0) print "simtcc: " what ": nvcc alone compiles that (--frontend=nvcc -rdc=true)"
}
function no_wait() {
    if (said_no_wait++ == 0)
        print "simtcc: CUDA 13 has no cudaDeviceSynchronize() in kernels: what must come behind the kernels that a grid launches goes into cudaStreamTailLaunch"
}
function attribute(member, constant) {
    instead["cudaDeviceProp::" member] = ": cudaDeviceGetAttribute(&value, " constant ", device) gives the number"
}
function with_mask(name) {
    instead[name] = "(): " name "_sync() takes the mask of the lanes that take part as its first argument"
}

BEGIN {
    attribute("clockRate", "cudaDevAttrClockRate")
    attribute("memoryClockRate", "cudaDevAttrMemoryClockRate")
    attribute("computeMode", "cudaDevAttrComputeMode")
    attribute("kernelExecTimeoutEnabled", "cudaDevAttrKernelExecTimeout")
    attribute("singleToDoublePrecisionPerfRatio", "cudaDevAttrSingleToDoublePrecisionPerfRatio")
    instead["cudaDeviceProp::deviceOverlap"] = ": asyncEngineCount > 0 says the same"
    instead["cudaDeviceProp::cooperativeMultiDeviceLaunch"] = ", nor launches over several GPUs"
    split("__shfl __shfl_up __shfl_down __shfl_xor __any __all __ballot", votes, " ")
    for (i in votes) with_mask(votes[i])
    instead["cudaThreadSynchronize"] = "(): cudaDeviceSynchronize() waits for the device"
    instead["cudaLaunchCooperativeKernelMultiDevice"] = "(): cudaLaunchCooperativeKernel() launches on one device"
    instead["cudaLaunchParams"] = ", nor launches over several GPUs: cudaLaunchCooperativeKernel() launches on one"
    instead["cudaThreadExit"] = "(): cudaDeviceReset() resets it"
    instead["texture"] = "<> references: cudaCreateTextureObject() makes a texture object, which a kernel takes as an argument"
    instead["cudaBindTexture"] = "(): cudaCreateTextureObject() makes a texture object"
    instead["cudaBindTexture2D"] = instead["cudaBindTextureToArray"] = instead["cudaUnbindTexture"] = instead["cudaBindTexture"]
    instead["cudaMemcpyToArray"] = "(): cudaMemcpy2DToArray() copies rows"
    instead["cudaMemcpyFromArray"] = "(): cudaMemcpy2DFromArray() copies rows"
    place = "() with a device's number: its place is a cudaMemLocation, {cudaMemLocationTypeDevice, device}"
    instead["cudaMemPrefetchAsync"] = place ", and flags, 0, stand before the stream"
    instead["cudaMemAdvise"] = place
    instead["cuCtxCreate"] = "() of three arguments: cuCtxCreate(&context, NULL, 0, device) has its parameters second"
}
/error/ {
    found = names_of($0, name)
    for (i = 1; i <= found; i++) {
        tell(($0 ~ /cudaDeviceProp/ ? "cudaDeviceProp::" : "") name[i])
        if (name[i] ~ /^cuCtxCreate_v[0-9]$/) tell("cuCtxCreate")
    }
    if ($0 ~ /texture is not a template/) tell("texture")
}
# A function or type of NVIDIA's that our headers for clang do not have, and that is no slip of the pen.
/error: (use of undeclared identifier|unknown type name) '(CU[a-z]|(cu|cuda|cublas|cufft|curand|cusparse|cusolver|nvrtc|nvJitLink|nccl|nvml|npp|cudnn)[A-Z])/ {
    if ($0 !~ /did you mean/ && !(name[1] in instead) && !(name[1] in told) && count < 3) {
        told[name[1]] = 1
        count++
        print "simtcc: " name[1] " is a name of NVIDIA's that the simulator's headers for clang do not have"
    }
}
# A kernel that launches another, or calls the runtime: first in clang's words, then in nvcc's.
/error: no matching function for call to 'cuda/ { match($0, /'cuda[A-Za-z0-9_]*'/); call = substr($0, RSTART + 1, RLENGTH - 2) }
/not viable: call to __host__ function from __(global|device)__ function/ {
    if (call == "cudaDeviceSynchronize") no_wait()
    else if (call != "") only_nvcc(call "() is called in a kernel")
}
/error: identifier "cudaDeviceSynchronize" is undefined in device code/ { no_wait() }
/kernel launch from __device__ or __global__ functions requires separate compilation mode/ ||
/error: reference to __global__ function/ || /candidate function not viable: call to __global__ function from __global__/ {
    if (said_nvcc++ == 0) print "simtcc: a kernel is launched by a kernel: add -rdc=true"
}
# nvcc shows the source's line behind its message; a call there that is to blame is named by it alone.
/cudaMemPrefetchAsync *\(/ { if (wants_place) tell("cudaMemPrefetchAsync") }
/cudaMemAdvise *\(/ { if (wants_place) tell("cudaMemAdvise") }
/cuCtxCreate *\(/ { if (wants_context) tell("cuCtxCreate") }
{
    wants_place = $0 ~ /error/ && $0 ~ /cudaMemLocation/ || wants_place && $0 !~ /error/
    wants_context = $0 ~ /error/ && $0 ~ /(CUctxCreateParams|too few arguments)/ || wants_context && $0 !~ /error/
}
