# rewrite.awk - what nvcc compiles and clang does not, in other words: reads and writes a preprocessed
# CUDA source. Exit code 0 when something was rewritten, 3 when nothing was.
#
#   kernel << <g, b>> >(x)         becomes  kernel <<<g, b>>>(x), as some editors' formatters have torn it
#   __shared__ alignas(16) int a[] becomes  __shared__ _Alignas(16) int a[]
#   asm("mov.u32 %0, %smid;" ...)  becomes  asm("mov.u32 %0, %%smid;" ...)
#   asm("..." ::"r"(a) "l"(b))     becomes  asm("..." ::"r"(a), "l"(b))
#
# Lines stay lines. Other strings and character constants are left alone. emit(), which is handed each line, is
# device_launch.awk's, which is read before this file.

# The last character of the string or character constant that begins at i.
function literal_end(line, i,    quote) {
    quote = substr(line, i, 1)
    for (i++; i <= length(line) && substr(line, i, 1) != quote; i++)
        if (substr(line, i, 1) == "\\")
            i++
    return i
}

# Three brackets of one kind at the beginning of s, whatever lies between: how many characters.
function torn(s, bracket) {
    return match(s, "^" bracket "[ \t]*" bracket "[ \t]*" bracket) ? RLENGTH : 0
}

# `open` holds the depth of parentheses in each launch configuration that has begun, also on a line before.
function launches(line,    out, i, c, n) {
    out = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        n = 0
        if (c == "\"" || c == "'") {
            n = literal_end(line, i) - i + 1
            out = out substr(line, i, n)
        } else if (c == "<" && (n = torn(substr(line, i), "<"))) {
            out = out "<<<"
            depth[++open] = 0
        } else if (c == ">" && open && depth[open] == 0 && (n = torn(substr(line, i), ">"))) {
            out = out ">>>"
            open--
        } else {
            if (open && (c == "(" || c == ")"))
                depth[open] += c == "(" ? 1 : -1
            out = out c
        }
        if (n)
            i += n - 1
    }
    return out
}

# Names of special registers in the strings of an asm statement: what else begins with % there is %%, a number, or a letter
# before a number. `inside` is the depth of its parentheses, also on later lines, and `before` the last character that
# is no blank: a string behind a parenthesis begins another operand.
function special_names(line,    out, i, c, n, text) {
    out = ""
    for (i = 1; i <= length(line); i++) {
        if (!inside && (i == 1 || substr(line, i - 1, 1) !~ /[A-Za-z0-9_]/) &&
            match(substr(line, i), /^(asm|__asm__|__asm)[ \t]*(volatile|__volatile__)?[ \t]*\(/)) {
            inside = 1
            before = "("
            out = out substr(line, i, RLENGTH)
            i += RLENGTH - 1
            continue
        }
        c = substr(line, i, 1)
        if (c == "\"" || c == "'") {
            n = literal_end(line, i) - i + 1
            text = substr(line, i, n)
            if (inside == 1 && before == ")")
                out = out ","
            while (inside && match(text, /(^|[^%])%[A-Za-z_][A-Za-z_]/))
                text = substr(text, 1, RSTART + RLENGTH - 4) "%%" substr(text, RSTART + RLENGTH - 2)
            out = out text
            before = c
            i += n - 1
            continue
        }
        if (c !~ /[ \t]/)
            before = c
        if (inside && (c == "(" || c == ")"))
            inside += c == "(" ? 1 : -1
        out = out c
    }
    return out
}

{
    line = $0
    if (line !~ /^#/) {
        if (inside || line ~ /asm/)
            line = special_names(line)
        if (open || line ~ /<[ \t]*<[ \t]*</)
            line = launches(line)
        while (match(line, /__attribute__\(\((shared|device|constant)\)\)[ \t]*alignas[ \t]*\(/)) {
            at = RSTART + RLENGTH
            head = substr(line, 1, at - 1)
            sub(/alignas[ \t]*\($/, "_Alignas(", head)
            line = head substr(line, at)
        }
        if (line != $0)
            changed = 1
    }
    emit(line)
}

END { exit changed ? 0 : 3 }
