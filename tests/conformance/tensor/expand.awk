# expand.awk - a kernel for each row of instructions.txt, and the table of them: what tensor.cu includes.
function list(prefix, first, count,    i, text)
{
    for (i = 0; i < count; i++) {
        text = text (i ? "," : "") prefix (first + i)
    }
    return "{" text "}"
}
function operands(name, count, constraint,    i, text)
{
    for (i = 0; i < count; i++) {
        text = text (i ? ", " : "") "\"" constraint "\"(" name "[" i "])"
    }
    return text
}
/^#/ || !NF { next }
{
    name = $1; na = $2; nb = $3; nc = $4; nd = $5
    wide = $6 == "F64"
    type = wide ? "uint64_t" : "uint32_t"
    in_constraint = wide ? "l" : "r"
    split($9, meta, ":")
    sparse = $9 != "-"
    printf "MATRIX_KERNEL(%s, %s, %d, %d, %d, %d, FORMAT_%s, FORMAT_%s, FORMAT_%s, %s,\n", name, type,
        na, nb, nc, nd, $6, $7, $8, sparse ? "FORMAT_" meta[1] : -1
    printf "    asm volatile(\"%s %s, %s, %s, %s%s;\"\n        : %s\n        : %s, %s, %s%s))\n", $10,
        list("%", 0, nd), list("%", nd, na), list("%", nd + na, nb), list("%", nd + na + nb, nc),
        sparse ? ", %" (nd + na + nb + nc) ", " meta[2] : "",
        operands("d", nd, "=" in_constraint), operands("a", na, in_constraint), operands("b", nb, in_constraint),
        operands("c", nc, in_constraint), sparse ? ", \"r\"(meta)" : ""
    rows = rows "    ROW(" name ", \"" name "\", " nd ", " wide + 0 ")\n"
}
END { printf "#define ROWS \\\n"; gsub(/\n/, " \\\n", rows); print rows }
