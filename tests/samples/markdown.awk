# markdown.awk - rows of tests/samples/run, of both front ends, as a table for README.md: how many have which verdict,
# and each program that is not right with what it misses.
BEGIN { FS = "," }
FNR == 1 { next } # the names of the columns
{
    verdict[$1, $2] = $3
    missing[$1, $2] = $5
    seconds[$1, $2] = $4
    count[$2, $3]++
    fronts[$2] = 1
    if (!($1 in seen)) { seen[$1] = 1; order[++programs] = $1 }
    if (!($3 in known)) known[$3] = 1
}
END {
    n = split("right wrong ignored rejected crash slow build waived needs", list, " ")
    print "| front end | " "right | wrong | ignored | rejected | crash | slow | build | waived | needs |"
    print "|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= split("nvcc clang", front, " "); i++) {
        if (!(front[i] in fronts)) continue
        line = "| " front[i] " |"
        for (k = 1; k <= n; k++) line = line " " count[front[i], list[k]] + 0 " |"
        print line
    }
    print ""
    print "| program | front end | verdict | seconds | what is missing |"
    print "|---|---|---|---|---|"
    for (p = 1; p <= programs; p++) {
        for (i = 1; i <= split("nvcc clang", front, " "); i++) {
            v = verdict[order[p], front[i]]
            if (v == "" || v == "needs") continue
            m = missing[order[p], front[i]]
            gsub(/\|/, "/", m)
            print "| " order[p] " | " front[i] " | " v " | " seconds[order[p], front[i]] " | " m " |"
        }
    }
}
