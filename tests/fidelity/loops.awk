# loops.awk - writes kernels whose lanes go round a loop different numbers of times: types of counter, forms
# of loop, bodies. `awk -v part=1 -f loops.awk >loops1.cu`; loops.sh runs them, loops.csv has what is counted
# for each. Part 1 are the loops on which the rules of README.md were found, part 2 those that tested them.
# Every kernel is launched once, with 128 threads in one block.
function element(form) { # what the round with counter j reads, of which lane i owns row[i] .. row[i + 1]
    return form ~ /^(row|until|threes)$/ ? "j" : form ~ /^(down|halving)$/ ? "first + j - 1" : \
           form ~ /^(triangle|strided)$/ ? "i * 32 + j" : form == "ell" ? "j * THREADS + i" : "first + j"
}

function head(type, form) {
    if (form == "row")
        return "for (" type " j = first; j < (" type ")last; j++)"
    if (form == "until")
        return "for (" type " j = first; j != (" type ")last; j++)"
    if (form == "triangle")
        return "for (" type " j = 0; j <= (" type ")(i % 32); j++)"
    if (form == "down")
        return "for (" type " j = length; j > 0; j--)"
    if (form == "pairs")
        return "for (" type " j = 0; j < length; j += 2)"
    if (form == "strided")
        return "for (" type " j = i % 32; j < 3 * length; j += 7)"
    if (form == "threes")
        return "for (" type " j = first; j < (" type ")last; j += 3)"
    if (form == "halving")
        return "for (" type " j = length; j > 0; j /= 2)"
    if (form == "exits")
        return "for (" type " j = 0; j < length && a[first + j] < 9; j++)"
    if (form == "nested")
        return "for (" type " n = 0; n < 3; n++) for (" type " j = n; j < length; j++)"
    return "for (" type " j = 0; j < length; j++)" # "length", "ell", "break", "continue"
}

function body(name, k) {
    if (name == "sum")
        return "sum += a[" k "];"
    if (name == "gather")
        return "sum += a[index[" k "]];"
    if (name == "product")
        return "sum += a[" k "] * b[index[" k "]];"
    if (name == "guarded")
        return "if (j % 5 != 1) { sum += a[" k "]; }"
    if (name == "limited")
        return "if (a[" k "] > 3) { sum += b[" k "]; }"
    if (name == "either")
        return "if (j % 3 == 1) { sum += a[" k "]; } else { sum -= b[" k "]; }"
    if (name == "shared")
        return "sum += a[" k "] * tile[(" k ") % 32];"
    if (name == "scatter")
        return "b[index[" k "]] = a[" k "];"
    return "b[" k "] = a[" k "] + 1;" # "store"
}

function loop(type, form, name,    k) {
    k = element(form)
    if (form == "dowhile")
        return "    if (length > 0) {\n        " type " j = 0;\n        do {\n            " body(name, k) \
               "\n        } while (++j < length);\n    }"
    if (form == "break" || form == "continue")
        return "    " head(type, form) " {\n        if (a[" k "] == 7) { " form "; }\n        " body(name, k) "\n    }"
    return "    " head(type, form) " {\n        " body(name, k) "\n    }"
}

function write_kernel(kernel, type, form, name) {
    print "__global__ void " kernel "(const int *row, const int *index, const float *a, float *b, float *out)\n{"
    if (name == "shared") {
        print "    __shared__ float tile[32];"
        print "    if (threadIdx.x < 32) { tile[threadIdx.x] = threadIdx.x; }"
        print "    __syncthreads();"
    }
    print "    const int i = blockIdx.x * blockDim.x + threadIdx.x;"
    if (form != "triangle")
        print "    const int first = row[i], last = row[i + 1];"
    if (form !~ /^(row|until|triangle|threes)$/)
        print "    const " type " length = last - first;"
    print "    float sum = 0;"
    print loop(type, form, name)
    print "    out[i] = sum;\n}\n"
}

function write_main(    i) {
    print "typedef void (*kernel)(const int *, const int *, const float *, float *, float *);"
    print "static const struct { const char *name; kernel run; } kernels[] = {"
    for (i = 1; i <= count; i++)
        print "    {\"" kernels[i] "\", " kernels[i] "},"
    print "};\n"
    print "template <typename T> static T *address(T &symbol)\n{"
    print "    void *p = NULL;\n    cudaGetSymbolAddress(&p, symbol);\n    return (T *)p;\n}\n"
    print "int main(void)\n{"
    print "    static int h_row[THREADS + 1], h_index[ELEMENTS];"
    print "    static float h_a[ELEMENTS], h_out[THREADS];"
    print "    for (int i = 0; i < THREADS; i++) { h_row[i + 1] = h_row[i] + (i * 7 + i / 32) % 23; }"
    print "    for (int k = 0; k < ELEMENTS; k++) { h_index[k] = k * 37 % ELEMENTS; h_a[k] = (float)(k % 11); }"
    print "    cudaMemcpyToSymbol(row, h_row, sizeof h_row);"
    print "    cudaMemcpyToSymbol(index_, h_index, sizeof h_index);"
    print "    cudaMemcpyToSymbol(a_, h_a, sizeof h_a);"
    print "    for (const auto &k : kernels) {"
    print "        cudaMemcpyToSymbol(b_, h_a, sizeof h_a);"
    print "        k.run<<<1, THREADS>>>((const int *)address(row), (const int *)address(index_), (const float *)address(a_),"
    print "                              (float *)address(b_), (float *)address(out_));"
    print "        cudaError_t e = cudaMemcpyFromSymbol(h_out, out_, sizeof h_out);"
    print "        double sum = 0;"
    print "        for (int i = 0; i < THREADS; i++) { sum += h_out[i] * (i + 1); }"
    print "        printf(\"%s,%.0f\\n\", k.name, sum);"
    print "        if (e != cudaSuccess) { fprintf(stderr, \"%s: %s\\n\", k.name, cudaGetErrorString(e)); return 1; }"
    print "    }\n    return 0;\n}"
}

BEGIN {
    types = split(part == 2 ? "int unsigned long size" : "int unsigned long", type)
    forms = split(part == 2 ? "ell strided threes dowhile halving exits break continue nested" : \
                  "row until length triangle down pairs", form)
    bodies = split(part == 2 ? "sum gather limited either shared scatter" : \
                   "sum gather product guarded shared store", name)
    spelled["int"] = "int"; spelled["unsigned"] = "unsigned"
    spelled["long"] = "long long"; spelled["size"] = "unsigned long long"
    print "#include <cuda_runtime.h>\n#include <stdio.h>\n"
    print "enum { THREADS = 128, ELEMENTS = THREADS * 40 };"
    print "__device__ int row[THREADS + 1], index_[ELEMENTS];"
    print "__device__ float a_[ELEMENTS], b_[ELEMENTS], out_[THREADS];\n"
    if (part == 3) for (seed = 20261122; count < 200;) write_drawn(count + 1)
    else for (t = 1; t <= types; t++) for (f = 1; f <= forms; f++) for (n = 1; n <= bodies; n++) {
        kernels[++count] = type[t] "_" form[f] "_" name[n]
        write_kernel(kernels[count], spelled[type[t]], form[f], name[n])
    }
    write_main()
}
