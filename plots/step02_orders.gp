# step02_orders.gp - the tilings of the sweep, one mark each, by loop order.
#
# needs: gpu/step02_sweep.csv order staged n gflops
# needs: gpu/step02_sweep_global.csv order staged n gflops
load "plots/style.gp"
registers = gpu."/step02_sweep.csv"
global = gpu."/step02_sweep_global.csv"
stats registers using "n" name "n" nooutput
headline = "The best loop order turns around when the sums leave the registers"
subline = sprintf("150 tilings of a product of %.0f x %.0f x %.0f, twice, one mark each; bars: means", n_max, n_max, n_max)
source = provenance(registers)
@heading

orders = system(sprintf("awk -F, 'NR > 2 && !seen[$3]++ { print $3 }' '%s'", registers))
place(name) = sum [i = 1:words(orders)] (word(orders, i) eq name ? i : 0)
# Marks are spread so that they do not hide each other: by their row, the same in every drawing.
spread(row) = (int(row) * 7 % 25 - 12) / 12.0 * 0.13
mean(csv, order) = system(sprintf("awk -F, -v order=%s '/^#/ { next } !c { for (i = 1; i <= NF; i++) { if ($i == \"gflops\") c = i; if ($i == \"order\") o = i } next } $o == order && $c != \"-\" { sum += $c; n++ } END { print n ? sum / n : 0 }' '%s'", order, csv))

set multiplot
set tmargin at screen top - 0.02
set bmargin at screen bottom
set xrange [0.5:words(orders) + 0.5]
set xtics () noenhanced scale 0
set for [i = 1:words(orders)] xtics add (word(orders, i) i)
set xlabel "loop order"
set yrange [0:*]
set offsets 0, 0, graph 0.2, 0

do for [p = 1:2] {
    csv = p == 1 ? registers : global
    set lmargin at screen p == 1 ? 0.085 : 0.575
    set rmargin at screen p == 1 ? 0.490 : 0.980
    set label 4 p == 1 ? "GFLOPS, sums in registers" : "GFLOPS, sums in global memory" at graph 0, graph 1.05 left textcolor rgb black
    if (p == 1) { unset key } else { set key top left Left reverse samplen 1 }
    do for [i = 1:words(orders)] {
        set arrow i from i - 0.42, real(mean(csv, word(orders, i))) to i + 0.42, real(mean(csv, word(orders, i))) nohead lw 1.5 lc rgb black front
    }
    plot rows(csv, "staged", "yes") using (place(strcol("order")) - 0.2 + spread($0)):"gflops" \
             with points pt 7 ps 1.3 * dot lc rgb blue title "staged through shared memory", \
         rows(csv, "staged", "no") using (place(strcol("order")) + 0.2 + spread($0)):"gflops" \
             with points pt 6 ps 1.3 * dot lc rgb orange title "not staged"
    @once
}
unset multiplot
