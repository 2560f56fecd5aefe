# lessons.awk - compares the distinct launches of the lessons: hardware's table, then the
# simulator's, both as launches.awk writes them. Called by compare.
#
# A kernel, grid and block that both ran must have made the same distinct launches. What one of them
# alone ran (another size, a library's kernel) is counted, not compared. Kernels that load from shared
# memory while other warps store to it (cp.async, double buffers) differ by what arbitration between
# the two costs on hardware: a few wavefronts, each counted as a conflict too, other ones every time
# they are measured. Such a launch counts as equal if it is equal in all else and the excess is below
# 2 %. The hardware ran nvcc's code. clang's for two kernels of step 02 loads the same values from
# shared memory by other instructions (README.md says which): there their shared loads are left out.

BEGIN { FS = OFS = "," }
/^#/ { next }
# Columns that the recording has not are left out: counters that came later.
$1 == "program" {
    if (FILENAME == ARGV[1])
        recorded = NF
    next
}
NF > recorded { NF = recorded }

{
    side = FILENAME == ARGV[1] ? "hardware" : "simulator"
    key = $1 "," $2 "," $3 "," $4
    if (frontend == "clang" && $2 ~ /^matmul_(packed|warp_tiled)$/) {
        $12 = $13 = "-"
        loads_left_out[key]
    }
    has[side, key] = 1
    keys[key] = 1
    if (!((side, $0) in row)) {
        row[side, $0] = key
        rows[$0] = key
    }
}

# r without the two columns of shared loads, which go to loads and conflicts.
function rest_of(r) {
    split(r, cell, ",")
    loads = cell[12]
    conflicts = cell[13]
    cell[12] = cell[13] = ""
    text = ""
    for (i = 1; i <= 19; i++)
        text = text cell[i] ","
    return text
}

END {
    for (r in rows)
        if (!(("hardware", r) in row)) {
            plain = rest_of(r)
            simulated_loads[plain] = loads
            simulated_conflicts[plain] = conflicts
            simulated_row[plain] = r
        }
    for (r in rows) {
        plain = rest_of(r)
        excess = loads - simulated_loads[plain]
        if (("hardware", r) in row && !(("simulator", r) in row) && plain in simulated_row &&
            excess == conflicts - simulated_conflicts[plain] && excess > 0 && excess < loads / 50) {
            near[r]
            near[simulated_row[plain]]
            arbitration++
        }
    }
    for (r in near)
        delete rows[r]
    for (r in rows) {
        key = rows[r]
        on_hardware = ("hardware", r) in row
        on_simulator = ("simulator", r) in row
        if (!((("hardware", key) in has) && (("simulator", key) in has)))
            alone++
        else if (on_hardware && on_simulator && key in loads_left_out)
            all_else++
        else if (on_hardware && on_simulator)
            equal++
        else {
            printf "%s only: %s\n", on_hardware ? "hardware" : "simulator", r
            failed = 1
        }
    }
    printf "%s: lessons: %d distinct launches equal, %d equal but for arbitration, " \
        "%d but for shared loads, %d run by one side alone: %s\n", frontend, equal, arbitration,
        all_else, alone, failed || !equal ? "FAILED" : "ok"
    exit failed || !equal
}
