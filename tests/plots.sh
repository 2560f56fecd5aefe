#!/bin/sh
# plots.sh - every chart from recorded data, as PNG and SVG, the figures in the READMEs' tables, and
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
        [ "$(grep . "$1" | tail -n 1)" = "</svg>" ] && [ "$(grep -c '<path' "$1")" -gt 20 ]
}

# An empty panel's picture is nearly all white and so compresses to next to nothing.
has_ink() { [ -s "$1" ] && [ "$(wc -c < "$1")" -gt 40000 ]; }

says_its_source() { grep -qsE 'Source: .*(measured on|simulated counts, profile) [A-Z]' "$1"; }

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
        check "draw says what $name is drawn from" grep -q "^$picture.png, .svg: recorded" "$work/said"
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
    for readme in step*/README.md; do
        check "$readme shows a chart" grep -q '^<!-- generated: chart ' "$readme"
        check "$readme shows a transcript" grep -qE '^<!-- generated: run(-nvcc)? ' "$readme"
        set -- plots/data/h200/"${readme%%_*}"*.csv
        [ ! -f "$1" ] || check "the figures in $readme's tables are those recorded" \
            awk -F, -f tests/readme_figures.awk "$@" "$readme"
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

# A table whose figures are not those of the data is found out: one digit, a wrong unit, no figures.
test_figures() {
    for edit in 's/| 141.3 ms |/| 141.4 ms |/' 's/| 973 |/| 5417 |/' 's/25.4 ms/25.4 us/' 's/|/:/g'; do
        sed "$edit" step01_naive/README.md > "$work/README.md"
        check "the edit $edit of a README changes something" \
            eval '! cmp -s step01_naive/README.md "$work/README.md"'
        check "it is found out" eval '! awk -F, -f tests/readme_figures.awk \
            plots/data/h200/step01.csv "$work/README.md" > "$work/said"'
        check "and said" [ -s "$work/said" ]
    done
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
    refused "no part 'unit'; there are: units" tests/run unit
    refused "'gcc' is neither nvcc nor clang" tests/frontend/run.sh gcc
    check "make plots passes GPU as one word" \
        [ "$(make -sn BACKEND=sim plots GPU='a b')" = "plots/draw --gpu 'a b'" ]
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
    awk -F, -v OFS=, 'NR > 2 { $7 = "-" } { print }' plots/data/h200/step03.csv \
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
test_missing_file
test_warnings
mkdir "$work/bin"
for tool in dirname basename sed grep ls head cat mkdir awk paste mktemp rm tr; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
done
refused "gnuplot is missing: apt-get install gnuplot-nox" env PATH="$work/bin" /bin/sh plots/draw
echo "$passed passed, $failed failed"
[ $failed = 0 ]
