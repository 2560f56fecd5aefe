# step04_warp.gp - one warp over time: a line for each thing it does, a cell for each lane.
#
# needs: simulated/step04_warp.csv warp step place repeated lane active
# rerun: step04_warp.csv step04 split every trips lock
load "plots/style.gp"
csv = simulated."/step04_warp.csv"
stats csv using "step" name "step" nooutput
title_of = system(sprintf("awk -F, 'NR == 3 { print $1 }' '%s'", csv))
headline = "One warp through ".title_of
subline = "Time runs down. Blue: a lane that does this; pale: one that is there and waits"
source = provenance(csv)
@heading

unset key
unset grid
unset border
set lmargin at screen 0.13
set rmargin at screen 0.88
set tmargin at screen top - 0.06
set bmargin at screen 0.08
set xrange [-0.6:31.6]
set yrange [step_max + 0.6:0.4]
set x2range [-0.6:31.6]
unset xtics
set x2tics 0,4 scale 0 textcolor rgb black
set label 4 "lane" at graph -0.02, graph 1.045 right textcolor rgb black
set ytics scale 0
working = system(sprintf("awk -F, 'NR > 2 { n[$2] += $6; times[$2] = $4 } END { for (i = 1; i in n; i++) printf \"%%d %%d \", n[i], times[i] }' '%s'", csv))
do for [i = 1:int(step_max)] {
    times = int(word(working, 2 * i))
    said = word(working, 2 * i - 1).(times > 1 ? sprintf("  %dx", times) : "")
    set label 20 + i said at graph 1.01, first i left noenhanced font ",18" textcolor rgb black
}
plot csv using (column("active") == 0 ? column("lane") : NaN):"step":(0.44):(0.38):ytic(strcol("place")) \
         with boxxyerror fc rgb pale, \
     csv using (column("active") == 1 ? column("lane") : NaN):"step":(0.44):(0.38) \
         with boxxyerror fc rgb blue
