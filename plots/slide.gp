# slide.gp - lines of text on a page, as PNG or PDF: what plots/slide draws beside its SVG.
#
#     gnuplot -e "lines='labels'; picture='slide.png'; style='dark'; wide=800; high=300; size=24" plots/slide.gp
#
# The file of labels holds a `set label` for each line, at its place on a page of wide x high points.
paper = style eq "dark" ? "#15191e" : "white"
ink = style eq "dark" ? "#f2f2f2" : "#000000"
# Both terminals scale their letters. With these factors a line is as wide as in the SVG, or slightly narrower.
png = picture[strlen(picture) - 3:] eq ".png"
mono = sprintf("DejaVu Sans Mono,%g", png ? size * 0.75 : size * 1.5)
if (png) {
    set terminal pngcairo size wide,high font mono background paper
} else {
    set terminal pdfcairo size wide / 72.0,high / 72.0 font mono background paper
}
set output picture
unset border
unset tics
unset key
set margins 0, 0, 0, 0
set xrange [0:wide]
set yrange [high:0]
load lines
plot NaN
