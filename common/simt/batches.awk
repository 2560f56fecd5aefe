# batches.awk - which files of the simulator are compiled together, as one text: a compiler starts once for a dozen
# files, and reads each header once for all of them. The Makefile (build/batches/list.mk) calls it with lines
# `LEVEL PATH`, of files below common/. It writes the text of each batch, DIR/FOLDER.LEVEL.NUMBER.c.new, and prints for
# make which files a batch has: batch_FOLDER.LEVEL.NUMBER := PATH ...
#
# Rules: the files of a batch are of one folder and of one level of optimisation. No two of them define the same static
# name, type or constant, so that every file may go on using short names: a file whose names are taken goes into the
# next batch that has room. Macros end with their file. Names are found by their form, at the beginning of a line, as
# clang-format writes them; what is overlooked is an error of the compiler ("redefinition"), or of tests/symbols.sh.
# Variables: most, most_hot: lines of a batch, and of one whose level is hot, which compiles for longer; dir: where the
# texts go.

function note(name) { if (name ~ /^[A-Za-z_][A-Za-z0-9_]*$/) names[name] = 1 }

# The names in a declaration that begins with static, typedef or the brace of an unnamed type: the last word before
# what ends a declarator, ( or [ or = or ;.
function note_declared(line,    n, part, i, word) {
    gsub(/__attribute__\(\([^)]*\)*\)|_Alignas\([^)]*\)/, "", line)
    if (match(line, /\(\*[A-Za-z0-9_]+/)) note(substr(line, RSTART + 2, RLENGTH - 2))
    n = split(line, part, ",")
    for (i = 1; i <= n; i++) {
        word = part[i]
        sub(/ *[(\[=;].*$/, "", word)
        sub(/^.*[^A-Za-z0-9_]/, "", word)
        note(word)
        if (part[i] ~ /[(={]/) break
    }
}

function note_line(line,    n, part, i) {
    if (inside_enum || line ~ /^(typedef |static )?(const )?enum[ A-Za-z0-9_]*\{/) {
        inside_enum = line !~ /\}/
        sub(/^.*\{/, "", line)
        n = split(line, part, ",")
        for (i = 1; i <= n; i++)
            if (match(part[i], /[A-Za-z_][A-Za-z0-9_]*/)) note(substr(part[i], RSTART, RLENGTH))
        return
    }
    if (line ~ /^(static |typedef |const )*(struct|union|enum) [A-Za-z0-9_]+ \{/) {
        n = split(line, part, " ")
        for (i = 1; i < n; i++) if (part[i] ~ /^(struct|union|enum)$/) note(part[i + 1])
    }
    if (line ~ /^(static|typedef|APART|\}) /) note_declared(line)
    if (match(line, /^[ \t]*#[ \t]*define[ \t]+[A-Za-z0-9_]+/)) {
        n = split(substr(line, RSTART, RLENGTH), part, /[ \t]+/)
        macros[part[n]] = 1
    }
    if (line ~ /^#include "(base\/hostile|.*memory_state|.*kept_patterns)\.h"/) hostile = 1
}

# Sets names, macros, length_of and hostile: whether sizes in it depend on SIMT_HOSTILE.
function read_file(file,    line, before) {
    split("", names)
    split("", macros)
    length_of = inside_enum = hostile = 0
    while ((getline line < file) > 0) {
        length_of++
        if (line ~ /^(static|typedef|APART) / && line !~ /[(=;{[]/) { # a long one: its name is in the next line
            before = line
            if ((getline line < file) > 0) length_of++
            line = before " " line
        }
        note_line(line)
    }
    close(file)
}

function has_room(batch,    name) {
    if (lines[batch] + length_of > limit) return 0
    for (name in names) if ((batch, name) in taken) return 0
    return 1
}

function add(batch, path,    name) {
    members[batch] = members[batch] " " path
    lines[batch] += length_of
    for (name in names) taken[batch, name] = 1
    text[batch] = text[batch] "#include \"common/" path ".c\"\n"
    for (name in macros) text[batch] = text[batch] "#undef " name "\n"
    if (hostile) is_hostile[batch] = 1
}

{
    folder = $2
    sub(/^simt\//, "", folder)
    if (!sub(/\/[^\/]*$/, "", folder)) folder = "shared"
    gsub(/\//, "_", folder)
    room = folder "." $1
    limit = $1 == "hot" ? most_hot : most
    read_file("common/" $2 ".c")
    for (i = 1; i <= count[room] && !has_room(room "." i); i++) continue
    if (i > count[room]) {
        count[room] = i
        order[++batches] = room "." i
    }
    add(room "." i, $2)
}

END {
    for (i = 1; i <= batches; i++) {
        batch = order[i]
        print "batch_" batch " :=" members[batch]
        printf "%s", text[batch] > (dir "/" batch ".c.new")
        all = all " " batch
        if (batch in is_hostile) smaller = smaller " " batch
    }
    print "batches :=" all
    print "hostile_batches :=" smaller
}
