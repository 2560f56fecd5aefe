# step06_staircase.gp - occupancy is a staircase: threads per SM against registers, shared memory
# and block size, computed, with the measured bandwidth of a latency-bound copy on the same steps.
#
# needs: gpu/step06_staircase.csv block regs_per_thread shared_bytes threads_per_sm
# needs: gpu/step06_cliff.csv block regs_per_thread shared_bytes measured_gb_per_s
load "plots/style.gp"
steps = gpu."/step06_staircase.csv"
cliff = gpu."/step06_cliff.csv"
headline = "Threads per SM fall in steps, the bandwidth later"
subline = "Blocks of 256 threads left and in the middle, up to 32 registers per thread in the middle and right"
source = "threads per SM computed; bandwidth of a copy ".provenance(cliff)
@heading

is(block, registers, shared) = (block < 0 || column("block") == block) && \
    (registers < 0 || column("regs_per_thread") == registers) && \
    (shared < 0 || column("shared_bytes") == shared)
at(name, use) = use ? column(name) : NaN
stats steps using "threads_per_sm" name "threads" nooutput
stats cliff using "measured_gb_per_s" name "rate" nooutput

set multiplot
set border 11 lc rgb grey
set tmargin at screen top
set bmargin at screen bottom + 0.02
set yrange [0:threads_max * 1.08]
set ytics threads_max / 8
set y2range [0:rate_max * 1.08 * 1.08]
set y2tics 500
set key top right samplen 2

set lmargin at screen 0.065
set rmargin at screen 0.325
set label 4 "threads per SM" at graph 0, graph 1.05 left textcolor rgb blue
set format y2 ""    # the left two panels share the second axis: its labels are beside the second
set xlabel "registers per thread"
set xrange [0:256]
set xtics 64
plot steps using (at("regs_per_thread", is(256, -1, 0))):(at("threads_per_sm", 1)) \
         smooth unique with steps lw 2 lc rgb blue title "threads, computed", \
     cliff using (at("regs_per_thread", is(256, -1, 0))):(column("measured_gb_per_s")) \
         axes x1y2 with points pt 7 ps 1.6 * dot lc rgb orange title "GB/s, measured"

@once
unset key
unset label 4
set lmargin at screen 0.365
set rmargin at screen 0.625
set format y ""
set format y2 "%.0f"
set label 4 "GB/s" at graph 1.02, graph 1.05 left textcolor rgb orange
set xlabel "shared memory of a block, KiB"
set xrange [0:232]
set xtics 64
plot steps using (at("shared_bytes", is(256, 32, -1)) / 1024):(at("threads_per_sm", 1)) \
         smooth unique with steps lw 2 lc rgb blue, \
     cliff using (at("shared_bytes", column("shared_bytes") > 0) / 1024):(column("measured_gb_per_s")) \
         axes x1y2 with points pt 7 ps 1.6 * dot lc rgb orange

unset label 4
unset y2tics
set border 3 lc rgb grey
set lmargin at screen 0.745
set rmargin at screen 0.975
set format y "%.0f"
set label 4 "threads per SM" at graph 0, graph 1.05 left textcolor rgb blue
set xlabel "threads per block"
set xrange [0:1056]
set xtics 256
plot steps using (at("block", is(-1, 32, 0))):(at("threads_per_sm", 1)) smooth unique \
         with linespoints pt 7 ps 1 * dot lw 1 lc rgb blue
unset multiplot
