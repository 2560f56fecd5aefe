# wide_integer.awk - LLVM IR that divides and converts 128-bit integers by calls of the functions in wide_integer.ll.
#
# usage: awk -v functions=wide_integer.ll -f wide_integer.awk -f alignment.awk x.ll x.ll >y.ll
#        (both programs change the second reading)
#
# PTX divides and converts 64 bits at most. Where __int128 is divided, LLVM 19 writes a loop, LLVM 14 and 16 end with
# "undefined external symbol __udivti3"; where it becomes a float, or is made of one, all of them end so. With this all
# of them call the same functions, which a program that has no such operation lacks.

# The operand that `text` begins with, and what follows it in `wide_rest`.
function wide_operand(text)
{
    match(text, /^[^, ]+/)
    wide_rest = substr(text, RLENGTH + 1)
    return substr(text, 1, RLENGTH)
}
function wide_call(type, name, operands) { return "call " type " @simt_" name "_128(" operands ")" wide_rest }

/^declare i128 @llvm\.ctlz\.i128\(/ { declared = 1 }

# x = udiv i128 a, b     of udiv, sdiv, urem, srem
NR != FNR && match($0, / = [us](div|rem) (exact )?i128 /) {
    wide_name = substr($0, RSTART + 3, 4)
    wide_before = substr($0, 1, RSTART + 2)
    wide_first = wide_operand(substr($0, RSTART + RLENGTH))
    wide_second = wide_operand(substr(wide_rest, 3))
    $0 = wide_before wide_call("i128", wide_name, "i128 " wide_first ", i128 " wide_second)
    wide_used = 1
}
# x = uitofp i128 a to double     of uitofp, sitofp
NR != FNR && match($0, / = [us]itofp (nneg )?i128 [^, ]+ to (double|float)/) {
    wide_words = split(substr($0, RSTART, RLENGTH), wide_word, " ")
    wide_rest = substr($0, RSTART + RLENGTH)
    wide_type = wide_word[wide_words]
    $0 = substr($0, 1, RSTART + 2) wide_call(wide_type, substr(wide_word[2], 1, 1) "_to_" wide_type, "i128 " wide_word[wide_words - 2])
    wide_used = 1
}
# x = fptoui double a to i128     of fptoui, fptosi
NR != FNR && match($0, / = fpto[us]i (double|float) [^, ]+ to i128/) {
    wide_words = split(substr($0, RSTART, RLENGTH), wide_word, " ")
    wide_rest = substr($0, RSTART + RLENGTH)
    $0 = substr($0, 1, RSTART + 2) wide_call("i128", wide_word[3] "_to_" substr(wide_word[2], 5, 1), wide_word[3] " " wide_word[4])
    wide_used = 1
}
END {
    while (wide_used && (getline text <functions) > 0) {
        if (!declared || text !~ /^declare /) print text
    }
}
