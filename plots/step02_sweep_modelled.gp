# step02_sweep_modelled.gp - 150 two-level tilings: each one's measured time, and the time that the
# simulator's model expects of the same GPU (of an H200, where it is neither that nor an H100).
#
# needs: gpu/step02_sweep.csv block_tile thread_tile order staged m n k time_ms
# needs: simulated/step02_sweep_modelled.csv gpu block_tile thread_tile order staged m n k floor_ms model_ms
high = 1000
load "plots/style.gp"
csv = simulated."/step02_sweep_modelled.csv"
measured = gpu."/step02_sweep.csv"
stats csv using "n" name "n" nooutput
headline = "150 tilings: the model orders the groups rightly, not each tiling"
subline = sprintf("Milliseconds, %.0f x %.0f x %.0f; modelled for the %s: an estimate, made of counts on the simulator", n_max, n_max, n_max, called)
source = provenance(measured)."; modelled: simulated counts"
@heading

# The tilings of one loop order, staged or not.
part(order, staged) = sprintf("%s | awk -F, 'NR == 1 || ($4 == \"%s\" && $5 == \"%s\")'", \
    beside_measured(csv, measured), order, staged)

set lmargin at screen 0.085
set rmargin at screen 0.70
set tmargin at screen top
set bmargin at screen bottom
set label 4 "modelled, ms" at graph 0, graph 1.03 left textcolor rgb black
set xlabel "measured, ms"
set logscale xy
stats measured using "time_ms" name "time" nooutput
set xrange [time_min * 0.7:time_max * 1.5]
set yrange [time_min * 0.7:time_max * 1.5]
set xtics (0.2, 0.5, 1, 2)
set ytics (0.2, 0.5, 1, 2)
set grid xtics ytics lt 1 lc rgb pale lw 0.6
set key at screen 0.715, screen top left top Left reverse samplen 2 spacing 1.5
plot x with lines lc rgb grey title "equal", \
     part("standard", "yes") using "time_ms":"model_ms" with points pt 7 ps 1.5 * dot lc rgb blue title "k outermost, staged", \
     part("standard", "no") using "time_ms":"model_ms" with points pt 6 ps 1.5 * dot lc rgb blue title "k outermost, not staged", \
     part("k_after_threads", "yes") using "time_ms":"model_ms" with points pt 9 ps 1.6 * dot lc rgb green title "k after threads, staged", \
     part("k_after_threads", "no") using "time_ms":"model_ms" with points pt 8 ps 1.6 * dot lc rgb green title "k after threads, not staged", \
     part("k_innermost", "yes") using "time_ms":"model_ms" with points pt 5 ps 1.4 * dot lc rgb orange title "k innermost, staged", \
     part("k_innermost", "no") using "time_ms":"model_ms" with points pt 4 ps 1.4 * dot lc rgb orange title "k innermost, not staged"
