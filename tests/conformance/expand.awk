# expand.awk - turns instructions.txt into lines CASE1(...) .. CASE4(...) for conformance.cu.
# In a text, @ is the name, ^ the name without what follows its last "-", # what follows the last
# "-" (of a name without one: what follows the second to last dot).

# Expands the first brace of s, then the rest; calls row() for every complete name.
function expand(s,    open, close_, parts, n, i) {
    open = index(s, "{")
    if (open == 0) {
        row(s)
        return
    }
    close_ = index(s, "}")
    n = split(substr(s, open + 1, close_ - open - 1), parts, ",")
    for (i = 1; i <= n; i++)
        expand(substr(s, 1, open - 1) parts[i] substr(s, close_ + 1))
}

# gsub() gives & a meaning of its own, and replaces what it put in: this does neither.
function replace(s, what, by,    at, out) {
    out = ""
    while ((at = index(s, what)) > 0) {
        out = out substr(s, 1, at - 1) by
        s = substr(s, at + length(what))
    }
    return out s
}

function row(name,    t, i, stem, tail, list) {
    stem = tail = name
    if (match(name, /-[^-]*$/)) {
        stem = substr(name, 1, RSTART - 1)
        tail = substr(name, RSTART + 1)
    } else {
        sub(/\.[^.]*$/, "", tail)
        sub(/.*\./, ".", tail)
    }
    t = text
    if (t == "") {
        t = "@ %0"
        for (i = 1; i < operands; i++)
            t = t ", %" i
        t = t ";"
    }
    t = replace(replace(replace(t, "@", name), "^", stem), "#", tail)
    list = result
    for (i = 1; i < operands; i++)
        list = list ", " operand[i]
    printf "CASE%d(%d, \"%s\", \"%s\", %s)\n", operands - 1, ++number, name, t, list
}

/^#/ || /^$/ { next }
{
    bar = index($0, " | ")
    operands = split(substr($0, 1, bar - 1), words, " ")
    result = words[1]
    for (i = 1; i < operands; i++)
        operand[i] = words[i + 1]
    names = substr($0, bar + 3)
    text = ""
    if ((colon = index(names, " : ")) > 0) {
        text = substr(names, colon + 3)
        names = substr(names, 1, colon - 1)
    }
    expand(names)
}
