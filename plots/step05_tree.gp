# step05_tree.gp - elements on their way through a tree or a shuffle, or blocks drawing tickets.
#
# needs: simulated/step05_tree.csv picture round element value thread adds elements
# rerun: step05_tree.csv step05 draw block
load "plots/style.gp"
csv = simulated."/step05_tree.csv"
picture_of = system(sprintf("awk -F, 'NR == 3 { print $1 }' '%s'", csv))
tickets = picture_of eq "tickets"
stats csv using "round" name "round" nooutput
stats csv using "elements" name "all" nooutput
n = int(all_max)
headline = tickets ? "Blocks draw tickets; whoever draws the last one adds all results" : \
    "How elements move: ".(picture_of eq "shuffle" ? "shuffles, from register to register" : "the tree ".picture_of)
subline = tickets ? "From left to right in the order of the tickets: block, its partial sum" : \
    "A circle holds the value after that round; below it the thread that added. Grey arrow: its own, blue: what it adds"
source = provenance(csv)
@heading

unset key
unset grid
unset border
unset xtics
unset ytics
set lmargin at screen 0.10
set rmargin at screen 0.97
set tmargin at screen top - 0.02
set bmargin at screen 0.08
if (tickets) {
    set xrange [-0.6:n - 0.4]
    set yrange [0:1]
    last(x) = column("round") == n - 1 ? x : NaN
    plot csv using "round":(0.55):(0.42):(0.16) with boxxyerror fc rgb sky, \
         csv using (last(column("round"))):(0.55):(0.42):(0.16) with boxxyerror fc rgb orange, \
         csv using "round":(0.62):(sprintf("block %d", column("element"))) with labels textcolor rgb black, \
         csv using "round":(0.50):(sprintf("%d", column("value"))) with labels textcolor rgb black, \
         csv using "round":(0.34):(sprintf("ticket %d", column("round"))) with labels textcolor rgb grey, \
         csv using (last(column("round"))):(0.80):(sprintf("is last: adds all %d", n)) \
             with labels textcolor rgb black right
} else {
    set xrange [-0.7:n - 0.3]
    set yrange [-round_max - 0.45:0.45]
    rows_named = picture_of eq "shuffle" ? "lane" : "element"
    do for [i = 0:n - 1] {
        set label 20 + i sprintf("%d", i) at first i, graph 1.02 center textcolor rgb grey font ",16"
    }
    set label 10 rows_named at graph -0.02, graph 1.02 right textcolor rgb grey font ",16"
    do for [r = 0:int(round_max)] {
        name = r == 0 ? "loaded" : sprintf("round %d", r)
        set label 50 + r name at graph -0.02, first -r right textcolor rgb black
    }
    added(x) = column("round") > 0 && column("thread") == column("thread") ? x : NaN
    size = n > 8 ? 0.26 : 0.2
    plot csv using (added(column("element"))):(1 - column("round") - 0.18):(0):(-0.62) \
             with vectors nohead lc rgb grey lw 1.2, \
         csv using (added(column("adds"))):(1 - column("round") - 0.18):(column("element") - column("adds")):(-0.62) \
             with vectors filled head size screen 0.012,20 lc rgb blue lw 1.2, \
         csv using "element":(column("value") == column("value") ? -column("round") : NaN):(size) \
             with circles fs solid 1.0 fc rgb sky, \
         csv using "element":(column("value") == column("value") ? -column("round") : NaN):"value" \
             with labels textcolor rgb black font ",19", \
         csv using (added(column("element") + size + 0.06)):(-column("round") - 0.16):(sprintf("t%d", column("thread"))) \
             with labels left textcolor rgb grey font ",15"
}
