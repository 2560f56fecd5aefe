# chart.gp - modelled against measured time of each kernel, the held-out ones apart, and the floors.
#
#     gnuplot -e "data='build/times/compared-nvcc-h200.csv'; out='build/times/chart.svg'; gpu='NVIDIA H200'" chart.gp
set terminal svg size 720,560 font "sans,12" background "white"
set output out
set datafile separator ","
stats data using "measured_us" nooutput name "kernels"
set logscale xy
set title sprintf("%d kernels: modelled against measured on %s", kernels_records, gpu)
set xlabel "measured, us"
set ylabel "modelled or at least, us"
set xrange [3.5:600]
set yrange [0.9:600]
set key left top
set grid
plot x with lines lc rgb "#888888" title "equal", \
     1.3*x with lines dt 2 lc rgb "#bbbbbb" title "30 % off", x/1.3 with lines dt 2 lc rgb "#bbbbbb" notitle, \
     data using "measured_us":"floor_us" with points pt 2 ps 0.5 lc rgb "#2a9d8f" title "at least", \
     data using (strcol("held_out") eq "fitted" ? column("measured_us") : NaN):"model_us" \
         with points pt 7 ps 0.6 lc rgb "#264653" title "modelled", \
     data using (strcol("held_out") eq "held" ? column("measured_us") : NaN):"model_us" \
         with points pt 7 ps 0.6 lc rgb "#e76f51" title "modelled, held out"
