# step02_modelled.gp - the rungs of lesson 02: times that were measured, times that the simulator's model
# expects of the same GPU (of an H200, where it is neither that nor an H100), and what no run can beat.
#
# needs: gpu/step02_ladder.csv kernel m n k time_ms
# needs: simulated/step02_modelled.csv gpu kernel m n k floor_ms model_ms
high = 960
load "plots/style.gp"
csv = simulated."/step02_modelled.csv"
measured = gpu."/step02_ladder.csv"
stats csv using "n" name "n" nooutput
headline = "Modelled beside measured, rung by rung"
subline = sprintf("Matrix multiplication, %.0f x %.0f x %.0f, milliseconds; modelled for the %s: an estimate, made of counts on the simulator", n_max, n_max, n_max, called)
source = provenance(measured)."; ".provenance(csv)
@heading

both = beside_measured(csv, measured)
stats both using "time_ms" name "time" nooutput
stats both using "model_ms" name "model" nooutput
trait(name) = name[8:]
edge = (time_max > model_max ? time_max : model_max) * 1.22

set lmargin at screen 0.16
set rmargin at screen 0.97
set tmargin at screen top - 0.06
set bmargin at screen bottom
set xrange [0:edge]
set xlabel "milliseconds"
set yrange [time_records - 0.4:-0.6]
set ytics scale 0 noenhanced
unset grid
set key at graph 1, graph 1.06 right horizontal width 2
plot both using (column("time_ms") / 2):($0 - 0.19):(column("time_ms") / 2):(0.17):\
             ytic(trait(strcol("kernel"))) with boxxyerror lc rgb blue title "measured", \
     both using (column("model_ms") / 2):($0 + 0.19):(column("model_ms") / 2):(0.17) \
             with boxxyerror lc rgb orange title "modelled", \
     both using "floor_ms":($0 + 0.19):(0):(0.21) with xyerrorbars pt 0 lw 2 lc rgb black title "at least", \
     both using "time_ms":($0 - 0.22):(sprintf(gap."%#.3g", column("time_ms"))) with labels textcolor rgb black left font ",17" notitle, \
     both using "model_ms":($0 + 0.24):(sprintf(gap."%#.3g modelled", column("model_ms"))) with labels textcolor rgb black left font ",17" notitle
