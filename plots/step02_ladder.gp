# step02_ladder.gp - every matmul of lessons 01 and 02 on one product, beside cuBLAS and the most
# that the FP32 lanes can do.
#
# needs: gpu/step01.csv kernel n gflops percent_of_peak verified
# needs: gpu/step02_ladder.csv kernel m n k gflops percent_of_peak verified
load "plots/style.gp"
first = gpu."/step01.csv"
csv = gpu."/step02_ladder.csv"
stats csv using "n" name "n" nooutput
stats csv using "gflops" name "rate" nooutput
stats csv using (100 * column("gflops") / column("percent_of_peak")) name "peak" nooutput
stats rows(csv, "kernel", "cublas_sgemm") using "gflops" name "cublas" nooutput
headline = "The same product, faster: from one thread per element to the top"
subline = sprintf("Matrix multiplication, %.0f x %.0f x %.0f, FP32 in and out; in %% of the FP32 peak; pink: tensor cores", n_max, n_max, n_max)
source = provenance(csv)
@heading

# One bar per kernel, from the top down, the column-mapped kernel of lesson 01 above them all; none
# for a row of another shape (matmul_few takes one row of A).
bars = sprintf("< awk -F, 'FNR == 1 { next } FNR == 2 && NR > FNR { next } FNR == 2 { print } FNR > 2 && $2 == $3 && $6 != \"-\" && !seen[$1]++' '%s' '%s'", first, csv)
stats bars using "gflops" name "kernels" nooutput
tensor(name) = strstrt(name, "tensor") > 0
hue(name) = tensor(name) ? 0xcc79a7 : name eq "cublas_sgemm" ? 0x666666 : 0x56b4e9
trait(name) = name[1:7] eq "matmul_" ? name[8:] : name
note(x) = sprintf("%.0f  (%.0f %%)", column("gflops"), column("percent_of_peak"))

set lmargin at screen 0.225
set rmargin at screen 0.97
set tmargin at screen top - 0.02
set bmargin at screen bottom
edge = (rate_max > peak_median ? rate_max : peak_median) * 1.3
set xrange [0:edge]
set xlabel "GFLOPS"
set yrange [kernels_records - 0.4:-0.6]
set ytics scale 0 noenhanced
unset grid
unset key
set arrow 1 from peak_median, graph 0 to peak_median, graph 1 nohead back dt 3 lc rgb black
set arrow 2 from cublas_max, graph 0 to cublas_max, graph 1 nohead back dt 2 lc rgb grey
set label 4 sprintf("FP32 peak %.0f", peak_median) at peak_median, graph 1.03 left font ",17" textcolor rgb black
set label 5 sprintf("cuBLAS %.0f", cublas_max) at cublas_max, graph 1.03 right font ",17" textcolor rgb black
plot bars using (column("gflops") / 2):0:(column("gflops") / 2):(0.34):(hue(strcol("kernel"))):\
             ytic(trait(strcol("kernel"))) with boxxyerror lc rgb variable, \
     bars using (edge):0:(note(0)) with labels textcolor rgb black right font ",17"
