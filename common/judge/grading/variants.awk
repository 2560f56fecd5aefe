# variants.awk - writes the variants of an exercise's solution as files, for tests/exercises.sh.
#
# usage: awk -v out=FOLDER -f variants.awk SOLUTION VARIANTS
#
# Each becomes FOLDER/NN_name.VARIANT.cu; for each, a line "FILE<tab>right|wrong<tab>VARIANT<tab>VERDICT" is printed.
# VARIANTS has a section for each variant:
#
#     == wrong one_too_many: memory error     wrong or right, a name, and the verdict
#     i < n => i <= n                         an edit: the first OLD behind the solution's first comment becomes NEW;
#     float ==> double                        or all of them; \n is the end of a line, and NEW may be nothing
#     code:                                   instead of edits: the whole file
#
# Exit code 2: an edit that fits nowhere, or text that is none.
function fail(what)
{
    printf "%s: %s: %s\n", ARGV[2], variant, what > "/dev/stderr"
    failed = 1
    exit 2
}
function finish()
{
    if (variant == "")
        return
    if (text == solution)
        fail("changes nothing")
    path = out "/" name "." variant ".cu"
    printf "%s", text > path
    close(path)
    printf "%s\t%s\t%s\t%s\n", path, kind, variant, verdict
}
# Replaces `old` behind the comment: once, or everywhere.
function edit(old, new, everywhere,    head, rest, at, changed)
{
    gsub(/\\n/, "\n", old)
    gsub(/\\n/, "\n", new)
    at = index(text, "*/")
    head = substr(text, 1, at + 1)
    rest = substr(text, at + 2)
    while ((at = index(rest, old)) > 0) {
        changed = 1
        head = head substr(rest, 1, at - 1) new
        rest = substr(rest, at + length(old))
        if (!everywhere)
            break
    }
    if (!changed)
        fail("\"" old "\" is not there")
    text = head rest
}
BEGIN {
    name = ARGV[1]
    sub(/.*\//, "", name)
    sub(/\.cu$/, "", name)
}
FNR == NR { solution = solution $0 "\n"; next }
/^== / {
    finish()
    if (!match($0, /^== (wrong|right) [a-z0-9_]+/))
        fail("\"" $0 "\" is no head of a section: == wrong name: verdict")
    kind = $2
    variant = $3
    sub(/:$/, "", variant)
    verdict = substr($0, RLENGTH + 1)
    sub(/^: */, "", verdict)
    text = solution
    whole = 0
    next
}
variant == "" && /^(#.*)?$/ { next }
$0 == "code:" && !whole { whole = 1; text = ""; next }
whole { text = text $0 "\n"; next }
{
    at = index($0, " ==> ")
    width = 5
    if (at == 0) {
        at = index($0, " => ")
        width = 4
    }
    if (at == 0 && $0 ~ / ==>$/) {
        at = length($0) - 3
        width = 5
    } else if (at == 0 && $0 ~ / =>$/) {
        at = length($0) - 2
        width = 4
    }
    if (at == 0)
        fail("\"" $0 "\" is no edit: OLD => NEW")
    edit(substr($0, 1, at - 1), substr($0, at + width), width == 5)
}
END {
    if (failed)
        exit 2
    finish()
}
