# traceg.awk - what the accesses of a trace (SIMT_REPORT=FILE.traceg) cost, computed from their addresses
# alone by the rules of common/gpu/access.h: a line for each counter, its name and its value.
# Also that the file holds together: lengths, masks, order of blocks, one EXIT at the end of each warp.
function digit(c) { return index("0123456789abcdef", c) - 1 }
function number_of(hex,    i, value) {
    sub(/^0x/, "", hex)
    for (i = 1; i <= length(hex); i++) value = value * 16 + digit(substr(hex, i, 1))
    return value
}
function bits_of(hex,    i, bit, bits) {
    for (i = 1; i <= length(hex); i++)
        for (bit = 8; bit >= 1; bit /= 2) bits = bits (int(digit(substr(hex, i, 1)) / bit) % 2)
    return bits
}
function wrong(what) { print "line " NR ": " what; bad = 1 }
# A quotient as a key: some awks write large numbers as keys with six digits.
function key(address, bytes) { return sprintf("%.0f", int(address / bytes)) }
# Lanes on one address are served one after the other, each time with those of the other addresses.
function sectors(atomic,    i, turn, sector, seen, met, count) {
    for (i = 1; i <= lanes; i++) {
        turn = atomic ? met[key(address[i], 1)]++ : 0
        sector = key(address[i], 32)
        if (!((turn, sector) in seen)) count++
        seen[turn, sector] = 1
    }
    return count
}
# Of words of four bytes: as many passes as the fullest of the 32 banks has different words.
function wavefronts(    i, word, seen, filled, most) {
    for (i = 1; i <= lanes; i++) {
        word = int(address[i] / 4)
        if (word in seen) continue
        seen[word] = 1
        if (++filled[word % 32] > most) most = filled[word % 32]
    }
    return most
}
function add_access(opcode) {
    if (opcode ~ /^LDG\./) { load_requests++; load_sectors += sectors(0) }
    else if (opcode ~ /^STG\./) { store_requests++; store_sectors += sectors(0) }
    else if (opcode ~ /^RED\./) { red_requests++; red_sectors += sectors(1) }
    else if (opcode ~ /^ATOMG\./) { atom_requests++; atom_sectors += sectors(1) }
    else if (opcode ~ /^LDGSTS\./) { copy_requests++; copy_sectors += sectors(0); load_requests++; load_sectors += sectors(0) }
    else if (opcode == "LDS") shared_loads += wavefronts()
    else if (opcode == "STS") shared_stores += wavefronts()
    else if (opcode !~ /^(LDS|STS|LDL|STL)(\.|$)/) wrong("opcode " opcode)
}
/^-accesses = / { announced = $3 }
/^-accesses left out = / { left_out = $5 }
/^thread block = / { split($4, at, ","); if (at[1] != blocks++) wrong("block " $4) }
/^warp = / { if (insts != 0) wrong("the warp before lacks " insts " lines"); warps++ }
/^insts = / { insts = $3 }
/^[0-9]+ [0-9a-f]+ [0-9a-f]+ 0 / {
    insts--
    mask = bits_of($3)
    lanes = gsub(/1/, "1", mask)
    if ($5 == "EXIT") {
        if (insts != 0) wrong("EXIT is not the last one")
        next
    }
    accesses++
    if ($4 != 0 || $6 != 0 || lanes == 0) wrong("registers or mask")
    if ($8 == 1) {
        if (NF != 11 || mask !~ /^0*1+0*$/) wrong("form 1 has one run of lanes and three fields")
        for (i = 1; i <= lanes; i++) address[i] = number_of($9) + (i - 1) * $10
    } else {
        if ($8 != 0 || NF != 9 + lanes) wrong(NF " fields for " lanes " lanes")
        for (i = 1; i <= lanes; i++) address[i] = number_of($(8 + i))
    }
    for (i = 1; i <= lanes; i++) if (address[i] % $7 != 0) wrong("an address that is no multiple of " $7)
    add_access($5)
}
END {
    if (insts != 0 || accesses + 0 != announced) wrong(accesses + 0 " accesses, not " announced)
    print "warps", warps + 0
    print "global_load_requests", load_requests + 0
    print "global_load_sectors", load_sectors + 0
    print "global_store_requests", store_requests + 0
    print "global_store_sectors", store_sectors + 0
    print "global_red_requests", red_requests + 0
    print "global_red_sectors", red_sectors + 0
    print "global_atom_requests", atom_requests + 0
    print "global_atom_sectors", atom_sectors + 0
    print "copy_requests", copy_requests + 0
    print "copy_sectors", copy_sectors + 0
    if (words) print "shared_load_wavefronts", shared_loads + 0
    if (words) print "shared_store_wavefronts", shared_stores + 0
    exit bad
}
