# table.awk - a table of a README, from rows of recorded data.
#
#     awk -v data=plots/data -v gpu=h200 -v words='gpu/step04.csv where experiment=branch
#         join gpu/step04_ncu.csv on kernel show kernel:code time_ms:.4f=time,_ms' -f plots/table.awk
#
# FILE [where COLUMN=VALUE[|VALUE]...] [join FILE on COLUMN...]... show COLUMN[*FACTOR][:FORMAT][=HEADING]...
# FORMAT is what follows % in printf, with a comma before it for 1,000s; `code` puts text between
# backticks. _ in a heading is a blank, and may be one in a VALUE. gpu/ before a file's name is the GPU chosen. All columns
# of joined files are known by their names; a row without its fellow in a joined file is an error.
function fail(text) {
    print "table: " text > "/dev/stderr"
    exit 2
}
function path(file) {
    sub(/^gpu\//, gpu "/", file)
    return data "/" file
}
# Reads FILE into rows of its own; `into` is 1 for the first file, else the number of a joined one.
function read_csv(file, into,    line, part, count, i, name, header, n) {
    n = 0
    while ((getline line < path(file)) > 0) {
        if (line ~ /^#/)
            continue
        count = split(line, part, ",")
        if (!header) {
            header = 1
            for (i = 1; i <= count; i++) {
                name[i] = part[i]
                known[part[i]] = 1
            }
            continue
        }
        n++
        for (i = 1; i <= count; i++)
            cell[into, n, name[i]] = part[i]
    }
    close(path(file))
    if (!n)
        fail("no rows in " path(file))
    return n
}
function blanks(text) {
    gsub(/_/, " ", text)
    return text
}
function wanted(row,    i, pair, value, k, count, hit) {
    for (i = 1; i <= conditions; i++) {
        split(condition[i], pair, "=")
        if (!(pair[1] in known))
            fail("no column " pair[1] " in " condition[i])
        count = split(pair[2], value, "|")
        hit = 0
        for (k = 1; k <= count; k++)
            if (cell[1, row, pair[1]] == value[k] || cell[1, row, pair[1]] == blanks(value[k]))
                hit = 1
        if (!hit)
            return 0
    }
    return 1
}
# The value of a column in a row, from whichever file has it.
function value_of(row, column,    j, other) {
    if ((1, row, column) in cell)
        return cell[1, row, column]
    for (j = 2; j <= files; j++)
        for (other = 1; other <= count_of[j]; other++)
            if (cell[j, other, key[j]] == cell[1, row, key[j]] && (j, other, column) in cell)
                return cell[j, other, column]
    fail("no " column " for " cell[1, row, key[2]])
}
function thousands(text,    head, tail) {
    tail = ""
    head = text
    if (match(text, /\./)) {
        head = substr(text, 1, RSTART - 1)
        tail = substr(text, RSTART)
    }
    while (head ~ /[0-9][0-9][0-9][0-9]/ && match(head, /[0-9][0-9][0-9](,|$)/)) {
        tail = "," substr(head, RSTART) tail
        head = substr(head, 1, RSTART - 1)
    }
    return head tail
}
function shown(row, spec,    column, format, factor, value, part) {
    sub(/=.*/, "", spec)
    format = ""
    if (match(spec, /:.*/)) {
        format = substr(spec, RSTART + 1)
        spec = substr(spec, 1, RSTART - 1)
    }
    factor = 1
    if (split(spec, part, "*") == 2) {
        factor = part[2]
        spec = part[1]
    }
    if (!(spec in known))
        fail("no column " spec)
    value = value_of(row, spec)
    if (format == "code")
        return "`" value "`"
    if (format == "" || value == "-")
        return value
    if (format ~ /^,/)
        return thousands(sprintf("%" substr(format, 2), value * factor))
    return sprintf("%" format, value * factor)
}
BEGIN {
    count = split(words, word, " ")
    files = 1
    count_of[1] = read_csv(word[1], 1)
    for (i = 2; i <= count; i++) {
        if (word[i] ~ /^(where|show)$/)
            mode = word[i]
        else if (word[i] == "join") {
            files++
            count_of[files] = read_csv(word[i + 1], files)
            key[files] = word[i + 3]
            i += 3
        } else if (mode == "where")
            condition[++conditions] = word[i]
        else if (mode == "show")
            spec[++columns] = word[i]
        else
            fail("'" word[i] "' is neither where, join nor show")
    }
    if (!columns)
        fail("nothing to show")
    head = ruler = "|"
    for (c = 1; c <= columns; c++) {
        title = spec[c]
        if (!sub(/^[^=]*=/, "", title))
            sub(/[*:].*/, "", title)
        gsub(/_/, " ", title)
        head = head " " title " |"
        ruler = ruler (spec[c] ~ /:[,0-9.]*[fdg]/ ? "---:|" : "---|")
    }
    print head "\n" ruler
    for (row = 1; row <= count_of[1]; row++) {
        if (!wanted(row))
            continue
        line = "|"
        for (c = 1; c <= columns; c++)
            line = line " " shown(row, spec[c]) " |"
        print line
        lines++
    }
    if (!lines)
        fail("no row of " word[1] " is wanted")
}
