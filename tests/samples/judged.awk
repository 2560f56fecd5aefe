# judged.awk - rows of tests/samples/judged, of both front ends, as tables for HECBENCH.md or TUTORIALS.md: how many have which
# verdict, and each program with what proves it.
BEGIN { FS = "," }
FNR == 1 { next } # the names of the columns
{
    verdict[$1, $2] = $3
    seconds[$1, $2] = $4
    if ($5 != "") proof[$1] = $5
    remark[$1, $2] = $6
    count[$2, $3]++
    fronts[$2] = 1
    if (!($1 in seen)) { seen[$1] = 1; order[++programs] = $1 }
}
END {
    n = split("right mended named wrong rejected crash slow build excluded unjudged", list, " ")
    print "| front end | right | mended | named | wrong | rejected | crash | slow | build | excluded | unjudged |"
    print "|---|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= split("nvcc clang", front, " "); i++) {
        if (!(front[i] in fronts)) continue
        line = "| " front[i] " |"
        for (k = 1; k <= n; k++) line = line " " count[front[i], list[k]] + 0 " |"
        print line
    }
    print ""
    print "| program | nvcc | seconds | clang | seconds | proof | remark |"
    print "|---|---|---|---|---|---|---|"
    for (p = 1; p <= programs; p++) {
        name = order[p]
        words = remark[name, "nvcc"] != "" ? remark[name, "nvcc"] : remark[name, "clang"]
        gsub(/\|/, "/", words)
        print "| " name " | " verdict[name, "nvcc"] " | " seconds[name, "nvcc"] " | " verdict[name, "clang"] " | " \
            seconds[name, "clang"] " | " proof[name] " | " words " |"
    }
}
