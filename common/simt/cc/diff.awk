# diff.awk - the comparison of simtdiff. Records are split where a launch begins; what stands behind the last one has the
# sources. 80 columns.
#
#     awk -f diff.awk old.json new.json
BEGIN { RS = "[{]\"kernel\":\""; MOST_LINES = 8 }
FNR == 1 { side++; next }

# The text between `begin` and the next `end`, or "".
function between(text, begin, end,    at) {
    at = index(text, begin)
    if (at == 0) return ""
    text = substr(text, at + length(begin))
    return substr(text, 1, index(text, end) - 1)
}
function plain(text) {
    gsub(/\\u003c/, "<", text)
    gsub(/\\"/, "\"", text)
    gsub(/\\u0009|\t/, " ", text)
    gsub(/\\\\/, "\\", text)
    gsub(/^ +/, "", text)
    return text
}

{
    name = plain(substr($0, 1, index($0, "\",") - 1))
    own = $0
    tail = index(own, "],\"checked\":") # behind the last launch
    if (tail > 0) own = substr(own, 1, tail)
    counters = between(own, "\"counters\":{", "}")
    work = between(counters, "\"thread_instructions\":", ",") + 0
    if (!((side, name) in work_of)) {
        if (!(name in seen)) { seen[name] = 1; order[++kernels] = name }
        work_of[side, name] = -1
    }
    if (work > work_of[side, name]) {
        work_of[side, name] = work
        counters_of[side, name] = counters
        shape_of[side, name] = between(own, "\"grid\":[", "]") " blocks of " between(own, "\"block\":[", "]")
        floor_of[side, name] = between(own, "\"floor\":{\"us\":", ",")
        model_of[side, name] = between(own, "\"model\":{\"us\":", ",")
        lines_of[side, name] = between(own, "\"lines\":[", "]")
    }
    if (tail > 0) read_sources(substr($0, tail))
}

# {"name":"x.cu","lines":["...","..."]}, ...: a quote in a text stands behind a backslash.
function read_sources(text,    at, file, number) {
    text = substr(text, index(text, "\"files\":["))
    file = 0
    while ((at = index(text, "{\"name\":\"")) > 0) {
        text = substr(text, at + 9)
        match(text, /^([^"\\]|\\.)*"/)
        file_of[side, file] = plain(substr(text, 1, RLENGTH - 1))
        text = substr(text, RLENGTH + 11) # ,"lines":[
        for (number = 1; match(text, /^,?"([^"\\]|\\.)*"/); number++) {
            source[side, file, number] = plain(substr(text, text ~ /^,/ ? 3 : 2, RLENGTH - (text ~ /^,/ ? 3 : 2)))
            text = substr(text, RLENGTH + 1)
        }
        file++
    }
}

function grouped(value,    text, out) {
    text = sprintf("%.0f", value)
    while (length(text) > 3) {
        out = "," substr(text, length(text) - 2) out
        text = substr(text, 1, length(text) - 3)
    }
    return text out
}
function change(before, after) {
    return before == 0 ? "new" : after == 0 ? "gone" : sprintf("%+.0f %%", 100 * (after / before - 1))
}
function row(what, before, after, form) {
    if (before == after) return
    printf "  %-28.28s %18s %18s %9s\n", what, form == "us" ? sprintf("%.3g us", before) : grouped(before),
        form == "us" ? sprintf("%.3g us", after) : grouped(after), change(before, after)
}

# field[1..n] and value[side, field] of "a":1,"b":2
function read_counters(which, text,    n, i, part, pair) {
    n = split(text, part, ",")
    for (i = 1; i <= n; i++) {
        split(part[i], pair, ":")
        gsub(/"/, "", pair[1])
        if (!(pair[1] in known)) { known[pair[1]] = 1; field[++fields] = pair[1] }
        value[which, pair[1]] = pair[2] + 0
    }
}

# Counts of lines, by their text: sum[side, text, counter].
function read_lines(which, text,    n, i, k, m, part, pair, one, key, file, number) {
    n = split(text, one, /\},?/)
    for (i = 1; i <= n; i++) {
        m = split(one[i], part, ",")
        file = number = -1
        for (k = 1; k <= m; k++) {
            gsub(/[{"]/, "", part[k])
            split(part[k], pair, ":")
            if (pair[1] == "file") file = pair[2]
            else if (pair[1] == "line") {
                number = pair[2]
                key = number == 0 ? "(no line: moved or made by the compiler)" : source[which, file, number]
                if (!(key in line_known)) { line_known[key] = 1; line[++line_count] = key }
                where[which, key] = number
            } else if (pair[1] ~ /_sectors$/) sum[which, key, "sectors"] += pair[2]
            else if (pair[1] ~ /_conflicts$/) sum[which, key, "bank conflicts"] += pair[2]
            else if (pair[1] == "instructions") sum[which, key, "instructions"] += pair[2]
        }
    }
}

# The lines that changed most in one of three counts, as a share of the kernel's.
function print_lines(    i, k, best, top, told, kind, kinds, share, weight, text) {
    kinds = split("sectors,bank conflicts,instructions", kind, ",")
    delete weight
    for (i = 1; i <= line_count; i++)
        for (k = 1; k <= kinds; k++) {
            share = sum[2, line[i], kind[k]] - sum[1, line[i], kind[k]]
            if (share < 0) share = -share
            weight[i, k] = total[kind[k]] > 0 ? share / total[kind[k]] : 0
        }
    for (told = 0; told < MOST_LINES; told++) {
        top = 0.005
        best = 0
        for (i = 1; i <= line_count; i++)
            for (k = 1; k <= kinds; k++)
                if (weight[i, k] > top) { top = weight[i, k]; best = i; which = k }
        if (best == 0) break
        if (told == 0) print "  lines that changed most, old and new number:"
        text = line[best]
        printf "  %5s %5s  %-15s %12s -> %-12s %s\n", (1, text) in where ? where[1, text] : "-", (2, text) in where ? where[2, text] : "-",
            kind[which], grouped(sum[1, text, kind[which]]), grouped(sum[2, text, kind[which]]), change(sum[1, text, kind[which]] + 0, sum[2, text, kind[which]] + 0)
        printf "               %.65s\n", text
        weight[best, which] = 0
    }
}

# Of sectors, bank conflicts and instructions, the one that went the way of the time, and furthest.
function print_reason(before, after,    kind, k, n, ratio, best, most) {
    n = split("sectors,bank conflicts,instructions", kind, ",")
    most = 0.02
    for (k = 1; k <= n; k++) {
        ratio = sum_of(2, kind[k]) + 1
        ratio = log(ratio / (sum_of(1, kind[k]) + 1))
        if (ratio * log(after / before) > 0 && (ratio > most || -ratio > most)) { most = ratio < 0 ? -ratio : ratio; best = kind[k] }
    }
    if (best != "") printf "  the time goes with %s: %s -> %s\n", best, grouped(sum_of(1, best)), grouped(sum_of(2, best))
}
function sum_of(which, kind,    i, all) {
    for (i = 1; i <= fields; i++)
        if ((kind == "sectors" && field[i] ~ /_sectors$/) || (kind == "bank conflicts" && field[i] ~ /_conflicts$/) || field[i] == kind)
            all += value[which, field[i]]
    return all
}

function compare(name,    i, timed) {
    delete value; delete known; delete sum; delete where; delete line_known; delete total
    fields = line_count = 0
    for (i = 1; i <= 2; i++) {
        read_counters(i, counters_of[i, name])
        read_lines(i, lines_of[i, name])
    }
    total["sectors"] = sum_of(1, "sectors") > sum_of(2, "sectors") ? sum_of(1, "sectors") : sum_of(2, "sectors")
    total["bank conflicts"] = sum_of(1, "bank conflicts") > sum_of(2, "bank conflicts") ? sum_of(1, "bank conflicts") : sum_of(2, "bank conflicts")
    total["instructions"] = value[1, "instructions"] > value[2, "instructions"] ? value[1, "instructions"] : value[2, "instructions"]
    print ""
    printf "%.79s\n", name
    if (shape_of[1, name] != shape_of[2, name]) printf "  before: %s threads\n  after: %s threads\n", shape_of[1, name], shape_of[2, name]
    if (counters_of[1, name] == counters_of[2, name]) { print "  no counter changed"; return }
    printf "  %-28s %18s %18s %9s\n", "", "before", "after", "change"
    timed = model_of[1, name] > 0 && model_of[2, name] > 0
    row("at least", floor_of[1, name] + 0, floor_of[2, name] + 0, "us")
    if (timed) row("modelled", model_of[1, name] + 0, model_of[2, name] + 0, "us")
    for (i = 1; i <= fields; i++) row(field[i], value[1, field[i]], value[2, field[i]])
    if (timed) print_reason(model_of[1, name], model_of[2, name])
    else if (floor_of[1, name] > 0 && floor_of[2, name] > 0) print_reason(floor_of[1, name], floor_of[2, name])
    if (lines_of[1, name] != "" && lines_of[2, name] != "") print_lines()
}

END {
    for (k = 1; k <= kernels; k++) {
        name = order[k]
        if (!((1, name) in work_of)) printf "\n%.60s: only after\n", name
        else if (!((2, name) in work_of)) printf "\n%.60s: only before\n", name
        else compare(name)
    }
    if (kernels == 0) print "no kernel was launched"
}
