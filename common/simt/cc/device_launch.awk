# device_launch.awk - launches by kernels in other words (include/simt/device_launch.h says which): reads and writes a
# preprocessed CUDA source. rewrite.awk hands it each line by emit(), with relocatable=true; lines stay lines.
#
# Of the program's own text, only bodies of __global__ and __device__ functions are looked at, statement by statement: a
# statement ends at ; { or } outside of parentheses, and may have lines that begin with #.

# The place of the parenthesis that ends what the one at i begins; 0: none does.
function parenthesis_end(text, i,    c, depth) {
    for (; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "\"" || c == "'") i = literal_end(text, i)
        else if (c == "(") depth++
        else if (c == ")" && --depth == 0) return i
    }
    return 0
}
# Where the name of a kernel begins that ends at i: words, :: and template arguments.
function name_begin(text, i,    c, depth, parens) {
    while (i > 0) {
        while (i > 0 && substr(text, i, 1) ~ /[ \t\n]/) i--
        if (substr(text, i, 1) == ">")
            for (depth = 0; i > 0; i--) {
                c = substr(text, i, 1)
                if (c == ")") parens++
                else if (c == "(") parens--
                else if (c == ">" && !parens) depth++
                else if (c == "<" && !parens && --depth == 0) { i--; break }
            }
        while (i > 0 && substr(text, i, 1) ~ /[ \t\n]/) i--
        while (i > 0 && substr(text, i, 1) ~ /[A-Za-z0-9_]/) i--
        if (substr(text, i - 1, 2) != "::") return i + 1
        i -= 2
        if (substr(text, i, 1) !~ /[A-Za-z0-9_>]/) return i + 1
    }
    return 1
}
# Where a launch's configuration, which begins at i, ends: its >>> outside of parentheses; 0: nowhere.
function configuration_end(text, i,    c, parens) {
    for (; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "(") parens++
        else if (c == ")") parens--
        else if (!parens && substr(text, i, 3) == ">>>") return i
    }
    return 0
}
# The same on one line, to be said twice.
function on_one_line(text) {
    gsub(/\n#[^\n]*/, "", text)
    gsub(/\n/, " ", text)
    return text
}
function with_launches(text,    out, at, begin, end, first, last, kernel, arguments) {
    while ((at = index(text, "<<<"))) {
        begin = name_begin(text, at - 1)
        end = configuration_end(text, at + 3)
        first = end + 3
        while (substr(text, first, 1) ~ /[ \t\n]/) first++
        last = end && substr(text, first, 1) == "(" ? parenthesis_end(text, first) : 0
        if (!last) break
        kernel = on_one_line(substr(text, begin, at - begin))
        arguments = on_one_line(substr(text, first + 1, last - first - 1))
        out = out substr(text, 1, begin - 1) "({ struct simt_here { typedef simt_child<decltype(simt_child_type(" \
            "simt_child_first{}, " kernel (arguments ~ /[^ \t]/ ? ", " arguments : "") ")), " kernel " > launch; }; " \
            newlines(substr(text, begin, at - begin)) "typename simt_here::launch(" \
            substr(text, at + 3, end - at - 3) "); })"
        text = substr(text, end + 3)
        changed = 1
    }
    return out text
}
function newlines(text) {
    gsub(/[^\n]/, "", text)
    return text
}

# `marked`: a __global__ or __device__ has been seen, and its function's body has not begun; `body` is the depth of braces
# in such a body, `round` that of parentheses; `statement` what has come of it.
function emit(line,    i, c, end) {
    if (line ~ /^# [0-9]+ "/) in_header = line ~ /" ([0-9] )*3( |$)/
    if (relocatable != "true" || line ~ /^#/ || in_header ||
        (!body && !marked && line !~ /__attribute__\(\((global|device)\)\)/)) {
        if (body) statement = statement line "\n"
        else print line
        return
    }
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        end = i
        if (c == "\"" || c == "'") end = literal_end(line, i)
        else if (!body && substr(line, i) ~ /^__attribute__\(\((global|device)\)\)/) {
            marked = 1
            end = i + index(substr(line, i), "))") 
        }
        statement = statement substr(line, i, end - i + 1)
        i = end
        if (c == "(") round++
        else if (c == ")") round--
        else if (c == "{" && (body || (marked && !round))) body++
        else if (c == "}" && body && --body == 0) marked = round = 0
        else if (c == ";" && !body && !round) marked = 0
        if (c ~ /[;{}]/ && (!round || !body)) write_statement()
    }
    statement = statement "\n"
    if (!body) write_statement()
}
function write_statement() {
    printf "%s", index(statement, "<<<") ? with_launches(statement) : statement
    statement = ""
}
END { write_statement() }
