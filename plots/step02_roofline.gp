# step02_roofline.gp - how much each kernel computes per byte it asks for, and how fast: what lies
# above the DRAM roof lives on caches.
#
# Rates are measured; bytes are the sectors that the loads of the same kernel ask for, counted on the
# simulator (per operation the same at every size that fills the tiles). See roofline.awk.
# needs: gpu/step01.csv kernel gflops
# needs: gpu/step02_ladder.csv kernel gflops percent_of_peak
# needs: gpu/step05_sizes.csv kernel n gb_per_s percent_of_peak
# needs: simulated/step01.csv kernel m n k global_load_sectors
# needs: simulated/step02_ladder.csv kernel m n k global_load_sectors
load "plots/style.gp"
csv = gpu."/step02_ladder.csv"
sums = gpu."/step05_sizes.csv"
headline = "Roofline: more work per byte loaded, until arithmetic is the limit"
subline = "Each kernel at its largest size; above a roof, the cache before it delivers. At the edge: bytes not counted"
source = "rates ".provenance(csv)."; bytes ".provenance(simulated."/step02_ladder.csv")
@heading

stats csv using (100 * column("gflops") / column("percent_of_peak")) name "flops" nooutput
stats sums using (100 * column("gb_per_s") / column("percent_of_peak")) name "dram" nooutput
ridge = flops_median / dram_median

points = sprintf("< awk -F, -v dram=%g -f plots/columns.awk -f plots/roofline.awk '%s' '%s' '%s' '%s' '%s'", dram_median, \
    simulated."/step01.csv", simulated."/step02_ladder.csv", gpu."/step01.csv", csv, sums)
of(lesson, y) = strcol("lesson") eq lesson ? column(y) : NaN
beside(side) = strcol("side") eq side ? column("intensity") : NaN
stats points using "intensity" name "x" nooutput

set lmargin at screen 0.085
set rmargin at screen 0.97
set tmargin at screen top
set bmargin at screen bottom
set logscale xy
edge = x_max * 8
set xrange [0.02:edge * 1.1]
set yrange [50:flops_median * 2]
set xlabel "operations per byte that the kernel's loads ask for"
set label 4 "GFLOPS" at graph 0, graph 1.04 left textcolor rgb black
set label 5 sprintf("FP32 peak, %.0f GFLOPS", flops_median) at graph 0.99, first flops_median * 1.25 right font ",17" textcolor rgb black
angle = slope(0.085, 0.97, bottom, top, 0.02, edge * 1.1, 50, flops_median * 2)
set label 6 sprintf("DRAM, %.0f GB/s", dram_median) at 0.06, dram_median * 0.06 / 1.4 center rotate by angle font ",17" textcolor rgb black
set key off
# The L2 roof: as plots/roofs.cu measured it on this GPU, else as it was published for it, else none.
has(file) = system("test -f '".file."' && echo yes") eq "yes"
roofs = has(gpu."/roofs.csv") ? gpu."/roofs.csv" : gpu."/roofs_published.csv"
l2 = 0
if (has(roofs)) {
    set autoscale
    stats rows(roofs, "roof", "L2") using "gb_per_s" name "cache" nooutput
    l2 = cache_max
    set xrange [0.02:edge * 1.1]
    set yrange [50:flops_median * 2]
    published = has(gpu."/roofs.csv") ? "" : " (published)"
    set label 7 sprintf("L2, %.0f GB/s%s", l2, published) at 2, l2 * 2 * 1.4 center rotate by angle font ",17" textcolor rgb black
}
l2_roof(x) = l2 > 0 && x < flops_median / l2 ? l2 * x : NaN
roof(x) = x < ridge ? dram_median * x : flops_median
set samples 500
set style textbox opaque noborder margins 0.2, 0.2
set xtics format "%g"
set ytics (100, 1000, 10000, 100000)
plot roof(x) with lines lw 1.6 lc rgb black, \
     l2_roof(x) with lines dt 2 lw 1.3 lc rgb grey, \
     points using (of("matmul", "intensity")):"gflops" with points pt 7 ps 1.5 * dot lc rgb blue, \
     points using (beside("right") * 1.1):"name_at":(strcol("kernel")) with labels textcolor rgb black boxed left font ",14", \
     points using (beside("left") / 1.1):"name_at":(strcol("kernel")) with labels textcolor rgb black boxed right font ",14", \
     points using (strcol("lesson") eq "uncounted" ? edge : NaN):"gflops" with points pt 6 ps 1.5 * dot lc rgb blue, \
     points using (strcol("side") eq "edge" ? edge / 1.1 : NaN):"name_at":(strcol("kernel")) with labels textcolor rgb black boxed right font ",14", \
     points using (of("reduction", "intensity")):"gflops" with points pt 5 ps 1.5 * dot lc rgb orange
