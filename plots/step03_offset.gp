# step03_offset.gp - what a misaligned start costs, and what five sectors instead of four let one
# expect.
#
# needs: gpu/step03.csv experiment parameter gb_per_s load_sectors_per_request
load "plots/style.gp"
csv = gpu."/step03.csv"
headline = "A misaligned warp moves a fifth sector, but loses less than a fifth"
subline = "Copy of floats, every warp starting that many floats behind a 32-byte edge"
source = provenance(csv)
@heading

offsets = rows(csv, "experiment", "offset")
aligned(y) = column("parameter") == 0 ? column(y) : NaN
stats offsets using (aligned("gb_per_s")) name "rate" nooutput
stats offsets using (aligned("load_sectors_per_request")) name "sectors" nooutput

set multiplot
set lmargin at screen 0.075
set rmargin at screen 0.97
set xrange [-0.8:32.8]
set xtics 4

set tmargin at screen top
set bmargin at screen 0.43
set format x ""
set yrange [0:rate_max * 1.15]
set ytics 1000
set label 4 "GB/s, read + write" at graph 0, graph 1.06 left
set key bottom right
plot offsets using "parameter":"gb_per_s" \
         with linespoints pt 7 ps 1.4 * dot lc rgb blue title "measured", \
     offsets using "parameter":(rate_max * sectors_max / column("load_sectors_per_request")) \
         with linespoints pt 6 ps 1.2 * dot dt 2 lc rgb orange title "expected from the sectors alone"

@once
set tmargin at screen 0.35
set bmargin at screen bottom
set format x "%g"
set xlabel "offset, floats"
set yrange [0:5.6]
set ytics 1
set label 4 "sectors of 32 bytes per request"
set boxwidth 0.7
unset key
plot offsets using "parameter":"load_sectors_per_request" with boxes lc rgb sky
unset multiplot
