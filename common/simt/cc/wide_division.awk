# wide_division.awk - LLVM IR whose divisions of 128-bit integers are calls of the functions in wide_division.ll.
#
# usage: awk -v functions=wide_division.ll -f wide_division.awk -f alignment.awk x.ll x.ll >y.ll
#        (both programs change the second reading)
#
# PTX divides 64 bits at most. LLVM 19 writes a loop for __int128, LLVM 14 and 16 end with "undefined external
# symbol __udivti3". With this all of them call the same functions, which a program without such a division lacks.

/^declare i128 @llvm\.ctlz\.i128\(/ { declared = 1 }
NR != FNR && match($0, / = [us](div|rem) (exact )?i128 /) {
    before = substr($0, 1, RSTART + 2)
    operation = substr($0, RSTART + 3, 4)
    operands = substr($0, RSTART + RLENGTH)
    match(operands, /^[^,]+, [^, ]+/)
    after = substr(operands, RLENGTH + 1)
    operands = substr(operands, 1, RLENGTH)
    sub(/, /, ", i128 ", operands)
    $0 = before "call i128 @simt_" operation "_128(i128 " operands ")" after
    divides = 1
}
END {
    while (divides && (getline text <functions) > 0) {
        if (!declared || text !~ /^declare /) print text
    }
}
