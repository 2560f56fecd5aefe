# step03_access.gp - which bytes the 32 lanes of a warp want, and which 32-byte segments move for
# them: four patterns, each lane in its colour.
#
# needs: simulated/step03_lanes.csv pattern lane first_byte sector sectors_counted
load "plots/style.gp"
csv = simulated."/step03_lanes.csv"
headline = "Memory moves in sectors of 32 bytes, however few of them a warp wants"
subline = "One load of a warp: each lane reads a float, its number is inside. Boxes are the sectors that move"
source = provenance(csv)
@heading

set palette defined (0 "#fde725", 1 "#7ad151", 2 "#22a884", 3 "#2a788e", 4 "#414487", 5 "#5b2a86")
set cbrange [0:31]
unset colorbox
unset key
unset grid
unset border
unset ytics

segment = 32
row_height = (top - 80.0 / high) / 4
row_top = top - 0.01
ink(lane) = lane < 14 ? 0x000000 : 0xffffff    # the number of a lane, on its colour

set multiplot
do for [pattern in "'offset 0' 'offset 1' 'stride 2' 'stride 32'"] {
    lanes = rows(csv, "pattern", pattern)
    set autoscale    # stats looks at what is in range only
    stats lanes using "sectors_counted" name "counted" nooutput
    stats lanes using "sector" name "sector" nooutput
    # The first three share one scale; the last one is drawn smaller, so that all of it is seen.
    wide_one = sector_max > 31
    bytes = wide_one ? (sector_max + 4) * segment : 9 * segment
    set lmargin at screen 0.125
    set rmargin at screen 0.965
    set tmargin at screen row_top
    set bmargin at screen row_top - row_height * 0.48
    row_top = row_top - row_height
    set yrange [0:1]
    set xrange [-bytes * 0.002:bytes * 1.002]
    set xtics scale 0 offset 0,0.3 font ",15"
    if (wide_one) { set xtics 0,512 } else { set xtics 0,32 }
    set label 4 "{/:Bold ".pattern."}" at screen 0.02, graph 0.5 left textcolor rgb black
    set label 5 sprintf("%.0f sectors: %.0f bytes move, %.0f are wanted%s", counted_max, \
        counted_max * segment, counted_records * 4, wide_one ? \
        "  (drawn smaller)" : "") at graph 0, graph 1.22 left font ",18" textcolor rgb black
    numbered(y) = wide_one ? NaN : y
    plot lanes using (column("sector") * segment + segment / 2.0):(0.5):\
             (segment * 0.48):(0.5) with boxxyerror fs solid 1.0 noborder fc rgb "#c4c4c4", \
         lanes using (column("first_byte") + 2):(0.5):(2):(0.42):"lane" \
             with boxxyerror fs solid 1.0 noborder fc palette, \
         lanes using (column("first_byte") + 2):(numbered(0.5)):"lane":(ink(column("lane"))) \
             with labels font ",10" textcolor rgb variable
    @once
}
unset multiplot
