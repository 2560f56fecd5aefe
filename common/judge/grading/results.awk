# results.awk - rows of `grade` as CSV and JSON, and a summary on the terminal.
#
# input: STUDENT tab EXERCISE tab FILE tab VERDICT tab GOALS tab SHAPE tab REASON tab SECONDS
# variables: csv, json, alike: files to write; similar: file of pairs; seed, versions

function quoted(text) { gsub(/"/, "\"\"", text); return "\"" text "\"" }
function string(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    return "\"" text "\""
}
function id_of(path, part, n, number) {
    n = split(path, part, "/")
    number = part[n]
    sub(/_.*/, "", number)
    sub(/^0/, "", number)
    sub(/_.*/, "", part[1])
    return (path ~ /\/summit\// ? "summit" : part[1]) "-" number
}
function name_of(path) { sub(/.*\//, "", path); sub(/^[0-9]*_/, "", path); sub(/\.cu$/, "", path); return path }
# "load sectors <= 4: 8; ..." as a JSON array
function goals_of(text, each, n, i, at, list) {
    n = split(text, each, "; ")
    for (i = 1; i <= n; i++) {
        match(each[i], /: [^:]*$/)
        at = RSTART
        list = list (i > 1 ? ", " : "") "{\"goal\": " string(substr(each[i], 1, at - 1)) ", \"got\": " substr(each[i], at + 2) "}"
    }
    return "[" list "]"
}

BEGIN {
    FS = "\t"
    print "exercise,student,other,per cent in common" >alike
    while ((getline line <similar) > 0) {
        split(line, f, "\t")
        print id_of(f[1]) "," quoted(f[2]) "," quoted(f[3]) "," f[4] >alike
        if (f[2] !~ /^\(/) like[f[2], f[1]] = like[f[2], f[1]] (like[f[2], f[1]] == "" ? "" : "; ") f[3] " " f[4] " %"
        if (f[3] !~ /^\(/) like[f[3], f[1]] = like[f[3], f[1]] (like[f[3], f[1]] == "" ? "" : "; ") f[2] " " f[4] " %"
        pairs++
    }
    print "student,exercise,name,verdict,line,goals,seed,shape,versions,similar,reason" >csv
    printf "{\"seed\": %s, \"versions\": %s, \"rows\": [", seed, string(versions) >json
}
{
    verdict = $4
    line = ""
    if (match(verdict, /, line [0-9]+$/)) {
        line = substr(verdict, RSTART + 7)
        verdict = substr(verdict, 1, RSTART - 1)
    }
    id = id_of($2)
    shape = $6
    sub(/^seed [0-9]+$/, "all", shape)
    print quoted($1) "," id "," name_of($2) "," quoted(verdict) "," line "," quoted($5) "," seed "," quoted(shape) "," \
        quoted(versions) "," quoted(like[$1, $2]) "," quoted($7) >csv
    printf "%s\n{\"student\": %s, \"exercise\": \"%s\", \"name\": \"%s\", \"verdict\": %s, \"line\": %s, \"goals\": %s, \"shape\": %s, \"similar\": %s, \"reason\": %s, \"seconds\": %s}", \
        (NR > 1 ? "," : ""), string($1), id, name_of($2), string(verdict), (line == "" ? "null" : line), \
        goals_of($5), string(shape), string(like[$1, $2]), string($7), $8 >json
    solved += verdict == "solved"
    if (!($1 in students)) who++
    students[$1] = 1
}
END {
    print "\n]}" >json
    printf "%d submissions of %d students: %d solved; %s\n", NR, who, solved, csv
    if (pairs > 0) printf "%d pairs are alike: %s\n", pairs, alike
}
