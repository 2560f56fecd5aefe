# step05_trace.gp - the same 511 additions in three orders: busy warps and shared wavefronts,
# round by round.
#
# needs: simulated/step05_trace.csv tree round active_warps divergent_warps shared_wavefronts bank_conflicts
load "plots/style.gp"
csv = simulated."/step05_trace.csv"
headline = "The same additions in another order: fewer warps, fewer wavefronts"
subline = "One block of 512 threads adds 512 floats in 9 rounds; full colour: divided warps, wavefronts that are conflicts"
source = provenance(csv)
@heading

tree(name) = rows(csv, "tree", name)
set multiplot
set tmargin at screen top - 0.02
set bmargin at screen bottom
set xrange [0.4:9.6]
set xtics 1 scale 0
set xlabel "round"
step = 0.28
set boxwidth step * 0.92

set lmargin at screen 0.055
set rmargin at screen 0.49
set label 4 "warps that issue the addition (full colour: divided)" at graph 0, graph 1.05 left textcolor rgb black
set yrange [0:17]
set ytics 4
unset key
plot tree("interleaved") using (column("round") - step):"active_warps" with boxes lc rgb sky, \
     tree("interleaved") using (column("round") - step):"divergent_warps" with boxes lc rgb blue, \
     tree("strided_index") using "round":"active_warps" with boxes lc rgb faint_orange, \
     tree("strided_index") using "round":"divergent_warps" with boxes lc rgb orange, \
     tree("sequential") using (column("round") + step):"active_warps" with boxes lc rgb faint_green, \
     tree("sequential") using (column("round") + step):"divergent_warps" with boxes lc rgb green

@once
set lmargin at screen 0.555
set rmargin at screen 0.985
set label 4 "shared wavefronts (full colour: bank conflicts)" textcolor rgb black
set yrange [0:51]
set ytics 12
set key top right
plot tree("interleaved") using (column("round") - step):"shared_wavefronts" \
         with boxes lc rgb sky title "interleaved", \
     tree("interleaved") using (column("round") - step):"bank_conflicts" \
         with boxes lc rgb blue notitle, \
     tree("strided_index") using "round":"shared_wavefronts" \
         with boxes lc rgb faint_orange title "strided index", \
     tree("strided_index") using "round":"bank_conflicts" with boxes lc rgb orange notitle, \
     tree("sequential") using (column("round") + step):"shared_wavefronts" \
         with boxes lc rgb faint_green title "sequential", \
     tree("sequential") using (column("round") + step):"bank_conflicts" \
         with boxes lc rgb green notitle
unset multiplot
