# style.gp - what all charts share: size, fonts, colours, and where the data comes from.
#
# Rules: a chart draws from CSV alone; the files and columns it takes stand in its lines
# `# needs: FOLDER/FILE COLUMN...`, which plots/draw reads. It loads this file first (high may be
# set before), sets headline, subline and source, and says `@heading` before it plots.
# plots/draw calls it twice, for PNG and SVG, from the root of the repository; by hand:
#
#     gnuplot -e "gpu='plots/data/h200'; simulated='plots/data/simulated'" \
#             -e "kind='png'; picture='/tmp/offset.png'" plots/step03_offset.gp
wide = 1600
if (!exists("high")) high = 900
if (kind eq "svg") {
    set terminal svg size wide,high font "sans-serif,20" linewidth 2 background "white"
} else {
    set terminal pngcairo size wide,high font "Sans,20" linewidth 2 background "white"
}
set output picture
# SVG draws marks twice as large as PNG, and drops a single blank at the beginning of a label: the
# size of a mark is a number times dot, and a label that stands beside something begins with a gap.
dot = kind eq "svg" ? 0.5 : 1
gap = kind eq "svg" ? "  " : " "

set datafile separator ","
set datafile missing "-"
set datafile columnheaders

# Colours that colour-blind readers tell apart (Okabe and Ito). Where two lie side by side, one is
# light and one dark, or marks and dashes differ: so they survive grey print.
black = "#000000"
blue = "#0072b2"
sky = "#56b4e9"
green = "#009e73"
yellow = "#e0a800"
orange = "#d55e00"
pink = "#cc79a7"
grey = "#666666"
pale = "#d8d8d8"

set border 3 lc rgb grey
set tics nomirror textcolor rgb black
set grid ytics lt 1 lc rgb pale lw 0.6
set style fill solid 1.0 noborder
set xlabel offset 0,0.2
set key samplen 3 spacing 1.2

# "measured on NVIDIA H200, ...": the first line of a CSV, without the mark.
provenance(csv) = system(sprintf("sed -n '1s/^# //p' '%s'", csv))
# The rows of a CSV in which the named column has this value.
rows(csv, name, value) = sprintf("< awk -F, -v name='%s' -v value='%s' '/^#/ { next } \
    !c { for (i = 1; i <= NF; i++) if ($i == name) c = i; print; next } $c == value' '%s'", \
    name, value, csv)
# The three lines around every chart, in panels of one picture too.
top = 1 - 155.0 / high
bottom = 130.0 / high
heading = 'set label 1 "{/:Bold ".headline."}" at screen 0.02, screen 1 - 40.0 / high left font ",26"; set label 2 subline at screen 0.02, screen 1 - 86.0 / high left font ",18" textcolor rgb grey; set label 3 "Source: ".source at screen 0.02, screen 20.0 / high left font ",15" textcolor rgb grey'
once = 'unset label 1; unset label 2; unset label 3'
