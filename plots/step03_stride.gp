# step03_stride.gp - what gaps between the lanes cost, beside the share of each sector that is
# wanted. On the simulator, where nothing is timed, that share alone.
#
# needs: gpu/step03.csv experiment parameter gb_per_s load_sectors_per_request bus_efficiency
# rerun: step03.csv step03 strides n bytes
load "plots/style.gp"
csv = gpu."/step03.csv"
strides = rows(csv, "experiment", "stride")
timed = words(system(sprintf("awk -F, '/^stride/ && $7 != \"-\" { print $7 }' '%s'", csv))) > 0
headline = "Sectors move whole: the wider the stride, the less of each is useful"
subline = "Copy of every s-th element; the ideal is the wanted share of the sectors that are moved"
source = provenance(csv)
@heading

if (timed && words(system(sprintf("awk -F, '/^stride/ && $3 == 1 { print 1 }' '%s'", csv))) == 0) { exit error "stride 1 is missing, with which the others are compared: --strides 1,..." }
first(y) = column("parameter") == 1 ? column(y) : NaN
stats strides using "parameter" name "stride" nooutput
stats strides using "load_sectors_per_request" name "sectors" nooutput
stats strides using "bus_efficiency" name "share" nooutput
if (timed) {
    stats strides using (first("gb_per_s")) name "rate" nooutput
    stats strides using "gb_per_s" name "all" nooutput
}
# A few that were asked for stand side by side, however far apart they are.
few = stride_records <= 12
x_of(i) = few ? column(0) : column("parameter")
asked = system(sprintf("awk -F, '/^stride/ { print $3 }' '%s'", csv))

set multiplot
set lmargin at screen 0.075
set rmargin at screen 0.97
beyond = few ? 0.6 : stride_max * 0.025
set xrange [(few ? 0 : stride_min) - beyond:(few ? stride_records - 1 : stride_max) + beyond]
if (few) {
    set xtics ()
    set for [i = 1:words(asked)] xtics add ("" i - 1)
} else {
    set xtics (1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64)
}

set tmargin at screen top
set bmargin at screen 0.43
set format x ""
set key top right
set logscale y 2
if (timed) {
    set yrange [(all_min < rate_max * share_min ? all_min : rate_max * share_min) / 1.3:rate_max * 1.4]
    set label 4 "GB/s of wanted bytes, read + write; each line doubles" at graph 0, graph 1.06 left textcolor rgb black
    plot strides using (x_of(0)):(rate_max * column("bus_efficiency")) \
             with linespoints pt 6 ps 1.2 * dot dt 2 lc rgb orange title "ideal", \
         strides using (x_of(0)):"gb_per_s" \
             with linespoints pt 7 ps 1.4 * dot lc rgb blue title "measured"
} else {
    set yrange [100 * share_min / 1.3:140]
    set ytics (100, 50, 25, 12.5, 6.25, 3.125)
    set label 4 "useful share of the bytes that move, %; each line doubles" at graph 0, graph 1.06 left textcolor rgb black
    plot strides using (x_of(0)):(100 * column("bus_efficiency")) \
             with linespoints pt 6 ps 1.2 * dot dt 2 lc rgb orange title "from the counted sectors"
}

@once
unset logscale y
set tmargin at screen 0.35
set bmargin at screen bottom
set format x "%g"
if (few) {
    set xtics ()
    set for [i = 1:words(asked)] xtics add (word(asked, i) i - 1)
} else {
    set xtics (1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64)
}
set xlabel "stride s, elements"
set yrange [0:sectors_max * 1.12]
set ytics sectors_max > 16 ? 8 : sectors_max > 8 ? 4 : 1
set label 4 "sectors of 32 bytes per request" at graph 0, graph 1.06 left textcolor rgb black
bar = few ? 40 : 9
unset key
plot strides using (x_of(0)):"load_sectors_per_request" with impulses lw bar lc rgb sky
unset multiplot
