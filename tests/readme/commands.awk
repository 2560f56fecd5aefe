# commands.awk - the commands of a README: every `./run ...` and `make ...`, in a block or in a
# sentence, one a line, with the lesson that it is about before it: "step04|./run --split 4".
#
#     awk -v lesson=step04 -f tests/readme/commands.awk step04_divergence/README.md
#
# Left out are generated parts (they are made by running), and blocks that say their language
# (```text, ```cuda): what they show is no command of this repository. `-v lesson=` may be empty:
# then it is the one of the `make stepNN` before.
function command(text,    words) {
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    gsub(/[ \t]+/, " ", text)
    sub(/ +#.*/, "", text)
    if (text !~ /^([A-Z_]+=[^ ]+ )*(\.\/run|make)( |$)/ || text ~ /\.\.\.|NAME|stepNN/)
        return
    if (match(text, /^make step0[0-9]/)) {
        lesson = substr(text, 6, 6)
        return # built where its ./run needs it
    }
    if (!seen[lesson, text]++)
        print lesson "|" text
}
function commands(text,    part, count, i) {
    count = split(text, part, / *(&&|;) */)
    for (i = 1; i <= count; i++)
        command(part[i])
}
function spans(text,    at) {
    while (match(text, /`[^`]+`/)) {
        at = RSTART + RLENGTH
        commands(substr(text, RSTART + 1, RLENGTH - 2))
        text = substr(text, at)
    }
}
function flush() {
    spans(paragraph)
    paragraph = ""
}
/^<!-- generated: / { flush(); skip = 1 }
/^<!-- figures/ { flush(); skip = 1 }
/^<!-- end -->/ || /^-->/ { skip = 0; next }
skip { next }
/^ *```/ {
    flush()
    in_fence = !in_fence
    is_text = in_fence && $0 !~ /^ *```$/
    next
}
in_fence { if (!is_text) commands($0); next }
/^ *$/ || /^\|/ || /^ *[*-] / { flush() }
{ paragraph = paragraph " " $0 }
END { flush() }
