# step05_modelled.gp - how fast the rungs of the reduction read memory: measured, and as the simulator's
# model expects of the same GPU (of an H200, where it is neither that nor an H100).
#
# needs: gpu/step05_sizes.csv kernel n gb_per_s
# needs: simulated/step05_modelled.csv gpu kernel n floor_ms model_ms
load "plots/style.gp"
csv = simulated."/step05_modelled.csv"
measured = gpu."/step05_sizes.csv"
headline = "The reduction modelled beside measured, at sizes that a laptop holds"
subline = sprintf("Sum of n floats. Lines: measured, launching included; dashes: modelled for the %s, the kernels alone: an estimate", called)
source = provenance(measured)."; modelled: simulated counts"
@heading

rung(name) = rows(measured, "kernel", name)
modelled(name) = sprintf("%s | awk -F, 'NR == 1 || $1 == \"%s\"'", rows(csv, "kernel", name), card)
speed = "(4e-6 * column('n') / column('model_ms'))"

set lmargin at screen 0.075
set rmargin at screen 0.74
set tmargin at screen top
set bmargin at screen bottom
set label 4 "GB/s" at graph 0, graph 1.04 left textcolor rgb black
set xlabel "n, floats"
set logscale xy
set xrange [3500:2e7]
set yrange [1:*]
set xtics ("4 Ki" 2**12, "16 Ki" 2**14, "64 Ki" 2**16, "256 Ki" 2**18, "1 Mi" 2**20, "4,000,000" 4e6, "16 Mi" 2**24)
set key at screen 0.755, screen top left top Left reverse samplen 3 spacing 1.5
plot rung("reduce_single_pass") using "n":"gb_per_s" \
         with linespoints pt 7 ps 1.5 * dot lw 1.6 lc rgb blue title "single pass", \
     rung("reduce_grid_stride") using "n":"gb_per_s" \
         with linespoints pt 6 ps 1.5 * dot lc rgb green title "grid stride", \
     rung("reduce_first_add") using "n":"gb_per_s" \
         with linespoints pt 8 ps 1.5 * dot lc rgb grey title "first add", \
     rung("reduce_strided_index") using "n":"gb_per_s" \
         with linespoints pt 12 ps 1.5 * dot lc rgb yellow title "strided index", \
     rung("reduce_interleaved") using "n":"gb_per_s" \
         with linespoints pt 11 ps 1.5 * dot lc rgb orange title "interleaved", \
     modelled("reduce_single_pass") using "n":@speed with lines dt 2 lw 1.6 lc rgb blue title "the same, modelled", \
     modelled("reduce_grid_stride") using "n":@speed with lines dt 2 lc rgb green notitle, \
     modelled("reduce_first_add") using "n":@speed with lines dt 2 lc rgb grey notitle, \
     modelled("reduce_strided_index") using "n":@speed with lines dt 2 lc rgb yellow notitle, \
     modelled("reduce_interleaved") using "n":@speed with lines dt 2 lc rgb orange notitle
