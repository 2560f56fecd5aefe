# figures.awk - is every figure of a README tied to a row of data or to a formula?
#
#     awk -v data=plots/data -f plots/figures.awk README.md
#
# A figure is a number with a unit of time, rate or per cent outside generated parts: in a sentence
# ("8.6, 5.7 and 4.6 %" are three), in a table's cell, or alone in a cell below a heading that names
# the unit. Each must stand in a comment of the README that opens with `<!-- figures`, one a line:
#
#     4.2145 ms = [h200/step04.csv time_ms kernel=branch_odd_even]
#     1.99 times = [h200/step04.csv time_ms kernel=branch_odd_even] / [h200/step04.csv ...]
#     87.1 % (2x) = 100 * 223 / 256      # lanes used of lanes there
#     4,800 GB/s = 4800                  # the data sheet
#
# [FILE COLUMN KEY=VALUE...] is a cell of the one row of data/FILE with these values; max, min, mean,
# geomean or first before FILE choose where several rows have them. (2x): it stands there twice. A number
# without data needs the reason behind #. The value is rounded to the digits shown. Any other text
# with a number, such as "1.99 times", may be tied in the same way. Reports what is wrong, one line
# each, and ends with 1. gpu/ before a file's name is the folder of -v gpu=NAME. With -v mend=1 it
# prints instead, for each tie that is out of date, its text and what it should be, a tab between.
BEGIN {
    number = "[0-9]+(,[0-9][0-9][0-9])*(\\.[0-9]+)?"
    unit = "(ns|us|ms|s|(nano|micro|milli)?seconds?|minutes?|hours?|[kMG]Hz|[MGT]?B/s|[GT]?FLOPS|[GT]FLOP/s|%|per cent)"
    between = "(, and |, |; | and | or | to | against | / | -> |/|-)"
}
function complain(line, text) {
    if (mend)
        return
    printf "%s:%d: %s\n", FILENAME, line, text
    bad++
}
# ------------------------------------------------------------------ figures of the text
function found(line, value, what) {
    what = value " " what
    if (!(what in times_there))
        first_line[what] = line
    times_there[what]++
}
# Everything in one piece of text: numbers wait for the unit that follows the last of a list.
function scan(line, text, is_code,    waiting, count, list, rest, what, before, i) {
    count = 0
    gsub(/`[^`]*`/, " ` ", text) # code speaks of remainders, not of per cent
    while (match(text, number)) {
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : " "
        if (before ~ /[A-Za-z_.^]/) { # a part of a name or of another number
            rest = substr(text, RSTART + RLENGTH)
            sub(/^[A-Za-z0-9_.]*/, "", rest)
            text = rest
            count = 0
            continue
        }
        list[++count] = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (match(text, "^[ -]?" unit)) {
            what = substr(text, 1, RLENGTH)
            rest = substr(text, RLENGTH + 1)
            sub(/^[ -]/, "", what)
            if (rest !~ /^[A-Za-z0-9_]/ && !(what == "%" && rest ~ /^ ?[0-9(a-z]+ ?[=)]/)) {
                for (i = 1; i <= count; i++)
                    found(line, list[i], what)
                text = rest
                count = 0
                continue
            }
        }
        if (!match(text, "^" between number))
            count = 0
    }
}
function flush_paragraph() {
    if (paragraph != "")
        scan(paragraph_line, paragraph, 0)
    paragraph = ""
}
# A cell that is a number alone, or several as in 9 / 7, has the unit of its heading.
function scan_table(line, text,    cells, cell, i, k, count, value) {
    gsub(/\\\|/, "/", text)
    cells = split(text, cell, "|")
    for (i = 2; i < cells; i++)
        gsub(/^ +| +$/, "", cell[i])
    if (!in_table++) {
        split("", heading)
        for (i = 2; i < cells; i++) {
            heading[i] = ""
            if (match(cell[i], "(^|[ ,(])" unit "($|[ ,)])")) {
                heading[i] = substr(cell[i], RSTART, RLENGTH)
                gsub(/^[ ,(]|[ ,)]$/, "", heading[i])
            }
        }
        for (i = 3; i < cells; i++) # a unit in the corner is that of all columns without one
            if (heading[i] == "")
                heading[i] = heading[2]
        return
    }
    for (i = 2; i < cells; i++)
        if (cell[i] ~ "^" number "( / " number ")*$" && heading[i] != "") {
            count = split(cell[i], value, " / ")
            for (k = 1; k <= count; k++)
                found(line, value[k], heading[i])
        }
        else
            scan(line, cell[i], 0)
}
# ------------------------------------------------------------------ ties
function tie(line, text,    at, what, formula, why, count) {
    if (!(at = index(text, " = "))) {
        complain(line, "no '=' in the tie '" text "'")
        return
    }
    what = substr(text, 1, at - 1)
    formula = substr(text, at + 3)
    gsub(/^ +| +$/, "", what)
    count = 1
    if (match(what, / *\([0-9]+x\)$/)) {
        count = substr(what, RSTART)
        gsub(/[^0-9]/, "", count)
        what = substr(what, 1, RSTART - 1)
    }
    why = ""
    if (at = index(formula, "#")) {
        why = substr(formula, at + 1)
        formula = substr(formula, 1, at - 1)
    }
    if (formula !~ /\[/ && why !~ /[A-Za-z]/)
        complain(line, "the tie of '" what "' names no data, and gives no reason behind #")
    if (what in tied)
        complain(line, "'" what "' is tied twice: once, with (2x) for two places")
    tied[what] = formula
    tie_line[what] = line
    tie_count[what] = count
}
# The rows of a CSV file, once: cell[FILE, row, column].
function read_csv(file,    line, parts, count, i) {
    if (file in rows)
        return rows[file] > 0
    rows[file] = 0
    while ((getline line < (data "/" file)) > 0) {
        if (line ~ /^#/)
            continue
        count = split(line, parts, ",")
        for (i = 1; i <= count; i++)
            if (!((file, "known") in columns))
                name_of[file, i] = parts[i]
            else
                cell_of[file, rows[file] + 1, name_of[file, i]] = parts[i]
        if (!((file, "known") in columns)) {
            columns[file, "known"] = count
            for (i = 1; i <= count; i++)
                columns[file, parts[i]] = i
        } else
            rows[file]++
    }
    close(data "/" file)
    return rows[file] > 0
}
function look_up(line, text,    word, count, how, from, file, wanted, row, k, pair, ok, hits, value, total) {
    count = split(text, word, " ")
    how = "one"
    from = 1
    if (word[1] ~ /^(max|min|mean|geomean|first)$/)
        how = word[from++]
    file = word[from]
    sub(/^gpu\//, gpu "/", file)
    wanted = word[from + 1]
    if (!read_csv(file)) {
        complain(line, "no rows in " data "/" file)
        return "nan"
    }
    for (k = from + 1; k <= count; k++) {
        split(word[k], pair, "=")
        if (!((file, pair[1]) in columns)) {
            complain(line, file " has no column " pair[1])
            return "nan"
        }
    }
    for (row = 1; row <= rows[file]; row++) {
        ok = 1
        for (k = from + 2; k <= count; k++) {
            split(word[k], pair, "=")
            if (cell_of[file, row, pair[1]] != pair[2])
                ok = 0
        }
        if (!ok)
            continue
        total += how == "geomean" ? log(cell_of[file, row, wanted]) : cell_of[file, row, wanted]
        if (!hits++ || how == "max" && cell_of[file, row, wanted] + 0 > value + 0 ||
            how == "min" && cell_of[file, row, wanted] + 0 < value + 0)
            value = cell_of[file, row, wanted]
    }
    if (!hits)
        complain(line, "no row of " file " for [" text "]")
    else if (hits > 1 && how == "one")
        complain(line, hits " rows of " file " for [" text "]: name one, or say max, min, mean, geomean or first")
    else if (value !~ /^-?[0-9.]+([eE][-+]?[0-9]+)?$/)
        complain(line, "'" value "' is no number: [" text "]")
    else
        return how == "mean" ? total / hits : how == "geomean" ? exp(total / hits) : value + 0
    return "nan"
}
# A sum of products of numbers, in brackets or not: the rest of `formula` is what is left to read.
function factor(    value) {
    sub(/^ +/, "", formula)
    if (formula ~ /^\(/) {
        formula = substr(formula, 2)
        value = sum()
        sub(/^ +/, "", formula)
        if (formula !~ /^\)/)
            wrong = 1
        formula = substr(formula, 2)
        return value
    }
    if (formula ~ /^-/) {
        formula = substr(formula, 2)
        return -factor()
    }
    if (!match(formula, /^[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/)) {
        wrong = 1
        return 0
    }
    value = substr(formula, 1, RLENGTH) + 0
    formula = substr(formula, RLENGTH + 1)
    return value
}
function product(    value, sign, right) {
    value = factor()
    while (match(formula, /^ *[*\/]/)) {
        sign = substr(formula, RLENGTH, 1)
        formula = substr(formula, RLENGTH + 1)
        right = factor()
        if (sign == "/" && right == 0)
            wrong = 1
        else
            value = sign == "*" ? value * right : value / right
    }
    return value
}
function sum(    value, sign) {
    value = product()
    while (match(formula, /^ *[-+]/)) {
        sign = substr(formula, RLENGTH, 1)
        formula = substr(formula, RLENGTH + 1)
        value += sign == "+" ? product() : -product()
    }
    return value
}
function compute(what,    value, cell) {
    formula = tied[what]
    while (match(formula, /\[[^]]*\]/)) {
        cell = look_up(tie_line[what], substr(formula, RSTART + 1, RLENGTH - 2))
        if (cell == "nan")
            return "nan"
        formula = substr(formula, 1, RSTART - 1) sprintf("%.17g", cell) substr(formula, RSTART + RLENGTH)
        sub(/e\+/, "e", formula)
    }
    wrong = 0
    value = sum()
    if (wrong || formula ~ /[^ ]/) {
        complain(tie_line[what], "cannot compute '" tied[what] "'")
        return "nan"
    }
    return value
}
# How often a text that is no figure stands in the prose: "1.99 times".
function mentions(what,    text, n, before, at) {
    text = prose
    n = 0
    while (at = index(text, what)) {
        before = at > 1 ? substr(text, at - 1, 1) : " "
        if (before !~ /[0-9.,]/)
            n++
        text = substr(text, at + length(what))
    }
    return n
}
function thousands(text, wanted,    head) {
    while (wanted && match(text, /^-?[0-9][0-9][0-9][0-9]+/)) {
        head = substr(text, 1, RLENGTH - 3)
        text = head "," substr(text, RLENGTH - 2)
    }
    return text
}
function check(what,    shown, digits, value, there, said, text) {
    shown = what
    if (!match(shown, number)) {
        complain(tie_line[what], "no number in '" what "'")
        return
    }
    shown = substr(shown, RSTART, RLENGTH)
    digits = shown ~ /\./ ? length(shown) - index(shown, ".") : 0
    gsub(/,/, "", shown)
    value = compute(what)
    if (value == "nan")
        return
    said = sprintf("%." digits "f", value + (value >= 0 ? 1 : -1) * 1e-9 * (value < 0 ? -value : value))
    if (mend && said != shown) {
        text = what
        sub(number, thousands(said, what ~ /[0-9],[0-9][0-9][0-9]/), text)
        print what "\t" text
    }
    if (said != shown)
        complain(tie_line[what], "'" what "' should be " said)
    there = what in times_there ? times_there[what] : mentions(what)
    if (there != tie_count[what])
        complain(what in first_line ? first_line[what] : tie_line[what],
                 "'" what "' stands there " there " times, its tie speaks of " tie_count[what])
}
# ------------------------------------------------------------------ the file
/^<!-- figures *$/ { flush_paragraph(); in_ties = 1; next }
in_ties && /^-->/ { in_ties = 0; next }
in_ties { if ($0 ~ /[^ ]/) tie(FNR, $0); next }
/^<!-- generated: / { flush_paragraph(); in_generated = 1; next }
/^<!-- end -->/ { in_generated = in_table = 0; next }
in_generated || /^ *<!--.*-->$/ { next }
{ prose = prose " " $0 }
/^ *```/ { flush_paragraph(); in_fence = !in_fence; next }
in_fence { scan(FNR, $0, 1); next }
/^\|/ { flush_paragraph(); scan_table(FNR, $0); next }
{ in_table = 0 }
/^ *$/ || /^ *([*-]|[0-9]+\.) / || /^#/ { flush_paragraph() }
/[^ ]/ {
    if (paragraph == "")
        paragraph_line = FNR
    text = $0
    sub(/^ *[0-9]+\. /, "", text) # the number of a list
    sub(/^ +/, "", text)
    paragraph = paragraph == "" ? text : paragraph " " text
}
END {
    flush_paragraph()
    for (what in times_there)
        if (!(what in tied))
            complain(first_line[what], "'" what "' is tied to nothing")
    for (what in tied)
        check(what)
    exit bad > 0
}
