# step02_sizes.gp - the rungs of the matmul ladder at every size; those in between are pale lines.
#
# needs: gpu/step02_sizes.csv kernel n gflops percent_of_peak
load "plots/style.gp"
csv = gpu."/step02_sizes.csv"
headline = "A small product leaves most of the GPU idle, whatever the kernel"
subline = "Square matrix multiplication, n x n x n, FP32 in and out; both axes logarithmic; pale: the rungs between"
source = provenance(csv)
@heading

stats csv using (100 * column("gflops") / column("percent_of_peak")) name "peak" nooutput
stats csv using "gflops" name "rate" nooutput
stats csv using "n" name "n" nooutput
kernels = system(sprintf("awk -F, 'NR > 2 && $2 == $3 && $6 != \"-\" && !seen[$1]++ { print $1 }' '%s'", csv))
trait(name) = name[1:7] eq "matmul_" ? name[8:] : name

# Those with a colour and a name of their own, if the file has them.
shown = "matmul_naive matmul_tiled_32 matmul_thread_tiled matmul_warp_tiled matmul_autotuned matmul_tensor_3xtf32 cublas_sgemm matmul_tensor_3xfp16"
hues = black." ".sky." ".green." ".pink." ".blue." ".orange." ".grey." ".yellow
place(name) = sum [i = 1:words(shown)] (word(shown, i) eq name ? i : 0)
dash(name) = name eq "cublas_sgemm" ? 2 : 1
mark(i) = int(word("7 5 9 13 11 4 6 8", i))

# Names stand at the right end, each below the one of the faster kernel.
names = system(sprintf("awk -F, -v shown='%s' 'NR <= 2 { next } index(\" \" shown \" \", \" \" $1 \" \") && $6 != \"-\" && $2 + 0 >= largest[$1] + 0 { largest[$1] = $2; rate[$1] = $6 } \
    END { gap = 1.36; while (1) { best = \"\"; for (k in rate) if (best == \"\" || rate[k] + 0 > rate[best] + 0) best = k; if (best == \"\") break; \
    y = rate[best] + 0; if (last && y > last / gap) y = last / gap; last = y; print best \" \" y; delete rate[best] } }' '%s'", shown, csv))

set lmargin at screen 0.085
set rmargin at screen 0.82
set tmargin at screen top
set bmargin at screen bottom
set label 4 "GFLOPS" at graph 0, graph 1.04 left textcolor rgb black
set label 5 sprintf("FP32 peak, %.0f GFLOPS", peak_median) at graph 0.02, first peak_median * 1.15 left textcolor rgb black
set arrow 1 from graph 0, first peak_median to graph 1, first peak_median nohead dt 3 lc rgb black
set xlabel "n"
set logscale x 2
set logscale y 10
set xrange [n_min * 0.9:n_max * 1.1]
set xtics ()
set for [n in system(sprintf("awk -F, 'NR > 2 { print $3 }' '%s'", csv))] xtics add (n real(n))
set yrange [rate_min / 1.5:(rate_max > peak_median ? rate_max : peak_median) * 1.6]
set ytics (500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000)
unset key
do for [i = 1:words(names) / 2] {
    set label 10 + i trait(word(names, 2 * i - 1)) at graph 1.01, first real(word(names, 2 * i)) left noenhanced font ",18" textcolor rgb word(hues, place(word(names, 2 * i - 1)))
}
plot for [i = 1:words(kernels)] rows(csv, "kernel", word(kernels, i)) using "n":\
         (place(word(kernels, i)) == 0 ? column("gflops") : NaN) with lines lw 0.8 lc rgb pale, \
     for [i = 1:words(shown)] rows(csv, "kernel", word(shown, i)) using "n":"gflops" \
         with linespoints pt mark(i) ps 1.4 * dot dt dash(word(shown, i)) lc rgb word(hues, i)
