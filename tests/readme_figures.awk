# readme_figures.awk - are the figures in a lesson's tables those that were recorded?
#
#     awk -F, -f tests/readme_figures.awk plots/data/h200/stepNN*.csv stepNN_name/README.md
#
# A figure is a cell of numbers with units ("0.1304 ms", "4,540 GB/s, 94 %"), a number below a
# heading that is a unit, or one with a decimal point beside the name of a kernel. It must be a
# recorded value, rounded to the digits that it shows: of that kernel where the row names one, else
# of any. Prints what is not; exit code 1 if something is not, or if there is no figure at all.
BEGIN {
    units = "ms us GB/s GFLOPS TFLOPS %"
    split(units, unit_names, " ")
    for (i in unit_names)
        is_unit[unit_names[i]] = 1
}
# What a value of this column is worth in a unit; "" where it cannot be shown in it.
function in_unit(column, value, unit) {
    if (column == "time_ms")
        return unit == "ms" ? value : unit == "us" ? 1000 * value : ""
    if (column == "gflops")
        return unit == "GFLOPS" ? value : unit == "TFLOPS" ? value / 1000 : ""
    if (column ~ /gb_per_s/)
        return unit == "GB/s" ? value : ""
    if (column ~ /^percent_of|_percent$/)
        return unit == "%" ? value : ""
    if (column ~ /^(bus_efficiency|occupancy|lane_utilisation)$/)
        return unit == "%" ? 100 * value : ""
    return ""
}
function remember(who, unit, value) {
    if (value != "")
        known[who, unit] = known[who, unit] " " value
}
function is_recorded(who, shown, unit,    digits, half, count, i, value) {
    digits = shown ~ /\./ ? length(shown) - index(shown, ".") : 0
    gsub(/,/, "", shown)
    half = 0.5 * 10 ^ -digits * (1 + 1e-6)
    count = split(known[who, unit], value, " ")
    for (i = 1; i <= count; i++)
        if (value[i] - shown <= half && shown - value[i] <= half)
            return 1
    return 0
}
function check(who, shown, unit,    name) {
    figures++
    if (unit != "") {
        if (is_recorded(who, shown, unit))
            return
    } else {
        for (name in is_unit)
            if (is_recorded(who, shown, name))
                return
    }
    printf "%s:%d: no recorded %s%s is %s\n", FILENAME, FNR, unit == "" ? "figure" : unit,
        who == "" ? "" : " of " who, shown
    bad++
}
function check_cell(who, heading, cell,    parts, count, i, pair) {
    if (cell ~ /^[0-9][0-9,]*(\.[0-9]+)?$/) {
        if (heading in is_unit)
            check(who, cell, heading)
        else if (who != "" && cell ~ /\./)
            check(who, cell, "")
        return
    }
    count = split(cell, parts, /, /)
    for (i = 1; i <= count; i++)
        if (split(parts[i], pair, " ") != 2 || pair[1] !~ /^[0-9][0-9,]*(\.[0-9]+)?$/ ||
            !(pair[2] in is_unit))
            return
    for (i = 1; i <= count; i++) {
        split(parts[i], pair, " ")
        check(who, pair[1], pair[2])
    }
}
FNR == 1 { in_table = in_fence = 0 }
FILENAME ~ /\.csv$/ {
    if (FNR == 2)
        for (i = 1; i <= NF; i++)
            column[i] = $i
    if (FNR < 3)
        next
    for (i = 1; i <= NF; i++)
        if ($i != "-" && column[i] != "kernel")
            for (name in is_unit) {
                remember("", name, in_unit(column[i], $i, name))
                if (column[1] == "kernel" || column[2] == "kernel")
                    remember(column[1] == "kernel" ? $1 : $2, name, in_unit(column[i], $i, name))
            }
    if (column[1] == "kernel" || column[2] == "kernel")
        is_kernel[column[1] == "kernel" ? $1 : $2] = 1
    next
}
/^ *```/ { in_fence = !in_fence }
!/^\|/ || in_fence {
    in_table = 0
    next
}
{
    cells = split($0, cell, "|")
    for (i = 2; i < cells; i++)
        gsub(/^ +| +$/, "", cell[i])
    if (!in_table++) { # the row of headings
        split("", heading)
        for (i = 2; i < cells; i++)
            heading[i] = cell[i]
        next
    }
    who = cell[2]
    gsub(/`/, "", who)
    if (!(who in is_kernel))
        who = ""
    for (i = 3; i < cells; i++)
        check_cell(who, heading[i], cell[i])
}
END {
    if (!figures)
        print FILENAME ": no figures found"
    exit bad > 0 || !figures
}
