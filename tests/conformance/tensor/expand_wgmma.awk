# expand_wgmma.awk - a kernel for each row of wgmma.txt, and the table of them: what wgmma.cu includes.
function instruction(nd, scale,    i, d, out, tail, meta)
{
    for (i = 0; i < nd; i++) {
        d = d (i ? "," : "") "%" i
        out = out (i ? ", " : "") "\"+r\"(d[" i "])"
    }
    tail = $6 ? ", " scale ", 1" : ""
    tail = tail ($7 ? ", 0" : "")
    split($9, meta, ":")
    return sprintf("asm volatile(\"{ .reg .pred p; setp.ne.b32 p, %%%d, 0; wgmma.mma_async%s.sync.aligned.m64n8%s {%s}, " \
        "{%%%d,%%%d,%%%d,%%%d}, %%%d, %sp%s; }\" : %s : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), " \
        "\"l\"(descriptor), \"r\"(scale_d), \"r\"(meta))", nd + 5, $9 ? ".sp" : "", $8, d, nd, nd + 1, nd + 2, nd + 3,
        nd + 4, $9 ? "%" nd + 6 ", " meta[2] ", " : "", tail, out)
}
/^#/ || !NF { next }
{
    split($9 ? $9 : "BITS", meta, ":")
    printf "WGMMA_KERNEL(%s, %d, FORMAT_%s, FORMAT_%s, FORMAT_%s, FORMAT_%s, %d,\n    %s,\n    %s)\n", $1, $2, $3, $4, $5,
        meta[1], $6,
        instruction($2, 1), instruction($2, $6 ? -1 : 1)
    rows = rows " ROW(" $1 ") \\\n"
}
END { printf "#define ROWS \\\n%s\n", rows }
