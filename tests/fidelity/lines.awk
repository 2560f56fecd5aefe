# lines.awk - do the counts by line of a record (SIMT_REPORT=FILE.json) add up to those of the launch?
#
#     awk -f lines.awk FILE.json
#
# Of every launch that has them, and of every counter but `warps`, which belongs to no line. Prints what
# differs, and how many launches agree.
BEGIN { RS = "\\{\"kernel\":" }
# The text between `begin` and the next `end`, or "".
function between(text, begin, end,    at) {
    at = index(text, begin)
    if (at == 0) return ""
    text = substr(text, at + length(begin))
    return substr(text, 1, index(text, end) - 1)
}
NR > 1 && /"detailed":true/ {
    kernel = substr($0, 1, index($0, "\"launch\"") - 2)
    n = split(between($0, "\"counters\":{", "}"), counter, ",")
    lines = split(between($0, "\"lines\":[", "]"), line, ",")
    delete sum
    for (i = 1; i <= lines; i++) {
        split(line[i], part, ":")
        gsub(/[{}"]/, "", part[1])
        sum[part[1]] += part[2]
    }
    good = lines > 0
    for (i = 1; i <= n; i++) {
        split(counter[i], part, ":")
        gsub(/"/, "", part[1])
        if (part[1] != "warps" && part[2] != sum[part[1]] + 0) {
            print "lines.awk: " kernel ": " part[1] " is " part[2] ", its lines come to " sum[part[1]] + 0
            good = 0
        }
    }
    if (good) equal++
    else different++
}
END {
    print "counts by line: " equal + 0 " passed, " different + 0 " failed"
    exit different > 0 || equal == 0
}
