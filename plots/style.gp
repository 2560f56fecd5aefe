# style.gp - what all charts share: size, fonts, colours, and where the data comes from.
#
# Rules: a chart draws from CSV alone; the files and columns it takes stand in its lines
# `# needs: FOLDER/FILE COLUMN...`, which plots/draw reads. It loads this file first (high may be
# set before), sets headline, subline and source, and says `@heading` before it plots.
# A label says `textcolor rgb black`, which is the ink of light and dark paper alike (style='dark').
# plots/draw calls it for PNG, SVG and PDF, from the root of the repository; by hand:
#
#     gnuplot -e "gpu='plots/data/h200'; simulated='plots/data/simulated'" \
#             -e "kind='png'; picture='/tmp/offset.png'" plots/step03_offset.gp
wide = 1600
if (!exists("high")) high = 900
if (!exists("style")) style = "light"
dark = style eq "dark"
paper = dark ? "#15191e" : "white"
if (kind eq "svg") {
    set terminal svg size wide,high font "sans-serif,20" linewidth 2 background paper
}
if (kind eq "pdf") {
    set terminal pdfcairo size wide / 72.0,high / 72.0 font "Sans,20" linewidth 2 background paper
}
if (kind eq "png") {
    set terminal pngcairo size wide,high font "Sans,20" linewidth 2 background paper
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
black = dark ? "#f2f2f2" : "#000000"    # ink, whatever the paper
blue = dark ? "#58a6e0" : "#0072b2"
sky = dark ? "#2f6f9f" : "#56b4e9"
green = dark ? "#2dbd94" : "#009e73"
# Behind the full colour, as sky is behind blue: nearer to the paper.
faint_orange = dark ? "#8a4d24" : "#f2b27a"
faint_green = dark ? "#1c6a54" : "#7fd6b8"
yellow = "#e0a800"
orange = dark ? "#ff8a3d" : "#d55e00"
pink = "#cc79a7"
grey = dark ? "#a8b0b8" : "#666666"
pale = dark ? "#363d45" : "#d8d8d8"

set border 3 lc rgb grey
set xlabel textcolor rgb black
set ylabel textcolor rgb black
set key textcolor rgb black
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
# Of the two GPUs that modelled times are recorded for, the one whose measured times are drawn; the H200
# where it is neither.
card = exists("gpu") && strstrt(gpu, "h100") > 0 ? "h100" : "h200"
called = card eq "h100" ? "H100" : "H200"
# That GPU's rows of modelled times, each with the measured time of the same row as last column, time_ms:
# rows that agree in the first four columns behind the GPU's name.
beside_measured(csv, measured) = sprintf("< awk -F, -v card=%s '/^#/ { next } !at[FILENAME] { \
    for (i = 1; i <= NF; i++) if ($i == \"time_ms\") time_at = i; at[FILENAME] = 1; if (NR > FNR) print $0 \",time_ms\"; next } \
    NR == FNR { if ($time_at != \"-\") time[$1, $2, $3, $4] = $time_at; next } \
    $1 == card && ($2, $3, $4, $5) in time { print $0 \",\" time[$2, $3, $4, $5] }' '%s' '%s'", card, measured, csv)
# How steep y = x looks between these margins, both axes logarithmic: the angle of a label on it.
slope(left, right, low, high_, x0, x1, y0, y1) = atan2((high_ - low) * high / log10(y1 / y0), \
    (right - left) * wide / log10(x1 / x0)) * 180 / pi
# The three lines around every chart, in panels of one picture too.
top = 1 - 155.0 / high
bottom = 130.0 / high
# Two machines in one source line make it long: then it is set smaller, so that it fits.
heading = 'set label 1 "{/:Bold ".headline."}" at screen 0.02, screen 1 - 40.0 / high left font ",26" textcolor rgb black; set label 2 subline at screen 0.02, screen 1 - 86.0 / high left font ",18" textcolor rgb grey; set label 3 "Source: ".source at screen 0.02, screen 20.0 / high left font sprintf(",%d", strlen(source) > 130 ? 12 : 15) textcolor rgb grey'
once = 'unset label 1; unset label 2; unset label 3'
