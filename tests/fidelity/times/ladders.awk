# ladders.awk - every two rungs of a ladder whose recorded times differ by more than 10 %: are the
# modelled times in the same order? See ladders.
#
#     awk -v record=NAME -v lesson=NAME [-v keys=COLUMN,COLUMN...] -f ladders.awk ladders.tsv RECORD.csv MODELLED.csv
#
# keys: what makes a rung (default: kernel). Only rungs of the same first key are compared, where
# there are several.

function read_header(    i) {
    delete column
    for (i = 1; i <= NF; i++)
        column[$i] = i
    header = $1
}

function rung_of_row(    i, text) {
    for (i = 1; i <= key_count; i++)
        text = text (i > 1 ? " " : "") $column[key[i]]
    return text
}

function ladder_of(rung) { return key_count > 1 ? substr(rung, 1, index(rung, " ")) : "" }

BEGIN {
    differ = 1.10
    key_count = split(keys != "" ? keys : "kernel", key, ",")
}
FNR == 1 { file++; header = "" }
/^#/ { next }
file == 1 { split($0, word, "\t"); excuse[word[1], word[2]] = word[3]; next }
{ FS = ","; $0 = $0 }
header == "" || $1 == header { read_header(); next }
{ name = rung_of_row() }
file == 2 && $column["time_ms"] + 0 > 0 && !(name in measured) { measured[name] = $column["time_ms"] }
file == 3 && $column["model_ms"] + 0 > 0 && (name in measured) && !(name in modelled) {
    rung[++rungs] = name
    modelled[name] = $column["model_ms"]
}
END {
    for (i = 1; i <= rungs; i++)
        for (j = 1; j <= rungs; j++) {
            slow = rung[i]
            fast = rung[j]
            if (ladder_of(slow) != ladder_of(fast) || measured[slow] <= differ * measured[fast])
                continue
            pairs++
            right = modelled[slow] > modelled[fast]
            known = (slow, fast) in excuse
            excused += known
            if (right != known) {
                good++
                continue
            }
            printf "%s: %s took %.4g ms and %s %.4g, modelled %.4g and %.4g%s\n", lesson, slow, \
                measured[slow], fast, measured[fast], modelled[slow], modelled[fast], \
                known ? ": in order, but ladders.tsv says not" : ""
            bad++
        }
    printf "%s against %s: %d rungs, %d of %d pairs in order", lesson, record, rungs, pairs - bad - excused, pairs
    print (excused > 0 ? "; of " excused " ladders.tsv says why not" : "")
    printf "comparisons: %d passed, %d failed\n", good, bad
    exit bad > 0 || pairs == 0
}
