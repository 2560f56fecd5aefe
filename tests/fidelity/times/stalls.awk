# stalls.awk - the comparison of tests/fidelity/times/stalls.
#
#     awk [-v show=table] -f stalls.awk h200.csv h200_stalls.csv RECORD.json ...
BEGIN { RS = "\n|\\{\"kernel\":\""; FS = ","; MEDIAN = 25; TOP = 0.6 }
FNR == 1 { file++ }
/^#/ { next }
file == 1 && !/^name,/ { kernel_of[$1] = $3 }
file == 2 && /^name,/ { for (i = 2; i <= NF - 2; i++) state[++states] = $i; next }
file == 2 && NF > 5 { order[++kernels] = $1; for (i = 1; i <= states; i++) measured[$1, i] = $(i + 1) }
file > 2 && /"timeline":/ {
    name = substr($0, 1, index($0, "\"") - 1)
    gsub(/\\u003c/, "<", name)
    gsub(/, /, "; ", name)
    gsub(/u>/, ">", name)
    gsub(/u;/, ";", name)
    match($0, /"reasons":\[[^]]*\]/); reasons = split(substr($0, RSTART + 11, RLENGTH - 12), reason, ",")
    match($0, /"sums":\[[^]]*\]/); split(substr($0, RSTART + 8, RLENGTH - 9), sum, ",")
    match($0, /"schedule_us":[0-9.e+-]*/); schedule = substr($0, RSTART + 14, RLENGTH - 14)
    match($0, /"timeline":\{"us":[0-9.e+-]*/); us = substr($0, RSTART + 17, RLENGTH - 17)
    total = 0
    for (i = 1; i <= reasons; i++) { gsub(/"/, "", reason[i]); total += sum[i] }
    for (i = 1; i <= reasons; i++) said[name, reason[i]] = 100 * sum[i] / total
    off[name] = 100 * (schedule / us - 1)
}
function by_value(list, n,    i, k, t) {
    for (i = 2; i <= n; i++) for (k = i; k > 1 && list[k - 1] > list[k]; k--) { t = list[k]; list[k] = list[k - 1]; list[k - 1] = t }
}
function report(what, list, n, right) {
    by_value(list, n)
    printf "stalls, %s: %d kernels, median error %.1f %% of the warp cycles, nine in ten within %.1f %%; the longest wait right in %.0f %%\n",
        what, n, list[int((n + 1) / 2)], list[int(0.9 * n)], 100 * right / n
    return list[int((n + 1) / 2)] <= MEDIAN && right >= TOP * n
}
END {
    for (k = 1; k <= kernels; k++) {
        full = kernel_of[order[k]]
        gsub(/\([a-z ]*\)/, "", full)
        if (!(full in off)) { print "stalls: " order[k] " was not modelled"; missing++; continue }
        error = 0; most = -1; most_said = -1
        for (i = 1; i <= states; i++) {
            s = said[full, state[i]] + 0; m = measured[order[k], i]
            error += (s > m ? s - m : m - s) / 2
            difference[i] += s > m ? s - m : m - s
            if (m > most) { most = m; wait = state[i] }
            if (s > most_said) { most_said = s; wait_said = state[i] }
        }
        held = k % 3 == 0
        if (held) { held_error[++held_n] = error; held_right += wait == wait_said }
        else { error_of[++n] = error; right += wait == wait_said }
        length_off[++lengths] = off[full] < 0 ? -off[full] : off[full]
        if (show == "table")
            printf "| `%s`%s | %.0f %% | %s %.0f %% | %s %.0f %% | %+.0f %% |\n", order[k], held ? " *" : "", error, wait, most, wait_said, most_said, off[full]
    }
    good = report("fitted", error_of, n, right)
    good = report("held out", held_error, held_n, held_right) && good
    by_value(length_off, lengths)
    printf "the schedule by itself is off the model's time by %.0f %% in the median, %.0f %% for nine in ten\n", length_off[int((lengths + 1) / 2)], length_off[int(0.9 * lengths)]
    for (i = 1; i <= states; i++) if (difference[i] / (n + held_n) >= 1) printf "%s%s %.1f", c++ ? ", " : "mean difference by state: ", state[i], difference[i] / (n + held_n)
    print ""
    exit !good || missing > 0
}
