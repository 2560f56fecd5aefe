# step02_l1.gp - the roofline of the unit that serves L1 and shared memory: how much each rung
# computes per wavefront, and how fast. See l1.awk for what is a wavefront.
#
# needs: gpu/step02_ladder.csv kernel m n k gflops percent_of_peak
# needs: gpu/roofs_computed.csv roof per_ns
# needs: simulated/step02_ladder.csv kernel m n k load_sectors_per_request global_load_sectors shared_wavefronts
load "plots/style.gp"
csv = gpu."/step02_ladder.csv"
counts = simulated."/step02_ladder.csv"
roofs = gpu."/roofs_computed.csv"
headline = "The first rungs wait for L1 and shared memory, the last ones for arithmetic"
subline = "An SM serves one wavefront a cycle: 128 bytes of shared memory, or a request of 4 sectors. At the edge: not counted"
source = "rates ".provenance(csv)."; wavefronts ".provenance(counts)
@heading

stats csv using (100 * column("gflops") / column("percent_of_peak")) name "flops" nooutput
stats roofs using "per_ns" name "wavefronts" nooutput
peak = flops_median
per_ns = wavefronts_max
ridge = peak / per_ns
points = sprintf("< awk -F, -v per_ns=%g -f plots/columns.awk -f plots/l1.awk '%s' '%s'", per_ns, counts, csv)
# The autotuned rung has the shape that suits this GPU: nobody counted that one.
uncounted = rows(csv, "kernel", "matmul_autotuned")
beside(side) = strcol("side") eq side ? column("intensity") : NaN
stats points using "intensity" name "x" nooutput
stats points using "gflops" name "y" nooutput

set lmargin at screen 0.085
set rmargin at screen 0.97
set tmargin at screen top
set bmargin at screen bottom
set logscale xy
x_low = x_min / 2
x_high = x_max * 2
y_low = y_min / 1.6
y_high = peak * 1.6
set xrange [x_low:x_high]
set yrange [y_low:y_high]
angle = slope(0.085, 0.97, bottom, top, x_low, x_high, y_low, y_high)
set xlabel "operations per wavefront"
set label 4 "GFLOPS" at graph 0, graph 1.04 left textcolor rgb black
set label 5 sprintf("FP32 peak, %.0f GFLOPS", peak) at ridge, peak * 1.12 left font ",17" textcolor rgb black
set label 6 sprintf("L1 and shared memory, %.0f wavefronts per ns", per_ns) at ridge / 3.2, peak / 3.2 * 1.22 center rotate by angle font ",17" textcolor rgb black
set key off
roof(x) = x < ridge ? per_ns * x : peak
set samples 500
set style textbox opaque noborder margins 0.2, 0.2
set xtics (10, 20, 50, 100, 200, 500, 1000, 2000)
set ytics (2000, 5000, 10000, 20000, 50000, 100000)
plot roof(x) with lines lw 1.6 lc rgb black, \
     points using "intensity":"gflops" with points pt 7 ps 1.5 * dot lc rgb blue, \
     uncounted using (x_high / 1.06):"gflops" with points pt 6 ps 1.5 * dot lc rgb blue, \
     uncounted using (x_high / 1.1):"gflops":(strcol("kernel")[8:]) with labels textcolor rgb black right font ",15", \
     points using (beside("right") * 1.04):"name_at":(strcol("kernel")) with labels textcolor rgb black boxed left font ",15", \
     points using (beside("left") / 1.04):"name_at":(strcol("kernel")) with labels textcolor rgb black boxed right font ",15"
