# expand_wgmma.awk - a kernel for each row of wgmma.txt, and the table of them: what wgmma.cu includes.
function instruction(nd, scale,    i, d, out, tail)
{
    for (i = 0; i < nd; i++) {
        d = d (i ? "," : "") "%" i
        out = out (i ? ", " : "") "\"+r\"(d[" i "])"
    }
    tail = $6 ? ", " scale ", 1" : ""
    tail = tail ($7 ? ", 0" : "")
    return sprintf("asm volatile(\"{ .reg .pred p; setp.ne.b32 p, %%%d, 0; wgmma.mma_async.sync.aligned.m64n8%s {%s}, " \
        "{%%%d,%%%d,%%%d,%%%d}, %%%d, p%s; }\" : %s : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), " \
        "\"l\"(descriptor), \"r\"(scale_d))", nd + 5, $8, d, nd, nd + 1, nd + 2, nd + 3, nd + 4, tail, out)
}
/^#/ || !NF { next }
{
    printf "WGMMA_KERNEL(%s, %d, FORMAT_%s, FORMAT_%s, FORMAT_%s, %d,\n    %s,\n    %s)\n", $1, $2, $3, $4, $5, $6,
        instruction($2, 1), instruction($2, $6 ? -1 : 1)
    rows = rows " ROW(" $1 ") \\\n"
}
END { printf "#define ROWS \\\n%s\n", rows }
