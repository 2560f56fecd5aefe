#!/bin/sh
# opcodes.sh - does anything but the table of opcodes keep a list of them? Outside ptx_ops.def, the decoders
# and the handlers no expression, initialiser or switch names three opcodes or more: what is to be known of
# an opcode is a column or a trait of its row.
set -u
cd "$(dirname "$0")/.." || exit 2
awk '
function judge(where, text,    n, seen, found) {
    found = ""
    while (match(text, /PTX_OP_[A-Z0-9_]+/)) {
        name = substr(text, RSTART, RLENGTH)
        if (!(name in seen)) { seen[name] = 1; n++; found = found " " name }
        text = substr(text, RSTART + RLENGTH)
    }
    if (n >= 3) { bad++; print where ": a list of opcodes:" found }
}
FNR == 1 { files++; expression = cases = ""; comment = 0 }
{
    line = $0
    if (comment) { if (!sub(/^.*\*\//, "", line)) next; comment = 0 }
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
    comment = sub(/\/\*.*/, "", line)
    sub(/\/\/.*/, "", line)
    if (line ~ /case +PTX_OP_/) cases = cases line
    n = split(line, part, /[;{}]/)
    for (i = 1; i <= n; i++) {
        expression = expression " " part[i]
        if (i < n) { judge(FILENAME ":" FNR, expression); expression = "" }
    }
    if (line ~ /^}/) { judge(FILENAME ":" FNR " (switch above)", cases); cases = "" }
}
END {
    print files - (bad > files ? files : bad) " passed, " bad + 0 " failed"
    exit bad > 0 || files == 0
}' $(find common/simt -name '*.[ch]' ! -path '*/decode/*' ! -path '*/exec/*' ! -path '*/include/*')
