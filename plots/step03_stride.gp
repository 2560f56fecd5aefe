# step03_stride.gp - what gaps between the lanes cost, beside the share of each sector that is
# wanted.
#
# needs: gpu/step03.csv experiment parameter gb_per_s load_sectors_per_request bus_efficiency
load "plots/style.gp"
csv = gpu."/step03.csv"
headline = "Sectors move whole: of stride s, at most 1/s is useful, down to 1/8"
subline = "Copy of every s-th float; the ideal is the wanted share of the sectors that are moved"
source = provenance(csv)
@heading

strides = rows(csv, "experiment", "stride")
stats strides using (column("parameter") == 1 ? column("gb_per_s") : NaN) name "rate" nooutput

set multiplot
set lmargin at screen 0.075
set rmargin at screen 0.97
set xrange [0.2:32.8]
set xtics (1, 2, 4, 8, 12, 16, 20, 24, 28, 32)

set tmargin at screen top
set bmargin at screen 0.43
set format x ""
set logscale y 2
set yrange [rate_max / 32:rate_max * 1.4]
set label 4 "GB/s of wanted floats, read + write; each line doubles" at graph 0, graph 1.06 left
set key top right
plot strides using "parameter":(rate_max * column("bus_efficiency")) \
         with linespoints pt 6 ps 1.2 * dot dt 2 lc rgb orange title "ideal", \
     strides using "parameter":"gb_per_s" \
         with linespoints pt 7 ps 1.4 * dot lc rgb blue title "measured"

@once
unset logscale y
set tmargin at screen 0.35
set bmargin at screen bottom
set format x "%g"
set xlabel "stride s, floats"
set yrange [0:35]
set ytics 8
set label 4 "sectors of 32 bytes per request"
set boxwidth 0.7
unset key
plot strides using "parameter":"load_sectors_per_request" with boxes lc rgb sky
unset multiplot
