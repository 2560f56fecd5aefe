# nested.awk - has clang unroll loops as nvcc does where one compilation does not.
#
# 1. LLVM writes out a loop of few rounds early, while it simplifies, and unrolls what is left late: of
#
#        for (n = 0; n < 3; n++) { for (j = n; j < length; j++) { sum += a[j]; } }
#
#    it makes three inner loops, and of each one of four rounds with the rest behind. nvcc makes one inner loop of four
#    rounds with the rest in front, for that loop begins at no constant, and then three of it.
# 2. A loop of at most 20 rounds, which both leave as it is elsewhere, nvcc unrolls four times in another loop.
# 3. `#pragma unroll` of a loop of which the most rounds are known, not their number: nvcc writes out as many, LLVM before 15
#    leaves the loop, or unrolls it four times. It writes it out if it is asked for more rounds than there can be.
#
# So a file with such loops is compiled in two steps more. The first one unrolls inner loops of few rounds, too, while
# outer loops are held back; the second one has the outer loops alone. simtcc calls this for each:
#
#     awk -f nested.awk step=look once.ll               exit status 0: once.ll, which is compiled in one step, may have
#                                                       such loops
#     awk -f nested.awk step=hold once.ll source.ll     source.ll, before any pass, with loops marked: held back if they are
#                                                       gone in once.ll, while a loop in them is there twice; kept
#                                                       if clang left them alone for their few rounds and nvcc, too;
#                                                       asked for (3.); exit status 2: nothing is to be done
#                                                       With inner.ll, made from that in the first step, as third file:
#                                                       once more, without asking for loops that are still there, since
#                                                       nobody knows their most rounds; 1: there are none; 2: nothing is
#                                                       left to be done
#     awk -f nested.awk step=release once.ll inner.ll   what is held let go, all other loops of once.ll kept, and
#                                                       functions without the former closed; exit status 1: nothing is held
#     awk -f nested.awk step=end outer.ll               after the last step: nothing is marked
#
# Read of LLVM's text is what is the same in all its versions: `!llvm.loop !M` at a branch, `!M = distinct !{!M, ...}`
# with the places where the loop begins and ends among its notes, and the functions and calls that those places name.
# Loops are known by their places, since all else changes on the way. Two loops of one macro have one place; they are
# not told apart, and count as one that is there twice.

BEGIN {
    held = "!{!\"llvm.loop.unroll.disable\", i32 1}"
    kept = "!{!\"llvm.loop.unroll.disable\", i32 2}"
    wished = "!{!\"llvm.loop.unroll.enable\"}"
    asked = "!{!\"llvm.loop.unroll.count\", i32 64}"
}

# --- what stands in a file --------------------------------------------------------------------------------------------

function number_in(text, name) { # of `name: 12` or `name: !12`
    if (!match(text, "[( ]" name ": !?[0-9]+")) return 0
    text = substr(text, RSTART, RLENGTH)
    sub(/.*[ !]/, "", text)
    return text + 0
}

# Note number `node` of file `f`: the function that it lies in.
function function_of(f, node,    text, steps) {
    for (steps = 0; steps < 100; steps++) {
        text = note[f, node]
        if (text ~ /!DISubprogram\(/) break
        node = number_in(text, "scope")
    }
    return match(text, /name: "[^"]*"/) ? substr(text, RSTART + 7, RLENGTH - 8) "@" number_in(text, "line") : ""
}

function position_of(f, node) { return number_in(note[f, node], "line") * 100000 + number_in(note[f, node], "column") }

# Where a place is: "function position / function of the call that was inlined, its position / ...".
function chain_of(f, node,    text, steps) {
    for (steps = 0; node != 0 && steps < 100; steps++) {
        text = text (steps > 0 ? " / " : "") function_of(f, number_in(note[f, node], "scope")) " " position_of(f, node)
        node = number_in(note[f, node], "inlinedAt")
    }
    return text
}

# Splits a chain: sets `function_name` and `position` of its first place and `calls`, the rest with its bar.
function split_chain(chain,    bar) {
    bar = index(chain, " / ")
    calls = bar ? substr(chain, bar) : ""
    if (bar) chain = substr(chain, 1, bar - 1)
    position = chain
    sub(/.* /, "", position)
    function_name = substr(chain, 1, length(chain) - length(position) - 1)
    position += 0
}

# The places among the notes of loop `loop`: sets `begins` and `ends`, 0 without them.
function find_places(f, loop,    words, count, i) {
    begins = ends = 0
    count = split(note[f, loop], words, /[{}, !]+/)
    for (i = 2; i <= count; i++) {
        if (note[f, words[i]] !~ /^!DILocation\(/) continue
        if (begins == 0) begins = words[i]
        else if (ends == 0) ends = words[i]
    }
}

# How the programmer wants the loop unrolled ("enable", "count"), or that LLVM has done with it ("disable").
function wish_of(f, loop,    words, count, i, text) {
    count = split(note[f, loop], words, /[{}, !]+/)
    for (i = 2; i <= count; i++) {
        text = note[f, words[i]]
        if (sub(/^!\{!"llvm\.loop\.unroll\./, "", text)) return substr(text, 1, index(text, "\"") - 1)
    }
    return ""
}

function location_of(text) { return match(text, /!dbg ![0-9]+/) ? substr(text, RSTART + 6, RLENGTH - 6) + 0 : 0 }

# The end of a round: a branch back. One that leads ahead is left of a loop that was written out.
function note_branch(text,    words, count, back, i, loop) {
    count = split(text, words, /[ ,]+/) # br i1 %c, label %A, label %B, ... or br label %A, ...
    for (i = 4; i <= count; i++) {
        if (words[i - 1] == "label" && (function_number, words[i]) in is_behind) back = i
    }
    match(text, /!llvm\.loop ![0-9]+/)
    loop = substr(text, RSTART + 12, RLENGTH - 12) + 0
    if (!back) {
        if (file == 1) is_ahead[loop] = 1
        return
    }
    i = ++ends_of_rounds[file]
    loop_at[file, i] = loop
    in_function[file, i] = function_number
    branch[file, i] = text
    goes_back[file, i] = back == 6
}

FNR == 1 && ++file == 2 { first_of_second = function_number } # functions are counted on in the second file
/^![0-9]+ = / {
    number = substr($1, 2) + 0
    if (number > last_number[file]) last_number[file] = number
    if (/ (distinct )?!(\{|DILocation|DISubprogram|DILexicalBlock)/) {
        note[file, number] = substr($0, index($0, "= ") + 2)
        sub(/^distinct /, "", note[file, number])
    }
}
/^define / { function_number++ }
match($0, /^[^ ]+:/) { is_behind[function_number, "%" substr($0, 1, RLENGTH - 1)] = 1 }
/^attributes #[0-9]+ = .* alwaysinline/ { is_always_inlined[substr($2, 2) + 0] = 1 }
/^ +%[^ ]+ = (phi|add|icmp) / { value[function_number, $1] = $0 }
/^ +%[^ ]+ = add[a-z ]* i[0-9]+ %[^ ,]+, -?[0-9]+/ { step_of[function_number, operand_of($0)] = $0 }
/^ +%[^ ]+ = and i[0-9]+ %[^ ]+, [13], !dbg / { takes_rest[function_number, location_of($0)] = 1 } # of the rounds by 2 or 4
/^ +br .*!llvm\.loop ![0-9]+/ { note_branch($0) }
{ line[file, FNR] = $0; lines[file] = FNR }

# --- the loops of once.ll ---------------------------------------------------------------------------------------------

# The counter of the comparison `test`: sets `phi`, and `step_text` where a number is added to it.
function find_counter(fn, test,    words, i, name) {
    phi = step_text = ""
    split(test, words, /[ ,]+/) # %c = icmp CONDITION TYPE %a, %b
    for (i = 7; i <= 8 && phi == ""; i++) {
        name = value[fn, words[i]] ~ / = add / ? operand_of(value[fn, words[i]]) : words[i]
        if (value[fn, name] !~ / = phi /) continue
        phi = value[fn, name]
        step_text = name == words[i] ? step_of[fn, name] : value[fn, words[i]]
    }
}
function operand_of(text,    words) { # %x of `add ... i32 %x, 4`
    match(text, / i[0-9]+ %[^ ,]+,/)
    split(substr(text, RSTART, RLENGTH), words, /[ ,]+/)
    return words[3]
}
function test_of(i,    words) {
    split(branch[1, i], words, /[ ,]+/)
    return value[in_function[1, i], words[4]]
}

# A number of rounds that LLVM knows: the counter begins at a number, and is compared with one.
function has_known_rounds(i,    test) {
    test = test_of(i)
    if (test !~ /, -?[0-9]+(,|$)/) return 0
    find_counter(in_function[1, i], test)
    return phi ~ /\[ -?[0-9]+, /
}

# An unsigned counter that might pass its bound by more than one: nobody knows the most rounds.
function may_pass_bound(i,    test) {
    test = test_of(i)
    if (test !~ /icmp u/) return 0
    if (test ~ (goes_back[1, i] ? "icmp u.e " : "icmp u.t ")) return 1
    find_counter(in_function[1, i], test)
    return step_text !~ / nuw / && step_text !~ /, -?1(,|$)/
}

# Lists the loops by function of once.ll, and how often each is there.
function list_loops(    i, fn, chain, key) {
    for (i = 1; i <= ends_of_rounds[1]; i++) {
        find_places(1, loop_at[1, i])
        fn = in_function[1, i]
        if (begins == 0) { # of the rest of the rounds
            takes_rest[fn, location_of(branch[1, i])] = 1
            continue
        }
        chain = chain_of(1, begins)
        alive[chain] = 1
        if (times[fn, chain]++ > 0) {
            is_twice[fn, chain] = 1
            continue
        }
        key = ++key_count
        key_function[key] = fn
        key_chain[key] = chain
        key_end[key] = i
        split_chain(chain)
        in_place[fn, function_name, calls] = in_place[fn, function_name, calls] " " key
        key_from[key] = position
        key_to[key] = ends ? position_of(1, ends) : position
    }
}

# Which are in other loops of their function, and which have others in them.
function find_nests(    key, chain, keys, count, i) {
    for (key = 1; key <= key_count; key++) {
        is_inner[key] = (key_function[key], key_chain[key]) in is_twice
        for (chain = key_chain[key]; chain != ""; chain = substr(calls, 4)) {
            split_chain(chain)
            count = split(in_place[key_function[key], function_name, calls], keys, " ")
            for (i = 1; i <= count; i++) {
                if (key_from[keys[i]] < position && position <= key_to[keys[i]]) is_inner[key] = is_outer[keys[i]] = 1
            }
        }
    }
}

# Is it a loop that LLVM left as it was although it may not know the number of rounds?
function is_left_alone(key,    i) {
    i = key_end[key]
    return !((key_function[key], location_of(branch[1, i])) in takes_rest) && !has_known_rounds(i) && !goes_by_fours(i)
}

# Four rounds at once without a rest: of rounds that LLVM knows to be a multiple of four.
function goes_by_fours(i) {
    find_counter(in_function[1, i], test_of(i))
    return match(step_text, /, -?[0-9]+(,|$)/) && substr(step_text, RSTART + 2) % 4 == 0
}

# Loops that LLVM, since 15, has written out itself as the programmer wished, by their place in the source: it would not
# in the first step, so they are asked for.
function find_written_out(    loop) {
    for (loop in is_ahead) {
        find_places(1, loop)
        if (begins == 0 || wish_of(1, loop) != "enable") continue
        split_chain(chain_of(1, begins))
        is_written_out[function_name " " position] = 1
    }
}

# Loops by their place in the source: such of few rounds as nvcc unrolls, such as it leaves, and such as the programmer
# may want written out.
function find_few_rounds(    key, place, wish, alone) {
    for (key = 1; key <= key_count; key++) {
        wish = wish_of(1, loop_at[1, key_end[key]])
        alone = is_left_alone(key)
        split_chain(key_chain[key])
        place = function_name " " position
        if (wish ~ /^(enable|disable)$/ && !(alone && may_pass_bound(key_end[key]))) may_be_wished[place] = 1
        if (wish ~ /^(count|disable)$/ || !alone) continue
        if (is_inner[key] && !is_outer[key] && wish == "") has_fours[place] = 1
        else is_to_stay[place] = 1
    }
}

# --- the loops of the source ------------------------------------------------------------------------------------------

function list_source(    i, loop, place, mark, may_ask) {
    mark = number_of(2, wished)
    for (i = 1; i <= ends_of_rounds[2]; i++) {
        loop = loop_at[2, i]
        find_places(2, loop)
        if (ends == 0) continue
        split_chain(chain_of(2, begins))
        place = function_name " " position
        may_ask = (place in may_be_wished || place in is_written_out) && mark != "" && note[2, loop] ~ ("!" mark "[,}]")
        if (may_ask && was_asked_in_vain(function_name, position, position_of(2, ends))) is_in_vain = 1
        else if (may_ask) is_asked[loop] = 1
        else if (place in is_to_stay) is_kept[loop] = 1
        else if (place in has_fours) is_any = 1
        source_loops[function_name] = source_loops[function_name] " " loop
        from[loop] = position
        to[loop] = position_of(2, ends)
    }
}

# The places of the loops that the first step has left, and of those that do the rest of the rounds of others.
function find_tried(    i) {
    for (i = 1; i <= ends_of_rounds[3]; i++) {
        find_places(3, loop_at[3, i])
        split_chain(chain_of(3, begins ? begins : location_of(branch[3, i])))
        if (begins) is_tried[function_name " " position] = 1
        else rests[function_name] = rests[function_name] " " position
    }
}

# Has the first step not written out the loop from `first` to `last` of the source?
function was_asked_in_vain(name, first, last,    words, count, i) {
    if ((name " " first) in is_tried) return 1
    count = split(rests[name], words, " ")
    for (i = 1; i <= count; i++) if (first <= words[i] + 0 && words[i] + 0 <= last) return 1
    return 0
}

# Hold back what is gone of the loops around a place that function `fn` of once.ll has twice.
function hold_around(fn, chain,    loops, count, i) {
    for (; chain != ""; chain = substr(calls, 4)) {
        split_chain(chain)
        count = split(source_loops[function_name], loops, " ")
        for (i = 1; i <= count; i++) {
            if (from[loops[i]] < position && position <= to[loops[i]] &&
                !((fn, function_name " " from[loops[i]] calls) in times)) is_held[loops[i]] = 1
        }
    }
}

# --- what is written --------------------------------------------------------------------------------------------------

# The loop whose note a line is, or 0.
function loop_of(text) { return text ~ /^![0-9]+ = distinct !\{/ ? substr(text, 2) + 0 : 0 }
function with_note(text, number) {
    sub(/\}$/, ", !" number "}", text)
    return text
}
function without_note(text, number) {
    if (number != "") while (sub("!" number ", ", "", text) || sub(", !" number "}", "}", text)) continue
    return text
}
function number_of(f, text,    i) {
    for (i = 1; i <= last_number[f]; i++) if (note[f, i] == text) return i
    return ""
}

function write_held(    i, loop, text, mark) {
    for (loop in is_held) is_any = 1
    for (loop in is_asked) is_any = 1
    if (!is_any) exit 2
    mark = number_of(2, wished)
    for (i = 1; i <= lines[2]; i++) {
        text = line[2, i]
        loop = loop_of(text)
        if (loop in is_held) text = with_note(text, last_number[2] + 1)
        else if (loop in is_kept) text = with_note(text, last_number[2] + 2)
        else if (loop in is_asked) text = with_note(without_note(text, mark), last_number[2] + 3)
        print text
    }
    print "!" (last_number[2] + 1) " = " held "\n!" (last_number[2] + 2) " = " kept "\n!" (last_number[2] + 3) " = " asked
}

# Sets `is_held` for the loops of the first step that are, `is_kept` for those that are to stay as they are, and
# `is_open` for the functions with the former.
function find_held(mark,    i, loop, any) {
    for (i = 1; i <= ends_of_rounds[2]; i++) {
        loop = loop_at[2, i]
        if (mark != "" && note[2, loop] ~ ("!" mark "[,}]")) {
            is_held[loop] = is_open[in_function[2, i] - first_of_second] = any = 1
            continue
        }
        find_places(2, loop)
        if (begins != 0 && chain_of(2, begins) in alive) is_kept[loop] = 1
    }
    return any
}

# A function that no pass changes.
function closed(text) {
    if (!match(text, / #[0-9]+ /) || substr(text, RSTART + 2, RLENGTH - 3) + 0 in is_always_inlined) return text
    return substr(text, 1, RSTART) "\"simt.closed\" noinline optnone" substr(text, RSTART)
}

function write_released(    i, text, loop, mark, seen) {
    mark = number_of(2, held)
    if (!find_held(mark)) exit 1
    for (i = 1; i <= lines[2]; i++) {
        text = line[2, i]
        loop = loop_of(text)
        if (loop in is_held) text = without_note(text, mark)
        else if (loop in is_kept) text = with_note(text, last_number[2] + 1)
        if (text ~ /^define / && !(++seen in is_open)) text = closed(text)
        print text
    }
    print "!" (last_number[2] + 1) " = " kept
}

function write_end(    i, text, mark) {
    mark = number_of(1, kept)
    for (i = 1; i <= lines[1]; i++) {
        text = line[1, i]
        if (text ~ /^attributes #[0-9]+ = .*"simt\.closed"/) gsub(/ (noinline|optnone|"simt\.closed")/, "", text)
        print loop_of(text) ? without_note(text, mark) : text
    }
}

END {
    if (step == "end") {
        write_end()
        exit
    }
    list_loops()
    find_nests()
    find_few_rounds()
    if (step == "look") {
        for (key in is_twice) exit 0
        for (key in has_fours) exit 0
        for (key in may_be_wished) exit 0
        exit 1
    } else if (step == "hold") {
        find_written_out()
        find_tried()
        list_source()
        if (file == 3 && !is_in_vain) exit 1
        for (key = 1; key <= key_count; key++) {
            if ((key_function[key], key_chain[key]) in is_twice) hold_around(key_function[key], key_chain[key])
        }
        write_held()
    } else write_released()
}
