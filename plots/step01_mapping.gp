# step01_mapping.gp - the same arithmetic, with x and y exchanged: what a warp's reads cost, and the
# time.
#
# needs: simulated/step01.csv kernel m n k load_sectors_per_request
# needs: gpu/step01.csv kernel m n k time_ms gflops percent_of_peak
load "plots/style.gp"
counts = simulated."/step01.csv"
times = gpu."/step01.csv"
stats counts using "load_sectors_per_request" name "sectors" nooutput
stats times using "time_ms" name "time" nooutput
size(csv, c) = system(sprintf("awk -F, 'NR == 3 { print $%d }' '%s'", c, csv))
shape(csv) = size(csv, 2)." x ".size(csv, 3)." x ".size(csv, 4)
headline = sprintf("Exchange x and y: %.3g times the sectors, %.1f times the time", \
    sectors_max / sectors_min, time_max / time_min)
subline = "m x n x k: ".shape(counts)." for the sectors, ".shape(times)." for the time"
source = "times ".provenance(times)."; sectors ".provenance(counts)
@heading

# Below a kernel's name, what its warps do; beside a bar, what it stands for.
walk(name) = name."\n".(name eq "matmul_naive" ? "a warp along a row of C" : "a warp down a column of C")
sectors(x) = sprintf(gap."%.1f", column("load_sectors_per_request"))
rate(x) = sprintf(gap."%.1f ms: %.0f GFLOPS,", column("time_ms"), column("gflops"))
share(x) = sprintf(gap."%.1f %% of the FP32 peak", column("percent_of_peak"))

set multiplot
set tmargin at screen top - 0.06
set bmargin at screen bottom - 0.02
set yrange [sectors_records - 0.4:-0.6]
set ytics scale 0 noenhanced
set format x ""
set xtics scale 0
set border 2 lc rgb grey
unset grid
unset key

set lmargin at screen 0.3
set rmargin at screen 0.57
set label 4 "sectors per load request" at graph 0, graph 1.05 left textcolor rgb black
set xrange [0:sectors_max * 1.25]
plot counts using (column("load_sectors_per_request") / 2):0:(column("load_sectors_per_request") / 2):\
             (0.3):ytic(walk(strcol("kernel"))) with boxxyerror lc rgb sky, \
     counts using "load_sectors_per_request":0:(sectors(0)) with labels textcolor rgb black left
@once
set format y ""
set lmargin at screen 0.6
set rmargin at screen 0.985
set label 4 "time" textcolor rgb black
set xrange [0:time_max * 2.1]
plot times using (column("time_ms") / 2):0:(column("time_ms") / 2):(0.3) with boxxyerror lc rgb orange, \
     times using "time_ms":0:(rate(0)) with labels textcolor rgb black left offset 0, 0.6, \
     times using "time_ms":0:(share(0)) with labels textcolor rgb black left offset 0, -0.6
unset multiplot
