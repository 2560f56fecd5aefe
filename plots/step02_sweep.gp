# step02_sweep.gp - 150 two-level tilings: a map for each loop order, staged through shared memory
# and not. step02_sweep_global.gp draws the same with the sums in global memory.
#
# needs: gpu/step02_sweep.csv block_tile thread_tile order staged n gflops rejected
high = 1000
load "plots/style.gp"
if (!exists("csv")) csv = gpu."/step02_sweep.csv"
stats csv using "gflops" name "rate" nooutput
stats csv using "n" name "n" nooutput
if (!exists("headline")) headline = "Sums in registers: the fastest tilings have k outermost"
subline = sprintf("GFLOPS, %.0f x %.0f x %.0f. Down: block tile; across: thread tile; staged through shared memory or not%s", n_max, n_max, n_max, rate_invalid > 0 ? "; blank: rejected" : "")
source = provenance(csv)
@heading

# What there is of each, in the order of the file.
each(column) = system(sprintf("awk -F, -v c=%d 'NR > 2 && !seen[$c]++ { print $c }' '%s'", column, csv))
blocks = each(1)
threads = each(2)
orders = each(3)
place(list, name) = sum [i = 1:words(list)] (word(list, i) eq name ? i : 0)
# The standard order has the loop over k outside of those over the thread tile.
called(name) = name eq "standard" ? "standard: k outermost" : name
spoken(name) = name eq "yes" ? "staged" : "not staged"

set palette defined (0 "#440154", 1 "#3b528b", 2 "#21918c", 3 "#5ec962", 4 "#fde725")
set cbrange [0:rate_max]
unset colorbox
figure(x) = x == x ? sprintf("%.0f", x) : ""
ink(x) = x < 0.55 * rate_max ? 0xffffff : 0x000000
unset key
unset grid
unset border
set tics scale 0

set multiplot
across = 0.283
down = (top - 0.09) / 2
do for [s = 1:2] {
    do for [o = 1:words(orders)] {
        order = word(orders, o)
        staged = s == 1 ? "yes" : "no"
        set lmargin at screen 0.125 + (o - 1) * (across + 0.01)
        set rmargin at screen 0.125 + (o - 1) * (across + 0.01) + across
        set tmargin at screen top - 0.025 - (s - 1) * down
        set bmargin at screen top - 0.025 - (s - 1) * down - down + 0.085
        set xrange [0.5:words(threads) + 0.5]
        set yrange [words(blocks) + 0.5:0.5]
        set xtics ()
        set for [i = 1:words(threads)] xtics add (word(threads, i) i)
        unset ytics
        if (o == 1) { set ytics () textcolor rgb black; set for [i = 1:words(blocks)] ytics add (word(blocks, i) i) }
        set label 4 called(order).", ".spoken(staged) at graph 0, graph 1.06 left noenhanced font ",18" textcolor rgb black
        part = sprintf("%s | awk -F, -v staged=%s 'NR == 1 || $4 == staged'", \
            rows(csv, "order", order), staged)
        plot part using (place(threads, strcol("thread_tile"))):\
                 (place(blocks, strcol("block_tile"))):(0.49):(0.48):"gflops" \
                 with boxxyerror fs solid 1.0 noborder fc palette, \
             part using (place(threads, strcol("thread_tile"))):\
                 (place(blocks, strcol("block_tile"))):(figure(column("gflops"))):\
                 (ink(column("gflops"))) with labels font ",17" textcolor rgb variable
        @once
    }
}
unset multiplot
