# step05_sizes.gp - how fast the rungs of the reduction read memory, at every size.
#
# needs: gpu/step05_sizes.csv kernel n gb_per_s percent_of_peak
load "plots/style.gp"
csv = gpu."/step05_sizes.csv"
headline = "Reduction: two rungs and CUB come near the memory's rate"
subline = "Sum of n floats, all launches of a reduction together"
source = provenance(csv)
@heading

rung(name) = rows(csv, "kernel", name)
stats csv using (100 * column("gb_per_s") / column("percent_of_peak")) name "peak" nooutput

set lmargin at screen 0.075
set rmargin at screen 0.74
set tmargin at screen top
set bmargin at screen bottom
set label 4 "GB/s" at graph 0, graph 1.04 left textcolor rgb black
set label 5 sprintf("DRAM peak, %.0f GB/s", peak_median) \
    at graph 0.02, first peak_median * 0.97 left textcolor rgb black
set arrow 1 from graph 0, first peak_median to graph 1, first peak_median nohead dt 3 lc rgb black
set xlabel "n, floats"
set logscale x 2
set xrange [3500:1.3e9]
set yrange [0:peak_median * 1.08]
set xtics ("4 Ki" 2**12, "32 Ki" 2**15, "256 Ki" 2**18, "2 Mi" 2**21, "16 Mi" 2**24, \
    "128 Mi" 2**27, "1 Gi" 2**30)
set key at screen 0.755, screen top left top Left reverse samplen 3 spacing 1.5
plot rung("reduce_single_pass") using "n":"gb_per_s" \
         with linespoints pt 7 ps 1.5 * dot lw 1.6 lc rgb blue title "single pass", \
     rung("reduce_grid_stride") using "n":"gb_per_s" \
         with linespoints pt 6 ps 1.5 * dot lc rgb green title "grid stride", \
     rung("cub_device_reduce") using "n":"gb_per_s" \
         with linespoints pt 2 ps 1.5 * dot dt 2 lc rgb black title "cub::DeviceReduce", \
     rung("reduce_warp_shuffle") using "n":"gb_per_s" \
         with linespoints pt 9 ps 1.5 * dot lc rgb sky title "warp shuffle", \
     rung("reduce_first_add") using "n":"gb_per_s" \
         with linespoints pt 8 ps 1.5 * dot lc rgb grey title "first add", \
     rung("reduce_sequential") using "n":"gb_per_s" \
         with linespoints pt 5 ps 1.5 * dot lc rgb pink title "sequential", \
     rung("reduce_strided_index") using "n":"gb_per_s" \
         with linespoints pt 12 ps 1.5 * dot lc rgb yellow title "strided index", \
     rung("reduce_interleaved") using "n":"gb_per_s" \
         with linespoints pt 11 ps 1.5 * dot lc rgb orange title "interleaved"
