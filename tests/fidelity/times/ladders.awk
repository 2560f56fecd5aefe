# ladders.awk - every two rungs of a ladder whose recorded times differ by more than 10 %: are the
# modelled times in the same order? See ladders.
#
#     awk -v record=NAME -v lesson=NAME -f ladders.awk ladders.tsv RECORD.csv MODELLED.csv

function read_header(    i) {
    delete column
    for (i = 1; i <= NF; i++)
        column[$i] = i
}

BEGIN { differ = 1.10 }
FNR == 1 { file++; header = 0 }
/^#/ { next }
file == 1 { split($0, word, "\t"); excuse[word[1], word[2]] = word[3]; next }
{ FS = ","; $0 = $0 }
!header || $1 == "kernel" { read_header(); header = 1; next }
file == 2 && $column["time_ms"] + 0 > 0 && !($1 in measured) { measured[$1] = $column["time_ms"] }
file == 3 && $column["model_ms"] + 0 > 0 && ($1 in measured) && !($1 in modelled) {
    rung[++rungs] = $1
    modelled[$1] = $column["model_ms"]
}
END {
    for (i = 1; i <= rungs; i++)
        for (j = 1; j <= rungs; j++) {
            slow = rung[i]
            fast = rung[j]
            if (measured[slow] <= differ * measured[fast])
                continue
            pairs++
            right = modelled[slow] > modelled[fast]
            known = (slow, fast) in excuse
            if (right != known) {
                good++
                continue
            }
            printf "%s: %s took %.4g ms and %s %.4g, modelled %.4g and %.4g%s\n", lesson, slow, \
                measured[slow], fast, measured[fast], modelled[slow], modelled[fast], \
                known ? ": in order, but ladders.tsv says not" : ""
            bad++
        }
    printf "%s against %s: %d rungs, %d of %d pairs as they should be\n", lesson, record, rungs, \
        good, pairs
    printf "comparisons: %d passed, %d failed\n", good, bad
    exit bad > 0 || pairs == 0
}
