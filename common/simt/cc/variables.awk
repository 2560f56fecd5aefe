# variables.awk - PTX that says which variable of the source a register holds.
#
# usage: clang++ ... -mllvm -print-after=branch-folder x.ll -o /dev/null 2>machine
#        awk -f variables.awk part=1 x.ll part=2 machine part=3 x.ptx >y.ptx
#
# LLVM keeps track of variables down to its last form of a function, where each use of a register names its class
# (`%40:int32regs = MAD32rrr ...`) and each variable its register (`DBG_VALUE %40:int32regs, $noreg, !"i", ...`).
# PTX numbers the registers of a class in the same order, with other gaps: where both texts use as many of each
# class, the n-th is the n-th; else a function gets no names. A register that is written once is called as the
# first variable that it holds, if that is so in the block that writes it: behind it the variable may have had
# another value for a while. Of one that is written more often, a write has the variable that follows it in its
# block, or stands at the head of the only block behind it. Before the end of the function's body stands, for each,
#
#     .pragma "simt_variable %r17 3 5 i";     of 3 writes the first and the third (bits 0 and 2) are of i
#
# A part of a structure or array in a register is called `p.x`, `a[2]`; x.ll has the types.

BEGIN {
    count = split("int1regs %p int16regs %rs int32regs %r int64regs %rd float16regs %h float16x2regs %hh " \
        "float32regs %f float64regs %fd", words, " ")
    for (i = 1; i < count; i += 2) prefix[words[i]] = words[i + 1]
}

# The value behind `key: ` in a line of metadata, up to the next comma or parenthesis.
function value(text, key)
{
    if (!match(text, "[(, ]" key ": [^,)]*")) return ""
    text = substr(text, RSTART, RLENGTH)
    sub(/^[^:]*: (i64 )?"?/, "", text)
    sub(/"$/, "", text)
    return text
}

# What a type is, without its other names and qualifiers.
function plain(type)
{
    while (meta[type] ~ /^!DIDerivedType\(tag: DW_TAG_(typedef|const_type|volatile_type)/) type = value(meta[type], "baseType")
    return type
}

# ".x", "[2]": the part of a type that begins at a bit; "?" where it has no name.
function part_name(type, bit,    list, count, i, text, at, sizes, rest, element)
{
    type = plain(type)
    text = meta[type]
    if (text !~ /^(distinct )?!DICompositeType\(/) return bit == 0 ? "" : "?"
    list = meta[value(text, "elements")]
    gsub(/[!{} ]/, "", list)
    count = split(list, element, ",")
    if (text ~ /DW_TAG_array_type/) {
        at = value(meta[plain(value(text, "baseType"))], "size") + 0
        if (at == 0) return "?"
        rest = int(bit / at)
        list = ""
        for (i = count; i > 0; i--) {
            sizes = value(meta["!" element[i]], "count") + 0
            if (sizes == 0) return "?"
            list = "[" (rest % sizes) "]" list
            rest = int(rest / sizes)
        }
        return list part_name(value(text, "baseType"), bit % at)
    }
    if (text !~ /DW_TAG_(structure|class)_type/) return "?"
    for (i = 1; i <= count; i++) {
        text = meta["!" element[i]]
        at = value(text, "offset") + 0
        if (text ~ /DW_TAG_member/ && text !~ /DIFlagStaticMember/ && bit >= at && bit < at + value(text, "size")) {
            return "." value(text, "name") part_name(value(text, "baseType"), bit - at)
        }
    }
    return "?"
}

part == 1 && /^![0-9]+ = / {
    meta[$1] = substr($0, index($0, "= ") + 2)
    if (/DILocalVariable\(name: /) {
        key = value($0, "name") SUBSEP value($0, "line")
        if (key in type_of && type_of[key] != value($0, "type")) type_of[key] = ""
        else type_of[key] = value($0, "type")
    }
}

# --- the last form of each function --------------------------------------------------------------------

# What was written last in a block, and has no variable yet: the block behind it may have.
function leave_block(    register)
{
    for (register in fresh) {
        tails[name]++
        tail[name, tails[name]] = register SUBSEP fresh[register] SUBSEP block
    }
    split("", fresh)
}

part == 2 && /^# Machine code for function / {
    name = $6
    sub(/:$/, "", name)
}
# DBG_VALUE %40:int32regs, $noreg, !"i", !DIExpression(), debug-location !1146; k.cu:0 line no:5
part == 2 && /^  DBG_VALUE [^!]*%[0-9]+:[a-z0-9]+, \$noreg, !"[A-Za-z_][A-Za-z0-9_]*", !DIExpression\((DW_OP_LLVM_fragment, [0-9]+, [0-9]+)?\)/ {
    match($0, /%[0-9]+/)
    register = substr($0, RSTART + 1, RLENGTH - 1)
    match($0, /!"[^"]*"/)
    variable = substr($0, RSTART + 2, RLENGTH - 3)
    if (match($0, /DW_OP_LLVM_fragment, [0-9]+/)) {
        bit = substr($0, RSTART + 21, RLENGTH - 21) + 0
        match($0, /line no:[0-9]+/)
        key = variable SUBSEP substr($0, RSTART + 8, RLENGTH - 8)
        variable = variable (type_of[key] == "" ? "?" : part_name(type_of[key], bit))
    }
    if (variable !~ /\?/) {
        if (!((name, register) in first_name)) first_name[name, register] = made_in[name, register] == block ? variable : ""
        if (register in fresh) {
            label[name, register, fresh[register]] = variable
            delete fresh[register]
        }
        if (at_head) head_name[name, block, register] = variable
    }
    next
}
part == 2 && /^bb\.[0-9]+/ {
    leave_block()
    block = substr($1, 4) + 0
    at_head = 1
}
part == 2 && /^  successors: %bb\.[0-9]+\([^,]*\);/ {
    match($2, /[0-9]+/)
    only_next[name, block] = substr($2, RSTART, RLENGTH) + 0
}
part == 2 && /^# End machine code/ { leave_block() }
part == 2 && /^  / && !/^  (DBG_|successors:|IMPLICIT_DEF)/ && !/= IMPLICIT_DEF/ {
    text = $0
    sub(/ :: .*/, "", text)
    written = index(text, " = ")
    passed = at_head = 0
    while (match(text, /%[0-9]+:[a-z0-9]+/)) {
        split(substr(text, RSTART + 1, RLENGTH - 1), words, ":")
        used[name, words[2], words[1]] = 1
        if (words[1] + 0 > last[name, words[2]] + 0) last[name, words[2]] = words[1] + 0
        classes[name, words[2]] = 1
        if (passed + RSTART < written || (RSTART > 4 && substr(text, RSTART - 4, 4) == "def ")) {
            fresh[words[1]] = ++writers[name, words[1]]
            made_in[name, words[1]] = block
        }
        passed += RSTART + RLENGTH - 1
        text = substr(text, RSTART + RLENGTH)
    }
}

# --- PTX -----------------------------------------------------------------------------------------------

# Notes the registers that a line of PTX uses.
function note_registers(text,    register, kind)
{
    sub(/\/\/.*/, "", text)
    if (text ~ /^[ \t]*\./) return
    while (match(text, /%[a-z]+[0-9]+/)) {
        register = substr(text, RSTART, RLENGTH)
        kind = register
        sub(/[0-9]+$/, "", kind)
        register = substr(register, length(kind) + 1) + 0
        in_ptx[kind, register] = 1
        if (register > highest[kind]) highest[kind] = register
        text = substr(text, RSTART + RLENGTH)
    }
}

# Pairs the registers of one class, in order; 0 where there are not as many.
function pair(class,    kind, i, at)
{
    kind = prefix[class]
    for (i = at = 0; i <= last[name, class]; i++) {
        if (!((name, class, i) in used)) continue
        do at++; while (at <= highest[kind] && !((kind, at) in in_ptx))
        if (at > highest[kind]) return 0
        called[class, i] = kind at
    }
    do at++; while (at <= highest[kind] && !((kind, at) in in_ptx))
    return at > highest[kind]
}

function label_tails(    i, words, next_block)
{
    for (i = 1; i <= tails[name]; i++) {
        split(tail[name, i], words, SUBSEP)
        if (!((name, words[3]) in only_next)) continue
        next_block = only_next[name, words[3]]
        if ((name, next_block, words[1]) in head_name) label[name, words[1], words[2]] = head_name[name, next_block, words[1]]
    }
}

# "3 5 i" of a register of the last form; "" where nothing is certain. The mask has 31 bits.
function note_of(register,    total, i, mask, bit, variable)
{
    total = writers[name, register]
    if (total == 1) return first_name[name, register] == "" ? "" : "1 1 " first_name[name, register]
    for (i = bit = 1; i <= total && i < 32; i++) {
        if ((name, register, i) in label) {
            if (mask > 0 && label[name, register, i] != variable) return ""
            variable = label[name, register, i]
            mask += bit
        }
        bit *= 2
    }
    return mask > 0 ? total " " mask " " variable : ""
}

function write_names(    class, i, note)
{
    for (class in prefix) {
        if ((name, class) in classes && !pair(class)) return
    }
    label_tails()
    for (class in prefix) {
        for (i = 0; (name, class) in classes && i <= last[name, class]; i++) {
            note = (name, class, i) in used ? note_of(i) : ""
            if (note != "") print "\t.pragma \"simt_variable " called[class, i] " " note "\";"
        }
    }
}

part == 3 && /^[^ \t].*\.(entry|func) / {
    name = $0
    sub(/\.func[ \t]+\([^)]*\)/, ".func ", name)
    sub(/^.*\.(entry|func)[ \t]+/, "", name)
    sub(/[ \t(].*/, "", name)
}
# Labels of lines and scopes, which nobody jumps to.
part == 3 && /^(\$L__|L)tmp[0-9]+:$/ { next }
part == 3 && /^\{/ { inside = 1; split("", in_ptx); split("", highest); split("", called) }
part == 3 && inside && /^\}/ { write_names(); inside = 0 }
part == 3 && inside { note_registers($0) }
part == 3 { print }
