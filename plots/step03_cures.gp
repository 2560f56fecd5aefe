# step03_cures.gp - the same bytes in another layout, or turned around in shared memory.
#
# needs: gpu/step03.csv experiment kernel gb_per_s percent_of_copy load_sectors_per_request store_sectors_per_request bank_conflicts
load "plots/style.gp"
csv = gpu."/step03.csv"
headline = "The cure: what neighbours in a warp want must be neighbours in memory"
subline = "Structs of eight floats as array of structs (aos) and struct of arrays (soa); a matrix transposed"
source = provenance(csv)
@heading

# One bar per kernel, from the top down, with what it did beside it.
bars = "< awk -F, '/^#/ { next } NR == 2 { for (i = 1; i <= NF; i++) if ($i == \"experiment\") c = i; print } $c == \"structs\" || $c == \"transpose\"' '".csv."'"
stats rows(csv, "kernel", "copy_plain") using "gb_per_s" name "copy" nooutput
conflicts(count) = count > 0 ? sprintf(", %.0f million bank conflicts", count / 1e6) : ""
note(x) = sprintf(gap."%.0f %% of a copy; %.0f sectors per load, %.0f per store%s", \
    column("percent_of_copy"), column("load_sectors_per_request"), \
    column("store_sectors_per_request"), conflicts(column("bank_conflicts")))

set lmargin at screen 0.215
set rmargin at screen 0.97
set tmargin at screen top + 0.02
set bmargin at screen bottom
set xrange [0:copy_max * 1.9]
set xtics 0,1000,copy_max
set border 2 lc rgb grey
set xlabel "GB/s, read + write"
set yrange [8.6:-0.6]
unset grid
set ytics noenhanced scale 0
set boxwidth 0.7
unset key
plot bars using (column("gb_per_s") / 2):0:(column("gb_per_s") / 2):(0.34):ytic(strcol("kernel")) \
         with boxxyerror lc rgb sky, \
     bars using "gb_per_s":0:(note(0)) with labels textcolor rgb black left font ",17"
