# step04_share.gp - how many warps a boundary check divides, against the size of the problem: one
# element beyond whole blocks, and whole blocks.
#
# needs: simulated/step04_shares.csv kernel problem warps divergent_warps predicted_divergent_warps
load "plots/style.gp"
csv = simulated."/step04_shares.csv"
headline = "Divergence at the edge is a worry of small problems"
subline = "Warps that the guard divides, of all warps: counted by a vote on the device, and predicted by arithmetic"
source = provenance(csv)
@heading

vectors = rows(csv, "kernel", "vec_add")
images = rows(csv, "kernel", "image_add")
share(count) = 100.0 * column(count) / column("warps")
# A share of 0 has no place on a logarithmic axis: it stands on a line of its own below.
none = 0.008
cut(list) = list." | awk -F, 'NR == 1 || $7 > 0'"
zero(count) = column(count) == 0 ? none : NaN

set multiplot
set tmargin at screen top - 0.02
set bmargin at screen bottom
set logscale xy
set yrange [0.005:100]
set ytics ("0" none, "0.02" 0.02, "0.1" 0.1, "1" 1, "10" 10, "100" 100)
set key top right

set lmargin at screen 0.075
set rmargin at screen 0.50
set label 4 "divided warps, %" at graph 0, graph 1.05 left textcolor rgb black
set label 5 "vector of n elements, blocks of 64" at graph 0.04, graph 0.16 left textcolor rgb black
set xlabel "n = 2^k and n = 2^k + 1, elements" enhanced
set xrange [45:190000]
set xtics ("64" 64, "256" 256, "2 Ki" 2048, "16 Ki" 16384, "128 Ki" 131072)
plot cut(vectors) using (column("problem")):(share("predicted_divergent_warps")) \
         with lines lw 1.4 lc rgb orange title "predicted, one element too many", \
     cut(vectors) using (column("problem")):(share("divergent_warps")) \
         with points pt 7 ps 1.5 * dot lc rgb blue title "counted", \
     vectors using (column("problem")):(zero("divergent_warps")) \
         with points pt 6 ps 1.5 * dot lc rgb blue title "counted, whole blocks: none"

@once
set lmargin at screen 0.56
set rmargin at screen 0.975
set label 5 "square image, blocks of 16 x 16"
set xlabel "width = height, pixels"
set xrange [13:1250]
set xtics (16, 32, 64, 128, 256, 512, 1024)
unset key
plot cut(images) using (column("problem")):(share("predicted_divergent_warps")) \
         with lines lw 1.4 lc rgb orange, \
     cut(images) using (column("problem")):(share("divergent_warps")) \
         with points pt 7 ps 1.5 * dot lc rgb blue, \
     images using (column("problem")):(zero("divergent_warps")) \
         with points pt 6 ps 1.5 * dot lc rgb blue
unset multiplot
