# excerpt.awk - a function or a struct of a source file, for a README, with numbers for its notes.
#
#     awk -v words='step02_tiled/tiled.cu matmul_tiled 1=__shared__ 2=__syncthreads' -f plots/excerpt.awk
#
# FILE NAME [from=TEXT] [to=TEXT] [N=TEXT...]: NAME is a function, a kernel or a struct that begins at
# the left edge; all its lines, or those from the first that holds TEXT to the first after it that
# holds the other TEXT. N=TEXT writes the number behind the first line that holds TEXT, each looked
# for from the line of the one before on. In a TEXT, ~ is a blank. An excerpt has at most 40 lines.
function fail(text) {
    print "excerpt: " text > "/dev/stderr"
    exit 2
}
function text_of(word) {
    sub(/^[^=]*=/, "", word)
    gsub(/~/, " ", word)
    return word
}
# The first line from `at` on that holds the text, up to `last`.
function line_with(text, at) {
    for (; at <= last; at++)
        if (index(source[at], text))
            return at
    fail("no '" text "' in " name " of " file " where it is looked for")
}
# A line at the left edge that defines the name: no call, no declaration, no comment.
function defines(line) {
    if (line ~ /^[ \t\/*#}]/ || line !~ "(^|[^A-Za-z0-9_])" name "([^A-Za-z0-9_]|$)")
        return 0
    return line ~ "(^|[^A-Za-z0-9_])" name "\\(" || line ~ "^(template <[^>]*> )?struct " name " *\\{"
}
function find_body(    i, end) {
    for (i = 1; i <= count; i++) {
        if (!defines(source[i]))
            continue
        for (end = i; end <= count && source[end] !~ /[{;]/; end++)
            ;
        if (source[end] ~ /;/ && source[end] !~ /\{/)
            continue # a declaration
        first = i
        while (first > 1 && source[first - 1] !~ /^$/ && source[first - 1] !~ /^[ \/*#}]|\*\/$/)
            first--
        for (last = end; last <= count && source[last] !~ /^}/ && (last > end || source[last] !~ /\{.*}$/); last++)
            ;
        return
    }
    fail(file " defines no " name)
}
BEGIN {
    words_count = split(words, word, " ")
    if (words_count < 2)
        fail("needs a file and the name of a function")
    file = word[1]
    name = word[2]
    while ((status = (getline line < file)) > 0)
        source[++count] = line
    if (status < 0)
        fail("cannot read " file)
    find_body()
    if (last > count)
        fail(name " of " file " has no end")
    for (i = 3; i <= words_count; i++) {
        if (word[i] ~ /^from=/)
            first = at = line_with(text_of(word[i]), first)
        else if (word[i] ~ /^to=/)
            last = line_with(text_of(word[i]), first)
        else if (word[i] ~ /^[0-9]+=/) {
            at = line_with(text_of(word[i]), at > first ? at : first)
            note[at] = note[at] (note[at] ? ", " : "") word[i] + 0
        } else
            fail("what is '" word[i] "'?")
    }
    if (last - first >= 40)
        fail(name " of " file ": " last - first + 1 " lines, an excerpt has at most 40")
    for (i = first; i <= last; i++)
        if (i in note && length(source[i]) > widest)
            widest = length(source[i])
    print "```cuda\n// " file
    for (i = first; i <= last; i++) {
        if (i in note)
            printf "%-" widest "s  // (%s)\n", source[i], note[i]
        else
            print source[i]
    }
    print "```"
}
