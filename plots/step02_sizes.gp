# step02_sizes.gp - every rung of the matmul ladder at every size.
#
# needs: gpu/step02_sizes.csv kernel n gflops percent_of_peak
load "plots/style.gp"
csv = gpu."/step02_sizes.csv"
headline = "A small product leaves most of the GPU idle, whatever the kernel"
subline = "Square matrix multiplication, n x n x n, FP32 in and out"
source = provenance(csv)
@heading

stats csv using (100 * column("gflops") / column("percent_of_peak")) name "peak" nooutput
stats csv using "gflops" name "rate" nooutput
stats csv using "n" name "n" nooutput
kernels = system(sprintf("awk -F, 'NR > 2 && $6 != \"-\" && !seen[$1]++ { print $1 }' '%s'", csv))
trait(name) = name[1:7] eq "matmul_" ? name[8:] : name

# Colour by turns of eight, marks by turns of thirteen: no two kernels look alike.
colours = "#000000 #0072b2 #56b4e9 #009e73 #e0a800 #d55e00 #cc79a7 #666666"
colour(i) = word(colours, 1 + (i - 1) % words(colours))
mark(i) = int(word("7 5 9 13 2 3 11 1 8 12 6 4 10", 1 + (i - 1) % 13))
dash(name) = name eq "cublas_sgemm" ? 2 : 1

set lmargin at screen 0.085
set rmargin at screen 0.755
set tmargin at screen top
set bmargin at screen bottom
set label 4 "GFLOPS" at graph 0, graph 1.04 left
set label 5 sprintf("FP32 peak, %.0f GFLOPS", peak_median) at graph 0.02, first peak_median * 0.97 left
set arrow 1 from graph 0, first peak_median to graph 1, first peak_median nohead dt 3 lc rgb black
set xlabel "n"
set logscale x 2
set xrange [n_min * 0.9:n_max * 1.1]
set xtics ()
set for [n in system(sprintf("awk -F, 'NR > 2 { print $3 }' '%s'", csv))] xtics add (n real(n))
set yrange [0:(rate_max > peak_median ? rate_max : peak_median) * 1.06]
set key noenhanced at screen 0.77, screen top left top Left reverse samplen 3 spacing 1.3 font ",18"
plot for [i = words(kernels):1:-1] rows(csv, "kernel", word(kernels, i)) using "n":"gflops" \
         with linespoints pt mark(i) ps 1.4 * dot dt dash(word(kernels, i)) \
         lc rgb colour(i) title trait(word(kernels, i))
