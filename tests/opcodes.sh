#!/bin/sh
# opcodes.sh - does anything but the table of opcodes keep a list of them? Outside ptx_ops.def, the decoders
# and the handlers no expression, switch or table (with all of its rows) names three opcodes or more: what is
# to be known of an opcode is a column or a trait of its row. And each row stands under a sentence.
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
FNR == 1 { files++; expression = cases = table = ""; comment = in_table = 0 }
{
    line = $0
    if (comment) { if (!sub(/^.*\*\//, "", line)) next; comment = 0 }
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
    comment = sub(/\/\*.*/, "", line)
    sub(/\/\/.*/, "", line)
    if (line ~ /case +PTX_OP_/) cases = cases line
    if (line ~ /= *\{/ && line !~ /;/) in_table = 1 # an initialiser of several lines: to its semicolon
    if (in_table) {
        table = table " " line
        if (line ~ /;/) { judge(FILENAME ":" FNR " (table above)", table); table = ""; in_table = 0 }
        next
    }
    n = split(line, part, /[;{}]/)
    for (i = 1; i <= n; i++) {
        expression = expression " " part[i]
        if (i < n) { judge(FILENAME ":" FNR, expression); expression = "" }
    }
    if (line ~ /^}/) { judge(FILENAME ":" FNR " (switch above)", cases); cases = "" }
}
END {
    while ((getline line < "common/simt/ptx/ptx_ops.def") > 0) {
        if (line ~ /^OP\(/ && before !~ /^\/\* [A-Za-z].*[.:?] \*\/$/) { bad++; print "ptx_ops.def: no sentence above " line }
        before = line
    }
    print files - (bad > files ? files : bad) " passed, " bad + 0 " failed"
    exit bad > 0 || files == 0
}' $(find common/simt -name '*.[ch]' ! -path '*/decode/*' ! -path '*/exec/*' ! -path '*/simt/include/*')
