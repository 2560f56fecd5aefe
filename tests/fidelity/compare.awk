# compare.awk - joins what hardware counted with what the simulator counts. Called by compare with
# differences.csv, the hardware's table, the simulator's report and its hashes, in this order.
#
# differences.csv: frontend,kernel,counter,hardware,simulator,reason; frontend "any" means each.

BEGIN { FS = "," }

/^#/ {
    if (FILENAME ~ /h200/)
        machine = substr($0, 3)
    next
}

/^"/ { sub(/^"[^"]*"/, "quoted") } # a kernel's name with a comma: it is not looked at

FILENAME != last { # the first line that is no comment names the columns
    last = FILENAME
    file++
    delete column
    for (i = 1; i <= NF; i++)
        column[$i] = i
    if (file == 2)
        for (i = 3; i < NF - 1; i++) # after kernel,launch; before output_hash,registers
            counter[++counters] = $i
}

file == 1 && $1 != "frontend" {
    if ($1 == frontend || $1 == "any") {
        listed[$2, $3] = $5
        want[$2, $3] = $4
        reason[$2, $3] = $6
    }
    next
}

file == 2 && $1 != "kernel" {
    name[$2] = $1
    launches++
    for (i = 1; i <= counters; i++)
        hardware[$1, counter[i]] = $(column[counter[i]])
    hash[$1] = $(column["output_hash"])
    next
}

file == 3 && $1 != "kernel" {
    for (i = 1; i <= counters; i++) {
        if (!(counter[i] in column)) {
            print "compare: the simulator's report has no column " counter[i]
            failed = 1
            exit 1
        }
        simulator[$(column["launch"]), counter[i]] = $(column[counter[i]])
    }
    next
}

file == 4 && $1 != "launch" { run(int($1), $2, $3) }

# One launch of the simulator: its number, its pattern and its output.
function run(launch, kernel, output,    i, c) {
    seen++
    if (!(kernel in hash)) {
        printf "%s: not recorded on hardware\n", kernel
        failed = 1
        return
    }
    if (hash[kernel] != output) {
        printf "%s: output differs: hardware %s, simulator %s\n", kernel, hash[kernel], output
        failed = 1
    } else {
        equal_outputs++
    }
    for (i = 1; i <= counters; i++) {
        c = counter[i]
        judge(kernel, c, hardware[kernel, c], simulator[launch, c])
    }
}

function judge(kernel, c, h, s) {
    judged[kernel, c] = 1
    moves[c] += h != 0 || s != 0
    equal[c] += (h != 0 || s != 0) && h == s
    if (h == s) {
        if ((kernel, c) in listed) {
            printf "%s, %s: equal now (%d): take it out of differences.csv\n", kernel, c, h
            failed = 1
        } else if (show == "all") {
            row(kernel, c, h, s, "")
        }
    } else if (!((kernel, c) in listed)) {
        row(kernel, c, h, s, "NOT LISTED")
        failed = 1
    } else if (listed[kernel, c] != s || want[kernel, c] != h) {
        row(kernel, c, h, s, "listed as " want[kernel, c] " and " listed[kernel, c])
        failed = 1
    } else {
        differing++
        row(kernel, c, h, s, reason[kernel, c])
    }
}

function row(kernel, c, h, s, note) {
    if (form == "text" || note == "NOT LISTED")
        printf "%-28s %-24s %8d %8d %+8d  %s\n", kernel, c, h, s, s - h, note
}

END {
    if (failed && file < 4)
        exit 1
    if (seen != launches) {
        printf "compare: the simulator made %d launches, hardware %d\n", seen, launches
        failed = 1
    }
    for (pair in listed)
        if (!(pair in judged)) {
            split(pair, part, SUBSEP)
            printf "differences.csv: no %s of %s\n", part[2], part[1]
            failed = 1
        }
    if (form == "markdown") {
        printf "\n%s; simulator with %s: %d of %d outputs equal\n\n", machine, frontend,
            equal_outputs, seen
        print "| counter | launches that move it | equal |"
        print "|---|---|---|"
        for (i = 1; i <= counters; i++)
            printf "| %s | %d | %d |\n", counter[i], moves[counter[i]], equal[counter[i]]
    } else {
        printf "%s: %d launches, %d outputs equal, %d counters differ as listed: %s\n", frontend,
            seen, equal_outputs, differing, failed ? "FAILED" : "ok"
    }
    exit failed
}
