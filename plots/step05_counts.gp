# step05_counts.gp - what each rung of the reduction gets rid of: divergent branches, bank
# conflicts, barriers.
#
# needs: simulated/step05_ladder.csv kernel n divergent_branches bank_conflicts barriers
load "plots/style.gp"
csv = simulated."/step05_ladder.csv"
stats csv using "n" name "n" nooutput
headline = "What seven reductions cost: divergent branches, conflicts, waits"
subline = sprintf("Sum of %d floats, all launches together; thousands of each. What divides warp-shuffle: the ifs around its shuffles", int(n_max))
source = provenance(csv)
@heading

# Kernels from the top down; a count is a bar, a zero is said.
stats csv using "divergent_branches" name "branches" nooutput
stats csv using "bank_conflicts" name "conflicts" nooutput
stats csv using "barriers" name "barriers" nooutput
kernels = branches_records
said(count) = count == 0 ? gap."0" : sprintf(gap."%.1f", count / 1000.0)

set multiplot
set tmargin at screen top - 0.03
set bmargin at screen bottom - 0.06
set yrange [kernels - 0.4:-0.6]
set ytics scale 0 noenhanced
set format x ""
set xtics scale 0
set border 2 lc rgb grey
unset grid
unset key

set lmargin at screen 0.215
set rmargin at screen 0.43
set label 4 "divergent branches" at graph 0, graph 1.04 left textcolor rgb black
set xrange [0:branches_max * 1.25]
plot csv using (column("divergent_branches") / 2.0):0:(column("divergent_branches") / 2.0):(0.33):\
             ytic(strcol("kernel")) with boxxyerror lc rgb orange, \
     csv using "divergent_branches":0:(said(column("divergent_branches"))) with labels textcolor rgb black left
@once
set format y ""
set lmargin at screen 0.49
set rmargin at screen 0.705
set label 4 "bank conflicts" textcolor rgb black
set xrange [0:conflicts_max * 1.25]
plot csv using (column("bank_conflicts") / 2.0):0:(column("bank_conflicts") / 2.0):(0.33) \
             with boxxyerror lc rgb sky, \
     csv using "bank_conflicts":0:(said(column("bank_conflicts"))) with labels textcolor rgb black left
set lmargin at screen 0.765
set rmargin at screen 0.98
set label 4 "waits at barriers" textcolor rgb black
set xrange [0:barriers_max * 1.25]
plot csv using (column("barriers") / 2.0):0:(column("barriers") / 2.0):(0.33) \
             with boxxyerror lc rgb green, \
     csv using "barriers":0:(said(column("barriers"))) with labels textcolor rgb black left
unset multiplot
