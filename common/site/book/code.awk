# code.awk - code as HTML with its parts marked, line by line; characters are escaped already. Comments that
# reach over lines are remembered in in_comment.

BEGIN {
    split("alignas auto bool break case char class const constexpr continue default do double else enum extern float for goto if inline int int32_t int64_t long namespace operator register return short signed size_t sizeof static struct switch template this typedef typename uint32_t uint64_t uint8_t union unsigned using void volatile while true false nullptr __global__ __device__ __host__ __shared__ __constant__ __restrict__ __launch_bounds__ threadIdx blockIdx blockDim gridDim", code_words, " ")
    for (i in code_words) is_code_word[code_words[i]] = 1
}

function marked(kind, text) { return "<span class=\"" kind "\">" text "</span>" }

function coloured(line,    out, part, at) {
    out = ""
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            part = at ? substr(line, 1, at + 1) : line
            in_comment = !at
            out = out marked("c", part)
            line = substr(line, length(part) + 1)
        } else if (match(line, /^[A-Za-z_][A-Za-z0-9_]*/)) {
            part = substr(line, 1, RLENGTH)
            out = out (part in is_code_word ? marked("k", part) : part)
            line = substr(line, RLENGTH + 1)
        } else if (line ~ /^\/\//) {
            out = out marked("c", line)
            line = ""
        } else if (line ~ /^\/\*/) {
            in_comment = 1
        } else if (match(line, /^&quot;([^&\\]|\\.|&[a-pr-z]|&quot;&quot;)*&quot;/)) {
            out = out marked("s", substr(line, 1, RLENGTH))
            line = substr(line, RLENGTH + 1)
        } else if (match(line, /^[0-9][A-Za-z0-9_.]*/)) {
            out = out marked("n", substr(line, 1, RLENGTH))
            line = substr(line, RLENGTH + 1)
        } else if (match(line, /^&[a-z]+;/)) {
            out = out substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
        } else if (match(line, /^#[a-z]+/)) {
            out = out marked("k", substr(line, 1, RLENGTH))
            line = substr(line, RLENGTH + 1)
        } else {
            out = out substr(line, 1, 1)
            line = substr(line, 2)
        }
    }
    return out
}
