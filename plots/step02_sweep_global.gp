# step02_sweep_global.gp - the tilings of step02_sweep.gp with the sums in global memory, where the
# best loop order is another.
#
# needs: gpu/step02_sweep_global.csv block_tile thread_tile order staged n gflops rejected
csv = gpu."/step02_sweep_global.csv"
headline = "Sums in global memory: k innermost is far ahead"
load "plots/step02_sweep.gp"
