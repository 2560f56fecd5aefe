# alignment.awk - LLVM IR whose accesses of memory tell their alignment in the column of their source line.
#
# usage: awk [-v relocatable=true] -f alignment.awk x.ll x.ll >y.ll        (the same file twice: locations stand
#        behind their use)
#
# clang knows how far each address is aligned, PTX has no word for it, and which neighbouring loads nvcc joins
# depends on it. What does arrive in PTX is `.loc FILE LINE COLUMN`. So every load, store and copy gets a
# location of its own, whose column also holds a code; ptx/join.c reads it and joins. Only two things of LLVM's
# text are read, which are the same in all its versions: `load|store TYPE ..., align N, !dbg !M`, and
# `!M = !DILocation(line: L, column: C, ...)`. Of instructions nothing but the
# location is changed.
#
#     column = C + 1024 * (SIZE + 8 * ALIGNMENT)      C: 0 where it is above 1023; LLVM keeps 16 bits
#     SIZE        log2 of the bytes accessed, 0 to 4; 7: a copy (memcpy) of a multiple of 16 bytes
#     ALIGNMENT   1 + log2 of the bytes, 1 to 5; 0: not told

function log2(bytes,    n)
{
    for (n = 0; bytes > 1 && bytes % 2 == 0; n++) bytes /= 2
    return bytes == 1 ? n : -1
}

# Bytes of a value of that type: iN, float ..., pointers, <N x T>; -1 for structs and arrays.
function size_of(type,    parts)
{
    if (type ~ /^</) {
        split(substr(type, 2), parts, /[ >]/)
        return parts[1] * size_of(parts[3])
    }
    if (type == "ptr" || type ~ /\*$/ || type == "double") return 8
    if (type == "half" || type == "bfloat") return 2
    if (type == "float") return 4
    return type ~ /^i[0-9]+$/ ? (substr(type, 2) + 7 - (substr(type, 2) + 7) % 8) / 8 : -1
}

# The type that a load or store names first.
function type_of(line)
{
    sub(/^.*(= load|^ +store) /, "", line)
    sub(/^(volatile|atomic) /, "", line)
    if (line ~ /^</) return substr(line, 1, index(line, ">"))
    sub(/[ ,].*/, "", line)
    return line
}

function alignment_code(bytes,    n)
{
    n = log2(bytes)
    return n < 0 ? 0 : n > 4 ? 5 : n + 1
}

function code_of_access(line,    size)
{
    size = log2(size_of(type_of(line)))
    if (size < 0 || size > 4 || !match(line, /, align [0-9]+/)) return 0
    return size + 8 * alignment_code(substr(line, RSTART + 8, RLENGTH - 8))
}

# memcpy(TYPE align N %to, TYPE align M %from, i64 BYTES, i1 false)
function code_of_copy(line,    words, i, align, least)
{
    sub(/^[^(]*\(/, "", line)
    split(line, words, ", ")
    if (substr(words[3], 5) + 0 <= 0 || (substr(words[3], 5) + 0) % 16 != 0 || words[4] !~ /^i1 false/) return 0
    least = 16
    for (i = 1; i <= 2; i++) {
        align = match(words[i], /align [0-9]+/) ? substr(words[i], RSTART + 6, RLENGTH - 6) + 0 : 1
        if (align < least) least = align
    }
    return 7 + 8 * alignment_code(least)
}

# The number of the location `from` with the code in its column.
function location(from, code,    text, column)
{
    if ((from, code) in made) return made[from, code]
    text = location_text[from]
    column = match(text, /column: [0-9]+/) ? substr(text, RSTART + 8, RLENGTH - 8) + 0 : 0
    if (column > 1023) column = 0
    sub(/, column: [0-9]+/, "", text)
    sub(/line: [0-9]+/, "&, column: " (column + 1024 * code), text)
    added = added "!" (++last_number) " = " text "\n"
    return made[from, code] = last_number
}

# An access without a location would have that of the instruction before it, code and all.
function mark(line, code,    from)
{
    if (match(line, /!dbg ![0-9]+/)) {
        from = substr(line, RSTART + 6, RLENGTH - 6)
        if (location_text[from] !~ /line: 0,/) latest = from
    }
    if (latest == "") return line
    from = "!dbg !" location(latest, code)
    if (!sub(/!dbg ![0-9]+/, from, line)) line = line ", " from
    return line
}

# `x % 5 == 2`: LLVM since 10 multiplies and compares where LLVM 7, which is nvcc's, divides; and how many
# instructions a loop has decides whether ptxas unrolls it. So the remainder becomes a quotient, a product and a
# difference, which is what is made of it elsewhere.
function divided(line,    words, op, name, rest)
{
    split(line, words, /[ ,]+/) # %r = srem i32 %x, 5, !dbg !7
    if (log2(words[7]) >= 0) return line # of powers of two LLVM makes what nvcc makes
    op = words[4] == "srem" ? "sdiv" : "udiv"
    name = "%simt." substr(words[2], 2)
    match(line, /, !dbg ![0-9]+/)
    rest = RSTART > 0 ? substr(line, RSTART, RLENGTH) : ""
    return "  " name ".q = " op " " words[5] " " words[6] ", " words[7] rest "\n  " name ".p = mul " words[5] " " \
        name ".q, " words[7] rest "\n  " words[2] " = sub " words[5] " " words[6] ", " name ".p" rest
}

# { KERNEL, WORD, FILE, LINE, ARGUMENTS }: each is named by an @.
function note_cluster(note,    names, n, word, dims)
{
    sub(/.*= appending global \[[^@]*/, "", note)
    for (n = 0; match(note, /@[A-Za-z0-9_$.]+/); n++) {
        word = substr(note, RSTART, RLENGTH)
        note = substr(note, RSTART + RLENGTH)
        if (n == 0 || word != names[n - 1]) names[n] = word
        else n--
    }
    if (n < 4 || names[1] != cluster_word) return
    split(arguments[names[3]] ",1,1", dims, ",")
    clusters = clusters sprintf("module asm \".pragma \\22simt_cluster %d %d %d %s\\22;\"\n", dims[1], dims[2],
        dims[3], substr(names[0], 2))
}

# First reading: the locations. A function's own line serves where an access has none.
NR == FNR && /^![0-9]+ = / {
    number = substr($1, 2) + 0
    if (number > last_number) last_number = number
    if (/ !DILocation\(/) {
        location_text[number] = substr($0, index($0, "= ") + 2)
    } else if (/ !DISubprogram\(/ && match($0, /[( ]line: [0-9]+/)) {
        location_text[number] = "!DILocation(line: " substr($0, RSTART + 7, RLENGTH - 7) ", scope: !" number ")"
    }
}
# And the dimensions of clusters: notes of kernels (annotate("simt_cluster", X, Y, Z)).
NR == FNR && /^@[^ ]+ = .*c"simt_cluster\\00"/ { cluster_word = $1 }
NR == FNR && /^@[^ ]+ = .*section "llvm.metadata"$/ && match($0, /constant \{[^}]*\} \{[^}]*\}/) {
    text = substr($0, RSTART, RLENGTH)
    sub(/.*\{/, "", text)
    gsub(/i32|[ }]/, "", text)
    arguments[$1] = text
}
NR == FNR && /^@llvm\.global\.annotations = / {
    count = split($0, notes, /\}, \{/)
    for (i = 1; i <= count; i++) note_cluster(notes[i])
}
NR == FNR { next }

# nvcc takes `extern "C" __constant__ int c[4];` for a definition, unless device code is relocatable.
relocatable != "true" && /^@[^ ]+ = external .*addrspace\([14]\) (externally_initialized )?(global|constant) / {
    sub(/ external /, " ")
    sub(/, align [0-9]+/, " zeroinitializer&")
}
/^define / { latest = match($0, /!dbg ![0-9]+/) ? substr($0, RSTART + 6, RLENGTH - 6) : "" }
/^ +(%[^ ]+ = load|store) / { $0 = mark($0, code_of_access($0)) }
/^ +(tail |musttail |notail )?call void @llvm\.memcpy\./ { $0 = mark($0, code_of_copy($0)) }
/^ +%[A-Za-z0-9._]+ = [su]rem i(32|64) %[A-Za-z0-9._]+, [0-9]+(,|$)/ { $0 = divided($0) }
/^ .*!dbg !/ && match($0, /!dbg ![0-9]+/) {
    number = substr($0, RSTART + 6, RLENGTH - 6)
    if (number in location_text && location_text[number] !~ /line: 0,/) latest = number
}
# `#pragma unroll 1`, which LLVM before 16 does not write as "nounroll" into PTX.
/^![0-9]+ = !\{!"llvm.loop.unroll.count", i32 1\}/ { sub(/unroll.count", i32 1/, "unroll.disable\"") }
{ print }
END {
    printf "%s%smodule asm \".pragma \\22simt_alignments\\22;\"\n", added, clusters
    if (fmad == "false") print "module asm \".pragma \\22simt_no_fmad\\22;\""
}
