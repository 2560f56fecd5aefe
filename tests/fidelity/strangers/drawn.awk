# drawn.awk - writes kernels that read the fields of structs in shared memory under ifs, in loops, and around stores and
# early exits, drawn at random: `awk -f drawn.awk >drawn.cu`. h200.csv has what an H200 counted for each. The
# numbers are drawn here, so that every awk writes the same kernels.
function draw(limit) { # 0 .. limit - 1
    seed = seed * 16807 % 2147483647
    return int(seed / 64) % limit
}
function one_of(list,    n, words) { # parts between number signs
    n = split(list, words, "#")
    return words[1 + draw(n)]
}

function place() { return one_of("q#q#q#q#p#p") }
function field() { return place() "->" one_of("a#b#c#d") }
function condition() {
    return one_of(field() " > " draw(9) "#" field() " == " field() "#" field() " & 1#x > " draw(300) "#t & " (1 + draw(6)) \
                  "#" field() " < " field() " && " field() " > " draw(5) "#" field() " == 3 || x < " draw(99))
}
function work(pad) {
    return pad one_of("x += " field() ";#x -= " field() ";#x ^= " field() " * " (2 + draw(7)) ";#x += " field() " - " field() ";#" \
                      "y = x * " (3 + draw(9)) " + y;#x = x * 5 ^ y >> 3;#y += t ^ x;") "\n"
}
function statement(pad, depth,    kind, text) {
    kind = draw(depth > 2 ? 5 : 13)
    if (kind < 5) return work(pad)
    if (kind < 8) return pad "if (" condition() ") {\n" block(pad "    ", depth + 1, 1 + draw(3)) pad "}\n"
    if (kind < 10) return pad "if (" condition() ") {\n" block(pad "    ", depth + 1, 1 + draw(2)) pad "} else {\n" \
                          block(pad "    ", depth + 1, 1 + draw(2)) pad "}\n"
    if (kind == 10) return pad "w[t] = x & 15;\n"
    if (kind == 11 && depth == 0) {
        text = block(pad "    ", depth + 1, 1 + draw(3))
        return pad "for (int k = 0; k < " one_of("9#THREADS#t % 7") "; k++) {\n" pad "    const four *q = &s[(t + k) % THREADS];\n" \
               text pad "}\n"
    }
    if (kind == 12 && depth < 2) return pad "if (" condition() ") {\n" pad "    out[t] = x;\n" pad "    return;\n" pad "}\n"
    return work(pad) work(pad)
}
function block(pad, depth, count,    text) {
    for (text = ""; count > 0; count--) text = text statement(pad, depth)
    return text
}
BEGIN {
    print "/* drawn.cu - made by drawn.awk. */\n#include \"strangers.h\"\n"
    print "struct four {\n    int a, b, c, d;\n};\n"
    seed = 20261128
    for (number = 1; number <= 60; number++) {
        print "__global__ void drawn_" number "(const int *in, int *out)\n{"
        print "    __shared__ four s[THREADS];\n    __shared__ int w[THREADS];"
        print "    const int t = threadIdx.x;"
        print "    s[t].a = in[t] & 15;\n    s[t].b = in[t] >> 4 & 15;\n    s[t].c = in[t] >> 8 & 15;\n    s[t].d = in[t] >> 12 & 15;"
        print "    __syncthreads();"
        print "    const four *q = &s[t * 5 % THREADS], *p = &s[t / 3];"
        print "    int x = t, y = 0;\n    w[t] = t;"
        printf "%s", block("    ", 0, 3 + draw(4))
        print "    out[t] = x ^ y ^ w[t];\n}\n"
    }
    print "void run_drawn(void)\n{\n    const int *in = (const int *)d_in;\n    int *out = (int *)d_out;"
    for (number = 1; number <= 60; number++) print "    RUN(drawn_" number ", WHOLE, drawn_" number "<<<1, THREADS>>>(in, out));"
    print "}"
}
