# step06_waves.gp - a grid larger than the GPU holds, wave by wave, and the tail of the last one.
#
# needs: simulated/step06_waves.csv gpu wave blocks places blocks_per_sm sms
# rerun: step06_waves.csv step06 gpu block regs shared waves
load "plots/style.gp"
csv = simulated."/step06_waves.csv"
stats csv using "wave" name "wave" nooutput
stats csv using "places" name "place" nooutput
stats csv using "blocks" name "blocks" nooutput
headline = sprintf("%.0f blocks take %d waves: %.1f %% of the places are used", blocks_sum, wave_max, \
    100.0 * blocks_sum / (wave_max * place_max))
subline = sprintf("%s: %.0f blocks at once. Time runs down, if all blocks take equally long; blue: a place with a block", \
    system(sprintf("awk -F, 'NR == 3 { print $1 }' '%s'", csv)), place_max)
source = provenance(csv)
@heading

unset key
unset grid
set border 1 lc rgb grey
set lmargin at screen 0.10
set rmargin at screen 0.90
set tmargin at screen top - 0.02
set bmargin at screen bottom
set xrange [0:place_max]
set xlabel "places for blocks"
set yrange [wave_max + 0.6:0.4]
set ytics scale 0
if (wave_max > 24) { set ytics 10 }
counts = system(sprintf("awk -F, 'NR > 2 { printf \"%%s \", $3 }' '%s'", csv))
do for [i = 1:(wave_max > 24 ? 0 : int(wave_max))] {
    set label 20 + i word(counts, i) at graph 1.01, first i left textcolor rgb black
}
plot csv using (column("places") / 2.0):"wave":(column("places") / 2.0):(0.40) with boxxyerror fc rgb pale, \
     csv using (column("blocks") / 2.0):"wave":(column("blocks") / 2.0):(0.40):ytic(sprintf("wave %d", column("wave"))) \
         with boxxyerror fc rgb blue
