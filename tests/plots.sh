#!/bin/sh
# plots.sh - every chart from recorded data, as PNG, SVG and PDF, the figures in the READMEs, and
# what plots/draw, plots/record and plots/readme say to bad input. Needs gnuplot, nothing else: no
# lesson is run. Called by tests/run.
#
# usage: tests/plots.sh; ends with "N passed, N failed" and 1 if anything failed.
set -u
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

check() { # check TEXT COMMAND...: the command must succeed
    text=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $text"
    fi
}

# The eight bytes behind a PNG's signature and the name of its first chunk: width and height.
png_size() {
    # shellcheck disable=SC2046 # numbers
    set -- $(od -A n -t u1 -j 16 -N 8 "$1")
    echo "$((($1 << 24) + ($2 << 16) + ($3 << 8) + $4))x$((($5 << 24) + ($6 << 16) + ($7 << 8) + $8))"
}

wanted_size() { # what the chart's script asks for
    high=$(sed -n 's/^high = //p' "plots/$1.gp")
    case $1 in step02_sweep_global) high=$(sed -n 's/^high = //p' plots/step02_sweep.gp) ;; esac
    echo "1600x${high:-900}"
}

is_png() {
    [ -s "$1" ] && [ "$(od -A n -t x1 -N 8 "$1" | tr -d ' ')" = 89504e470d0a1a0a ] && [ "$(png_size "$1")" = "$2" ]
}

is_svg() { # an SVG of that size with something drawn on it, ended properly
    [ -s "$1" ] && grep -q "<svg" "$1" && grep -q "width=\"${2%x*}\" height=\"${2#*x}\"" "$1" &&
        [ "$(grep . "$1" | tail -n 1)" = "</svg>" ] && [ "$(grep -cE '<(path|polygon|rect|circle)' "$1")" -gt 20 ]
}

# An empty panel's picture is nearly all white and so compresses to next to nothing.
has_ink() { [ -s "$1" ] && [ "$(wc -c < "$1")" -gt 40000 ]; }

says_its_source() { grep -qsE 'Source: .*(measured on|simulated counts, profile|computed, limits of) [A-Z]' "$1"; }

test_charts() {
    check "draw ends well" plots/draw --data plots/data --out "$work/out" > "$work/said" 2> "$work/log"
    cat "$work/log"
    check "draw is silent on stderr" [ ! -s "$work/log" ]
    count=0
    for script in plots/step*.gp; do
        name=$(basename "$script" .gp)
        picture=$work/out/$name
        size=$(wanted_size "$name")
        check "$name.png is a picture of $size" is_png "$picture.png" "$size"
        check "$name.png has something on it" has_ink "$picture.png"
        check "$name.svg is a picture of $size" is_svg "$picture.svg" "$size"
        check "$name names its source" says_its_source "$picture.svg"
        check "draw says what $name is drawn from" grep -q "^$picture.png, .svg, .pdf: recorded" "$work/said"
        count=$((count + 1))
    done
    check "at least 12 charts" [ "$count" -ge 12 ]
}

# What an SVG says: headings, labels, figures. Where its curves run depends on gnuplot's version.
texts() {
    grep -o '<tspan[^>]*>[^<]*' "$1" | sed 's/.*>//' | sort
}

same_texts() {
    texts "$1" > "$work/these"
    texts "$2" | cmp -s "$work/these" -
}

test_readmes() {
    for picture in plots/pictures/*.svg; do
        check "$picture is of the recorded data (plots/readme --pictures draws it anew)" \
            same_texts "$picture" "$work/out/${picture##*/}"
    done
    for readme in step*/README.md step*/summit/README.md; do
        check "$readme shows a chart" grep -q '^<!-- generated: chart ' "$readme"
        check "$readme shows a transcript" grep -qE '^<!-- generated: run(-nvcc)? ' "$readme"
    done
}

# refused TEXT COMMAND...: exit code 2, nothing on stdout, one line on stderr that has TEXT.
refused() {
    says=$1
    shift
    "$@" > "$work/stdout" 2> "$work/stderr"
    code=$?
    check "$*: exit code 2, not $code" [ $code = 2 ]
    check "$*: one line, not $(wc -l < "$work/stderr")" [ "$(wc -l < "$work/stderr")" = 1 ]
    check "$*: says '$says', not: $(cat "$work/stderr")" grep -qF -e "$says" "$work/stderr"
    check "$*: nothing on stdout" [ ! -s "$work/stdout" ]
}

# The roof of L1 is that of the GPU whose rates stand below it: 128 lanes, 2 operations each a cycle.
test_computed_roof() {
    check "the roof of L1 and the FP32 peak are of one GPU" awk -F, '
        FNR == 3 && NR == FNR { per_ns = $2 }
        FNR == 3 && NR > FNR { peak = 100 * $6 / $7; ratio = peak / per_ns
                               exit !(ratio > 255.9 && ratio < 256.1) }' \
        plots/data/h200/roofs_computed.csv plots/data/h200/step02_ladder.csv
}

# The figures of a README, and one digit of each of them changed: found out every time.
test_figures() {
    for readme in README.md step*/*.md step*/summit/*.md; do
        grep -q '^<!-- figures' "$readme" || continue
        check "the figures of $readme are those of the data" figures_of "$readme"
        tied=$(sed -n '/^<!-- figures/,/^-->/s/^\([0-9][0-9,.]* [A-Za-z%/]*\).* = .*/\1/p' "$readme")
        echo "$tied" > "$work/tied"
        while read -r number unit; do
            [ -n "$unit" ] || continue
            digit=$(echo "$number" | sed 's/.*\(.\)$/\1/')
            other="${number%?}$(((digit + 1) % 10))"
            awk -v old="$number $unit" -v new="$other $unit" '
                !done && /^<!-- figures/ { done = 1 }
                !done && (at = index($0, old)) && substr(" " $0, at, 1) !~ /[0-9.,]/ {
                    $0 = substr($0, 1, at - 1) new substr($0, at + length(old)); done = 1 }
                { print }' "$readme" > "$work/README.md"
            ! cmp -s "$readme" "$work/README.md" || continue # split over two lines, or in a list
            check "$readme: $number $unit for $other is found out" not_figures_of "$work/README.md"
        done < "$work/tied"
    done
    sed 's/^<!-- figures/<!-- figures\n12.5 ms = 12.5/' step04_divergence/README.md > "$work/README.md"
    check "a tie without data and without a reason is found out" not_figures_of "$work/README.md"
    echo 'It takes 3 ms.' > "$work/README.md"
    check "a figure without a tie is found out" not_figures_of "$work/README.md"
}
figures_of() {
    awk -v data=plots/data -v gpu=h200 -f plots/figures.awk "$1" > "$work/said" || { cat "$work/said"; false; }
}
not_figures_of() {
    ! figures_of "$1" > "$work/found" && [ -s "$work/found" ]
}

# A copy of the recorded data in which one file is spoilt.
spoil() {
    rm -rf "$work/data"
    mkdir "$work/data"
    cp -r plots/data/* "$work/data/"
}

draw_spoilt() {
    plots/draw --data "$work/data" --out "$work/out2" "$@"
}

test_bad_input() {
    spoil
    refused "no data of GPU 'gtx0'; there is: h200" plots/draw --gpu gtx0
    refused "no chart 'step03_nothing'" plots/draw step03_nothing
    refused "is no chart" plots/draw ../plots/step03_offset
    refused "unknown option '--colour'" plots/draw --colour
    refused "--out needs a value" plots/draw --out
    refused "no folder $work/none" plots/draw --data "$work/none"
    refused "no data of any GPU" plots/draw --data "$work/out" step03_offset
    refused "cannot make" plots/draw --data plots/data --out /dev/null/x step03_offset
    sed -i '2s/gb_per_s/gigabytes/' "$work/data/h200/step03.csv"
    refused "step03.csv has no column gb_per_s" draw_spoilt step03_offset
    spoil
    sed -i '3,$d' "$work/data/h200/step05_sizes.csv"
    refused "step05_sizes.csv has no rows" draw_spoilt step05_sizes
    spoil
    sed -i 1d "$work/data/simulated/step04_shares.csv"
    refused "does not say in its first line where it comes from" draw_spoilt step04_share
    spoil
    sed -i 's/^[a-z].*/nothing/' "$work/data/simulated/step05_trace.csv"
    refused "has no column tree" draw_spoilt step05_trace
    refused "unknown option '--all'" plots/record --all
    refused "BACKEND=abacus is unknown" env BACKEND=abacus plots/record
    refused "FRONTEND=tcc is unknown" env BACKEND=sim FRONTEND=tcc plots/record
    refused "unknown option '--all'" plots/readme --all
    refused "unknown option '--all'" plots/tour --all
    refused "no part 'unit'; there are: " tests/run unit
    refused "'gcc' is neither nvcc nor clang" tests/frontend/run.sh gcc
    check "make plots passes GPU as one word" \
        [ "$(make -sn BACKEND=sim plots GPU='a b')" = "plots/draw --gpu 'a b'" ]
}

# The lecturer's kit: values that were asked for are drawn, on dark paper too, or refused.
test_kit() {
    refused "which chart?" plots/chart
    refused "no chart 'step09'" plots/chart step09
    refused "step03_stride does not take --offsets; it takes --strides --n --bytes" \
        plots/chart step03_stride --offsets 1
    refused "step02_sizes is drawn from recorded data alone" plots/chart step02_sizes --n 64
    refused "--style 'blue': give light or dark" plots/chart step02_sizes --style blue
    refused "--strides '1;2': give numbers or names" plots/chart step03_stride --strides '1;2'
    command -v nvcc > /dev/null || command -v clang > /dev/null || return
    check "a chart of asked strides" env BACKEND=sim plots/chart step03_stride --strides 1,2,64 \
        --n 65536 --style dark --out "$work/kit" > "$work/said"
    kit=$work/kit/step03_stride_strides_1-2-64_n_65536_dark
    for stride in 1 2 64; do
        check "stride $stride is on its axis" grep -q ">$stride<" "$kit.svg"
    done
    check "stride 3 is not" eval '! grep -q ">3<" "$kit.svg"'
    check "on dark paper" grep -q '#15191e' "$kit.svg"
    check "as PDF" [ "$(head -c 5 "$kit.pdf")" = "%PDF-" ]
    refused "offset 0 is missing" env BACKEND=sim plots/chart step03_offset --offsets 1,2 --n 4096 \
        --out "$work/kit"
    check "make chart passes what was asked" [ "$(make -sn BACKEND=sim chart CHART=step03_stride \
        STRIDES=1,2 STYLE=dark | tr -s ' ' | sed 's, *$,,')" = "plots/chart 'step03_stride' --strides='1,2' --style='dark'" ]
}

# What a terminal shows, as SVG: the same lines.
test_slides() {
    check "a mistyped variable is refused" eval 'make -s chart CHART=step03_stride STRIDE=3 2>&1 | grep -q "STRIDE is no variable of this target"'
    refused "which lesson?" plots/slide
    refused "no lesson 'step09': there are step01" plots/slide 09
    refused "--lines '3': give the first and the last" plots/slide --lines 3 02
    refused "--style 'blue': give light or dark" plots/slide --style blue 02
    command -v nvcc > /dev/null || command -v clang > /dev/null || return
    check "a slide of a drawing" env BACKEND=sim plots/slide --style dark --lines 5-7 --out "$work/kit" 01 --grid 10 --block 4 > "$work/said"
    slide=$work/kit/slide_step01_grid_10_block_4_lines_5_7_dark.svg
    check "it is named after what was asked" grep -qx "$slide, .png, .pdf" "$work/said"
    check "it is a PNG of the same size, too" is_png "${slide%.svg}.png" "$(sed -n 's/^<svg.* width="\([0-9]*\)" height="\([0-9]*\)".*/\1x\2/p' "$slide")"
    check "it is a PDF, too" [ "$(head -c 5 "${slide%.svg}.pdf")" = %PDF- ]
    check "it has the terminal's line" grep -qF '>threadIdx.x |  0  1  2  3 |  0  1  2  3 |  0  1  2  3 |<' "$slide"
    check "and no other lines" [ "$(grep -c '<text' "$slide")" = 2 ]
    check "on dark paper" grep -q '#15191e' "$slide"
}

# A file that is not there costs the charts that need it, and no others.
test_missing_file() {
    spoil
    rm "$work/data/h200/step06_cliff.csv"
    plots/draw --data "$work/data" --out "$work/out3" step06_staircase step03_offset \
        > "$work/stdout" 2> "$work/stderr"
    check "a missing file is exit code 2" [ $? = 2 ]
    check "it is named" grep -q "step06_staircase: .*/step06_cliff.csv is missing" "$work/stderr"
    check "the other chart is drawn" [ -s "$work/out3/step03_offset.png" ]
    check "that one is not" [ ! -e "$work/out3/step06_staircase.png" ]
}

# What gnuplot has to say is an error, a warning too: rates that are no numbers.
test_warnings() {
    spoil
    awk -F, -v OFS=, 'NR > 2 { $7 = "nan" } { print }' plots/data/h200/step03.csv \
        > "$work/data/h200/step03.csv"
    refused "step03_offset.png" plots/draw --data "$work/data" --out "$work/out4" step03_offset
}

command -v gnuplot > /dev/null || {
    echo "plots.sh: gnuplot is missing: apt-get install gnuplot-nox" >&2
    exit 2
}
test_charts
test_readmes
test_figures
test_computed_roof
test_bad_input
test_kit
test_slides
test_missing_file
test_warnings
mkdir "$work/bin"
for tool in dirname basename sed grep ls head cat mkdir awk paste mktemp rm tr; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
done
refused "gnuplot is missing: apt-get install gnuplot-nox" env PATH="$work/bin" /bin/sh plots/draw
echo "$passed passed, $failed failed"
[ $failed = 0 ]
