# step03_offset.gp - what a misaligned start costs, and what five sectors instead of four let one
# expect. On the simulator, where nothing is timed, the useful share of what moves stands above.
#
# needs: gpu/step03.csv experiment parameter gb_per_s load_sectors_per_request bus_efficiency
# rerun: step03.csv step03 offsets n bytes
load "plots/style.gp"
csv = gpu."/step03.csv"
offsets = rows(csv, "experiment", "offset")
timed = words(system(sprintf("awk -F, '/^offset/ && $7 != \"-\" { print $7 }' '%s'", csv))) > 0
headline = timed ? "A misaligned warp moves a fifth sector, but loses less than a fifth" : "A misaligned warp moves a sector more than it wants"
subline = "Copy, every warp starting that many elements behind a 32-byte edge"
source = provenance(csv)
@heading

if (words(system(sprintf("awk -F, '/^offset/ && $3 == 0 { print 1 }' '%s'", csv))) == 0) { exit error "offset 0 is missing, with which the others are compared: --offsets 0,..." }
aligned(y) = column("parameter") == 0 ? column(y) : NaN
stats offsets using "parameter" name "offset" nooutput
stats offsets using "load_sectors_per_request" name "all" nooutput
stats offsets using (aligned("load_sectors_per_request")) name "sectors" nooutput
if (timed) { stats offsets using (aligned("gb_per_s")) name "rate" nooutput }
# A few that were asked for stand side by side, however far apart they are.
few = offset_records <= 12
x_of(i) = few ? column(0) : column("parameter")
asked = system(sprintf("awk -F, '/^offset/ { print $3 }' '%s'", csv))

set multiplot
set lmargin at screen 0.075
set rmargin at screen 0.97
beyond = few ? 0.6 : offset_max * 0.025
set xrange [-beyond:(few ? offset_records - 1 : offset_max) + beyond]
if (few) {
    set xtics ()
    set for [i = 1:words(asked)] xtics add ("" i - 1)
} else {
    set xtics 4
}

set tmargin at screen top
set bmargin at screen 0.43
set format x ""
set key bottom right
if (timed) {
    set yrange [0:rate_max * 1.15]
    set ytics 10 ** floor(log10(rate_max))
    set label 4 "GB/s, read + write" at graph 0, graph 1.06 left textcolor rgb black
    plot offsets using (x_of(0)):"gb_per_s" \
             with linespoints pt 7 ps 1.4 * dot lc rgb blue title "measured", \
         offsets using (x_of(0)):(rate_max * sectors_max / column("load_sectors_per_request")) \
             with linespoints pt 6 ps 1.2 * dot dt 2 lc rgb orange title "expected from the sectors alone"
} else {
    set yrange [0:108]
    set label 4 "useful share of the bytes that move, %" at graph 0, graph 1.06 left textcolor rgb black
    plot offsets using (x_of(0)):(100 * column("bus_efficiency")) \
             with linespoints pt 6 ps 1.2 * dot dt 2 lc rgb orange title "from the counted sectors"
}

@once
set tmargin at screen 0.35
set bmargin at screen bottom
set format x "%g"
if (few) {
    set xtics ()
    set for [i = 1:words(asked)] xtics add (word(asked, i) i - 1)
} else {
    set xtics 4
}
set xlabel "offset, elements"
set yrange [0:all_max * 1.12]
set ytics all_max > 16 ? 8 : all_max > 8 ? 4 : 1
set label 4 "sectors of 32 bytes per request" at graph 0, graph 1.06 left textcolor rgb black
set boxwidth few ? 0.25 : 0.7
unset key
plot offsets using (x_of(0)):"load_sectors_per_request" with boxes lc rgb sky
unset multiplot
