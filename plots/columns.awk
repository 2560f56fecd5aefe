# columns.awk - of each of several CSV files: its number, `file`, and where its columns stand, `at[NAME]`.
# Read before the script that uses them. The first line says where the figures come from.
FNR == 1 {
    file++
    next
}
FNR == 2 {
    split("", at)
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
