# loops_drawn.awk - loops of one class, drawn at random before anybody saw what a GPU counts for them: the
# number of rounds is computed from the thread's number or loaded, and what is loaded lies at a computed
# place, as in `for (k = 0; k < 6 + x % 3; k++) { sum += a[(x + 33 * k) & mask]; }`. Part 3 of loops.awk,
# which calls write_drawn(). The numbers are drawn here, so that every awk writes the same kernels.
function draw(limit) { # 0 .. limit - 1
    seed = seed * 16807 % 2147483647
    return int(seed / 64) % limit
}
function one_of(list,    n, words) { # words between bars
    n = split(list, words, "|")
    return words[1 + draw(n)]
}

function drawn_rounds() {
    return one_of("6 + x % 3|6 + x % 3|4 + x % 5|1 + x % 9|x % 7|x % 32|2 + (x & 3)|5 + (x & 7)|" \
                  "3 + x / 8 % 6|x * 7 % 13|12 - x % 10|8 + x % 2 * 4|row[x] % 11|row[x + 1] - row[x]|4 * (x % 4)")
}
function drawn_place(k) {
    return one_of("(x + " k ") & M|(x + 33 * " k ") & M|(x + 33 * " k ") & M|(x + 17 * " k ") & M|" \
                  "(x + 2 * " k ") & M|(x * 8 + " k ") & M|(x * 3 + 64 * " k ") & M|(x ^ " k ") & M|" \
                  "(x + " k " * " k ") & M|x + 5 * " k "|x * 16 + " k)
}
function drawn_body(k,    place) {
    place = drawn_place(k)
    return one_of("sum += a[" place "];|sum += a[" place "];|sum += a[" place "];|sum += a[" place "] * b[" drawn_place(k) "];|" \
                  "sum = sum * 0.5f + a[" place "];|sum += a[index[" place "]];|sum += a[" place "] * " k ";|" \
                  "if (" k " % 3 != 1) { sum += a[" place "]; }|if (a[" place "] > 4) { sum += 1; }|" \
                  "sum += a[" place "] - a[" drawn_place(k) "] * b[" drawn_place(k) "];")
}
function drawn_head(type, k, rounds) {
    return one_of("for (" type " K = 0; K < R; K++)|for (" type " K = 0; K < R; K++)|for (" type " K = 0; K < R; K++)|" \
                  "for (" type " K = 0; K < R; K += 2)|for (" type " K = 1; K <= R; K++)|" \
                  "for (" type " K = R; K > 0; K--)|for (" type " K = x & 1; K < R; K++)|for (" type " K = 0; K < R; K += 3)")
}
function drawn_loop(type,    lines, first, unrolled, extra, rounds, mask) {
    rounds = drawn_rounds()
    mask = one_of("127|255|1023|4095")
    lines = drawn_body("k")
    first = drawn_head(type)
    unrolled = one_of("|||||#pragma unroll 1\n    |#pragma unroll 2\n    |#pragma unroll 4\n    |#pragma unroll\n    ")
    extra = one_of("|||||break|continue|nested|inner|guarded")
    what = extra == "" ? "plain" : extra
    if (extra == "break")
        lines = "if (a[(x + k) & M] == 9) { break; } " lines
    else if (extra == "continue")
        lines = "if ((x + k) % 5 == 2) { continue; } " lines
    lines = unrolled first " {\n        " lines "\n    }"
    if (extra == "nested")
        lines = "for (" type " n = 0; n < 2; n++) {\n    " lines "\n    }"
    else if (extra == "inner")
        lines = "for (" type " n = 0; n < 1 + x % 2; n++) {\n    " lines "\n    }"
    else if (extra == "guarded")
        lines = "if (x % 3 != 1) {\n    " lines "\n    }"
    gsub(/&/, "\\\\&", rounds) # which means the text itself
    gsub(/K/, "k", lines)
    gsub(/R/, rounds, lines)
    gsub(/M/, mask, lines)
    return lines
}
function write_drawn(number,    type, text) {
    type = draw(3) ? "int" : "unsigned"
    text = drawn_loop(type)
    kernels[++count] = sprintf("drawn_%03d_%s_%s", number, type, what)
    print "__global__ void " kernels[count] "(const int *row, const int *index, const float *a, float *b, float *out)\n{"
    print "    const " type " x = blockIdx.x * blockDim.x + threadIdx.x;"
    print "    float sum = 0;"
    print "    " text
    print "    out[x] = sum;\n}\n"
}
