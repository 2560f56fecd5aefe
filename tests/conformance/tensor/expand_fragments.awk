# expand_fragments.awk - a kernel for each row of fragments.txt, and the table of them.
/^#/ || !NF { next }
{
    wide = $4 == 64
    list = ""; inputs = ""
    for (i = 0; i < $3; i++) {
        list = list (i ? "," : "") "%" ($2 == "load" ? i : i + 2)
        inputs = inputs (i ? ", " : "") (($2 == "load" ? "\"=" : "\"") (wide ? "l" : "r")) "\"(x[" i "])"
    }
    printf "FRAGMENT_KERNEL(%s, %s, %d, %d,\n", $1, wide ? "uint64_t" : "uint32_t", $3, $2 == "store"
    if ($2 == "load") {
        printf "    asm volatile(\"%s {%s}, [%%%d], %%%d;\"\n        : %s\n        : \"l\"(memory), \"r\"(stride) : \"memory\"))\n",
            $8, list, $3, $3 + 1, inputs
    } else {
        printf "    asm volatile(\"%s [%%0], {%s}, %%1;\"\n        :: \"l\"(memory), \"r\"(stride), %s : \"memory\"))\n", $8, list, inputs
    }
    rows = rows "    FRAGMENT(" $1 ", " $3 ", " $4 ", " $5 ", " $6 ", " ($7 == "col") ", " ($2 == "store") ") \\\n"
}
END { printf "#define FRAGMENTS \\\n%s\n", rows }
