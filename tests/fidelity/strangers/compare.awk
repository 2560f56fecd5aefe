# compare.awk - differences.csv, h200.csv, the hashes that main.cu has printed and the report of a simulated run: prints
# the kernels that compute or count anything else than they are said to. Of the drawn ones through clang only the results
# are compared: it keeps in registers what a thread alone stores and loads of shared memory. Called by compare with -F, -v frontend -v list.
/^#/ { next }
FILENAME == ARGV[1] { # front ends, kernel, counters, cause: words between blanks
    if ($1 ~ frontend) listed[$2] = listed[$2] " " $3
    next
}
FILENAME == ARGV[2] && !counters { for (i = 1; i <= NF; i++) counter[i] = $i; counters = NF; next }
FILENAME == ARGV[2] {
    kernel[++kernels] = $1
    hash[$1] = $2
    for (i = 3; i <= NF; i++) want[kernels, i] = $i
    next
}
FILENAME == ARGV[3] { computed[$2] = $3; next }
!columns { for (i = 1; i <= NF; i++) place[$i] = i - NF; columns = NF; next } # from the end: names of templates have commas
{
    name = kernel[++launch]
    names = text = ""
    for (i = 3; i <= counters; i++) {
        got = $(NF + place[counter[i]])
        if (got == want[launch, i] || (frontend == "clang" && name ~ /^drawn_/)) continue
        names = names " " counter[i]
        text = text sprintf("  %s: %s, not %s\n", counter[i], got, want[launch, i])
    }
    if (computed[name] != hash[name]) {
        names = names " hash"
        text = text sprintf("  it computes something else: %s, not %s\n", computed[name], hash[name])
    }
    if (list != "" && names != "") print frontend "," name "," substr(names, 2) ","
    good = names == listed[name]
    if (good) { passed++; equal += names == "" }
    else failed++
    if (good || list != "") next
    printf "%s: launch %d, %s:\n%s  listed as different:%s\n", frontend, launch, name, text, \
        listed[name] == "" ? " nothing" : listed[name]
}
END {
    if (launch != kernels) { failed++; print frontend ": " launch + 0 " launches, not " kernels }
    print frontend ": " equal + 0 " of " kernels " kernels count as on the GPU, " passed - equal " differ as listed"
    print passed + 0 " passed, " failed + 0 " failed"
}
