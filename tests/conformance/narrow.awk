# narrow.awk - holds narrow.cu's lines against the recording of a GPU: narrow_h200.csv, then the program's
# output. A line is text,hash with the host's differences behind it; the text has commas of its own.
#
# -v frontend=nvcc: NVIDIA's host code is not ours to judge.
function field(line, n,    i) { # the last but n-th field
    while (n-- > 0)
        sub(/,[^,]*$/, "", line)
    sub(/.*,/, "", line)
    return line
}
function text(line, n) {
    while (n-- > 0)
        sub(/,[^,]*$/, "", line)
    return line
}
function wrong(what) {
    failed++
    print "FAILED: " name ": " what
}
/^#/ { next }
NR == FNR { card[text($0, 1)] = field($0, 0); next }
{
    name = text($0, 2)
    if (!(name in card))
        wrong("nothing was recorded for it")
    else if (frontend != "nvcc" && field($0, 0) != 0)
        wrong("on the host, " field($0, 0) " results differ from the device's")
    else if (field($0, 1) != card[name])
        wrong("the results are not those of the GPU")
    else
        passed++
    delete card[name]
}
END {
    for (name in card)
        wrong("it is recorded, and not tried")
    printf "narrow types: %d passed, %d failed\n", passed, failed
    exit failed > 0
}
