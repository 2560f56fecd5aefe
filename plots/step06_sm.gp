# step06_sm.gp - an SM's four resources as boxes that blocks fill, until one of them is full.
#
# needs: simulated/step06_sm.csv resource block_takes sm_has blocks block regs_per_thread gpu
# rerun: step06_sm.csv step06 gpu block regs shared boxes
load "plots/style.gp"
csv = simulated."/step06_sm.csv"
stats csv using "blocks" name "fit" nooutput
stats csv using "block" name "block" nooutput
stats csv using "regs_per_thread" name "regs" nooutput
headline = sprintf("%d blocks fit: the first box without room for another one decides", fit_max)
subline = sprintf("Blocks of %d threads with %d registers a thread on one SM of %s; orange: no room for the next block", \
    block_max, regs_max, system(sprintf("awk -F, 'NR == 3 { print $7 }' '%s'", csv)))
source = provenance(csv)
@heading

unset key
unset grid
unset border
unset xtics
set ytics scale 0 textcolor rgb black
set lmargin at screen 0.17
set rmargin at screen 0.97
set tmargin at screen top - 0.02
set bmargin at screen 0.08
set xrange [-0.5:101]
set yrange [3.6:-0.6]
blocks = int(fit_max)
drawn = blocks > 40 ? 40 : blocks
part(b) = 100.0 * (b + 0.5) * column("block_takes") / column("sm_has")
half = 50.0
full(x) = (column("blocks") + 1) * column("block_takes") > column("sm_has") ? x : NaN
plot csv using (50):0:(50):(0.30):ytic(strcol("resource")) with boxxyerror fc rgb pale, \
     for [b = 0:drawn - 1] csv using (part(b)):0:(half * column("block_takes") / column("sm_has") * 0.94):(0.28) \
         with boxxyerror fc rgb (b % 2 ? blue : sky), \
     csv using (full(50)):0:(50):(0.30) with boxxyerror fs empty lc rgb orange lw 3, \
     csv using (0):($0 + 0.42):(sprintf("a block takes %d of %d", column("block_takes"), column("sm_has"))) \
         with labels textcolor rgb grey left font ",16"
