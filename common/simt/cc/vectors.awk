# vectors.awk - LLVM IR in which float4 and its kin are loaded and copied whole, as nvcc does it.
#
# usage: awk -f vectors.awk x.ll x.ll >y.ll    (the same file twice: what a name means may stand behind its use)
#
# Where a program reads the fields x, y and z of a float4, nvcc loads all four at once: one request. LLVM 14
# joins loads only where they fill a vector: two requests, and three for a uchar4. So where x and one of
# z and w are loaded in one basic block, this adds the fields that lack, with an empty asm that keeps them
# alive, and puts the four loads together; the compiler makes one of them. A struct that is aligned to 16
# bytes is copied by 16 bytes, as nvcc does, not by 8.
#
# What this does not understand it leaves as it is.

function size_of(type)
{
    if (type == "i8") return 1
    if (type == "i16") return 2
    if (type == "i32" || type == "float") return 4
    return type == "i64" || type == "double" ? 8 : 0
}

# The type of one field of a struct or array; empty where the type is none of these.
function member(type, number,    names, count)
{
    if (type ~ /^\[[0-9]+ x /) {
        sub(/^\[[0-9]+ x /, "", type)
        sub(/\]$/, "", type)
        return type
    }
    if (!(type in fields) || fields[type] ~ /[<{(]/) return ""
    count = split(fields[type], names, ", ")
    return number < count ? names[number + 1] : ""
}

# What an address points to before its last index is applied: "%T, %T* %p, i64 %i" and fields behind it.
function pointee(prefix,    words, count, i, type, number)
{
    count = split(prefix, words, ", ")
    type = words[1]
    for (i = 4; i <= count && type != ""; i++) {
        number = words[i]
        sub(/^i[0-9]+ /, "", number)
        type = member(type, number ~ /^[0-9]+$/ ? number + 0 : 0)
    }
    return type
}

# True if all fields up to that one have this size, so that field n lies n times the size from the start.
function alike(type, last, size,    i)
{
    for (i = 0; i <= last; i++)
        if (size_of(member(type, i)) != size) return 0
    return 1
}

function word_before(line, separator)
{
    return substr(line, 1, index(line, separator) - 1)
}

function result_of(line)
{
    sub(/^ +/, "", line)
    return word_before(line, " = ")
}

function may_write(line,    name)
{
    if (line ~ /^ +store |= (atomicrmw|cmpxchg) |^ +fence |= load (volatile|atomic)/) return 1
    if (line !~ /[ =](call|invoke) /) return 0
    if (line ~ / asm /) return line ~ /sideeffect|~\{memory\}/
    if (!match(line, /@[A-Za-z0-9_.$]+\(/)) return 1
    name = substr(line, RSTART, RLENGTH - 1)
    return attributes[attribute_of[name]] !~ /readnone|readonly/
}

# The struct and the field that a load or store accesses; empty where the address does not say.
function place_of(line,    address)
{
    if (!match(line, /\* %[A-Za-z0-9_.]+,/)) return ""
    address = substr(line, RSTART + 2, RLENGTH - 3)
    return address in prefix_of ? pointee(prefix_of[address]) "|" field_of[address] : ""
}

# True if a load of that place gives the same value at line `first` of the block as where it stands:
# nothing in between writes but other fields of the same type of struct. Those are elsewhere, as the
# structs of interest are aligned to their size.
function movable(place, first,    i, load, store)
{
    split(place, load, "|")
    for (i = writes; i > 0 && write_at[i] > first; i--) {
        split(write_place[i], store, "|")
        if (store[1] != load[1] || store[2] == load[2]) return 0
    }
    return 1
}

function note_load(at, line,    type, address, field, key, group)
{
    type = line
    sub(/^.* = load /, "", type)
    type = word_before(type, ",")
    address = line
    sub(/^[^*]*\* /, "", address)
    address = word_before(address, ",")
    if (!(address in prefix_of)) return
    field = field_of[address]
    if (!alike(pointee(prefix_of[address]), field - field % 2 + 1, size_of(type))) return
    key = block_number "|" prefix_of[address] "|" int(field / 4) "|" type
    group = group_of[key]
    if (group == "" || ((group, field % 4) in load_at) || !movable(place_of(line), group_first[group])) {
        group = group_of[key] = ++groups
        group_first[group] = at
        group_type[group] = type
        group_prefix[group] = prefix_of[address]
        group_field[group] = field - field % 4
    }
    load_at[group, field % 4] = group_last[group] = at
}

function write_between(group,    i)
{
    for (i = 1; i <= writes; i++)
        if (write_at[i] > group_first[group] && write_at[i] < group_last[group]) return 1
    return 0
}

function has(group, field)
{
    return (group, field) in load_at
}

# True if the group's field is loaded from a multiple of that many bytes.
function aligned(group, field, bytes,    line)
{
    line = block[load_at[group, field]]
    sub(/.*, align /, "", line)
    return line + 0 >= bytes
}

# nvcc fills a gap behind x, never one before the first field that is read. What has no gap, the compiler
# joins by itself, unless stores stand between.
function load_together(group,    size, stores)
{
    size = size_of(group_type[group])
    stores = write_between(group)
    if (size < 8 && has(group, 0) && (has(group, 2) || has(group, 3)) && aligned(group, 0, 4 * size) &&
        alike(pointee(group_prefix[group]), group_field[group] + 3, size)) {
        if (stores || !has(group, 1) || !has(group, 2) || !has(group, 3)) load_fields(group, 0, 3)
        return
    }
    if (stores && has(group, 0) && has(group, 1) && aligned(group, 0, 2 * size)) load_fields(group, 0, 1)
    if (stores && has(group, 2) && has(group, 3) && aligned(group, 2, 2 * size)) load_fields(group, 2, 3)
}

# An empty asm that reads the value, so that its load is not removed.
function kept(type, name)
{
    if (type == "i8") return "  " name ".wide = zext i8 " name " to i16\n" kept("i16", name ".wide")
    return "  call void asm sideeffect \"\", \"" (type == "float" ? "f" : type == "i32" ? "r" : "h") \
        "\"(" type " " name ")\n"
}

function load_fields(group, first, last,    i, type, size, name, line, text)
{
    type = group_type[group]
    size = size_of(type)
    for (i = first; i <= last; i++) {
        name = "%whole." group "." i
        text = text "  " name ".at = getelementptr inbounds " group_prefix[group] ", i32 " \
            (group_field[group] + i) "\n"
        if (has(group, i)) {
            line = block[load_at[group, i]]
            sub(/\* %[^,]*,/, "* " name ".at,", line)
            block[load_at[group, i]] = ""
        } else {
            line = "  " name " = load " type ", " type "* " name ".at, align " (i == 2 ? 2 * size : size)
            keep_alive = keep_alive kept(type, name)
        }
        text = text line "\n"
    }
    before[group_first[group]] = before[group_first[group]] text
}

# A copy between places that are multiples of 16, by 16 bytes; empty where it is another.
function copy_by_16(line,    words, i, space, type, pointer, bytes, text, stores)
{
    sub(/^[^(]*\(/, "", line)
    split(line, words, ", ")
    bytes = substr(words[3], 5) + 0 # behind "i64 "; 0 where it is no constant
    if (bytes == 0 || bytes % 16 != 0 || bytes > 256 || words[4] !~ /^i1 false/) return ""
    copies++
    for (i = 1; i <= 2; i++) {
        if (!match(words[i], /align [0-9]+/) || substr(words[i], RSTART + 6, RLENGTH - 6) + 0 < 16) return ""
        space = match(words[i], /addrspace\([0-9]+\)/) ? " " substr(words[i], RSTART, RLENGTH) : ""
        if (!match(words[i], /%[A-Za-z0-9_.]+$/)) return ""
        type[i] = "<4 x i32>" space "*"
        pointer[i] = "%copy." copies "." i
        text = text "  " pointer[i] " = bitcast i8" space "* " substr(words[i], RSTART) " to " type[i] "\n"
    }
    for (i = 0; i < bytes / 16; i++) {
        text = text "  " pointer[2] "." i " = getelementptr inbounds <4 x i32>, " type[2] " " pointer[2] \
            ", i64 " i "\n  " pointer[2] "." i ".v = load <4 x i32>, " type[2] " " pointer[2] "." i ", align 16\n"
        stores = stores "  " pointer[1] "." i " = getelementptr inbounds <4 x i32>, " type[1] " " pointer[1] \
            ", i64 " i "\n  store <4 x i32> " pointer[2] "." i ".v, " type[1] " " pointer[1] "." i ", align 16\n"
    }
    return text stores
}

function end_block(    i)
{
    for (i = first_group; i <= groups; i++)
        load_together(i)
    for (i = 1; i <= lines; i++) {
        if (block[i] ~ /^ +(br|ret|switch|unreachable|invoke) ?/) {
            printf "%s", keep_alive
            keep_alive = ""
        }
        printf "%s", before[i]
        if (block[i] != "") print block[i]
        delete before[i]
    }
    block_number++
    first_group = groups + 1
    lines = writes = 0
}

# A number for a name must be the next one, which an added instruction would break: 7 becomes n7.
function named(line,    text)
{
    while (match(line, /%[0-9]+/)) {
        text = text substr(line, 1, RSTART) "n" substr(line, RSTART + 1, RLENGTH - 1)
        line = substr(line, RSTART + RLENGTH)
    }
    return text line
}

# The block that a function starts with has no label but the number behind its last parameter.
function entry_label(line,    number)
{
    number = 0
    while (match(line, /%[0-9]+/)) {
        number = substr(line, RSTART + 1, RLENGTH - 1) + 1
        line = substr(line, RSTART + RLENGTH)
    }
    return "n" number ":"
}

# First reading: types and attributes.
NR == FNR && /^%.* = type \{ .* \}$/ {
    type = $1
    sub(/^[^{]*\{ /, "")
    sub(/ \}$/, "")
    fields[type] = $0
}
NR == FNR && /^(declare|define) / && match($0, /@[A-Za-z0-9_.$]+\(/) {
    name = substr($0, RSTART, RLENGTH - 1)
    if (match($0, / #[0-9]+/)) attribute_of[name] = substr($0, RSTART + 1, RLENGTH - 1)
}
NR == FNR && /^attributes #/ { attributes[$2] = $0 }
NR == FNR { next }

# Second reading: the functions.
/^define / {
    inside = 1
    first_group = groups + 1
    lines = writes = 0
    split("", prefix_of)
    print named($0)
    print entry_label(substr($0, 1, index($0, "{")))
    next
}
!inside { print; next }
/^\}/ {
    end_block()
    inside = 0
    print
    next
}
/^[A-Za-z0-9_.$-]+:/ {
    end_block()
    if ($0 ~ /^[0-9]/) $0 = "n" $0
    print named($0)
    next
}
{
    $0 = named($0)
    block[++lines] = $0
    if ($0 ~ /= getelementptr inbounds [^(]*, i32 [0-9]+(, !dbg ![0-9]+)?$/) {
        name = result_of($0)
        text = $0
        sub(/^.* = getelementptr inbounds /, "", text)
        sub(/, !dbg.*/, "", text)
        match(text, /[0-9]+$/)
        field_of[name] = substr(text, RSTART) + 0
        prefix_of[name] = substr(text, 1, RSTART - 7)
    } else if ($0 ~ /= load (i8|i16|i32|i64|float|double), [^,*]*\* %[A-Za-z0-9_.]+, align /) {
        note_load(lines, $0)
    } else if ($0 ~ /call void @llvm.memcpy.p[0-9]i8.p[0-9]i8.i64/ && (text = copy_by_16($0)) != "") {
        block[lines] = ""
        before[lines] = text
        write_at[++writes] = lines
        write_place[writes] = ""
    } else if (may_write($0)) {
        write_at[++writes] = lines
        write_place[writes] = $0 ~ /^ +store (i8|i16|i32|i64|float|double) / ? place_of($0) : ""
    }
}
