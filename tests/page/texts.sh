#!/bin/sh
# texts.sh - text reports: accesses that the compiler has moved, what is compared with what, where modelled
# times are to be seen, and where the answers of ptxas are kept.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 2
work=build/page/texts
mkdir -p "$work"
passed=0 failed=0
says() { # WHAT TEXT COMMAND...: its output, both kinds, in one line
    what=$1 text=$2
    shift 2
    got=$("$@" 2>&1 | tr -s ' \n' ' ')
    case $got in
    *"$text"*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)); echo "FAILED: $what: wanted '$text', got '$got'" ;;
    esac
}
silent() { # WHAT TEXT COMMAND...: without that text
    what=$1 text=$2
    shift 2
    got=$("$@" 2>&1 | tr -s ' \n' ' ')
    case $got in
    *"$text"*) failed=$((failed + 1)); echo "FAILED: $what: '$text' is in '$got'" ;;
    *) passed=$((passed + 1)) ;;
    esac
}
line_of() { grep -n "$1" tests/page/moved.cu | head -n 1 | cut -d: -f1; }
export SIMT_CACHE_DIR="$top/$work/cache"
for frontend in $(command -v nvcc >/dev/null 2>&1 && echo nvcc; command -v clang++ >/dev/null 2>&1 && echo clang); do
    program=$work/moved-$frontend
    common/simt/simtcc --frontend="$frontend" -O3 tests/page/moved.cu -o "$program" || exit 1
    SIMT_REPORT=lines "$program" >"$work/lines.txt"
    says "$frontend: the load in front of its loop" "load of in: 2 requests, 32.00 sectors each, 4.00 would do; moved here" \
        cat "$work/lines.txt"
    says "$frontend: the moved load of an arm" "load of in: 16 requests, 32.00 sectors each, 4.00 would do; moved here" \
        sed -n '/^arms_alike/,/^arms_of_loop/p' "$work/lines.txt"
    says "$frontend: a stride between idle lanes" "-> lanes are 128 bytes apart in in" \
        sed -n '/^strided_gaps/,$p' "$work/lines.txt"
    silent "$frontend: is not scattered" scattered cat "$work/lines.txt"
    says "$frontend: the line of a moved load" "no access of that line was executed" \
        env SIMT_SHOW=moved.cu:"$(line_of '// the load')" "$program"
    case $frontend in nvcc) without_line="moved here by the compiler" ;; *) without_line="no access of that line was executed" ;; esac
    says "$frontend: line 0 can be asked for" "$without_line" env SIMT_SHOW=moved.cu:0 "$program"
    says "$frontend: kernels of one family" "what arms_of_loop changes" env SIMT_REPORT=explain "$program"
    silent "$frontend: and no others" "what strided_gaps changes" env SIMT_REPORT=explain "$program"
    says "$frontend: but by name" "what arms_alike changes" env SIMT_REPORT=explain:strided_gaps,arms_alike "$program"
    says "$frontend: a name that none has" "no kernel that was launched is called arms_alik" \
        env SIMT_REPORT=explain:arms_alik "$program"
    says "$frontend: a model that nobody shows" "set SIMT_REPORT to explain, lines, FILE.csv" \
        env SIMT_MODEL=1 "$program"
    silent "$frontend: nothing of it with a report" "set SIMT_REPORT" env SIMT_MODEL=1 SIMT_REPORT=explain "$program"
    says "$frontend: a slip names what there is" "it is -, lines, explain, explain:KERNEL,KERNEL or a file" \
        env SIMT_REPORT=explian "$program"
    # two runs side by side: the stride is gone, and two lines have moved down
    sed 's/in\[i \* 32\]/in[i]/; s/^enum { N = 512 };/&\n\n/' tests/page/moved.cu >"$work/moved.cu"
    common/simt/simtcc --frontend="$frontend" -O3 "$work/moved.cu" -o "$work/after-$frontend" || exit 1
    rm -f "$work"/before.json "$work"/after.json
    SIMT_REPORT=$work/before.json "$program"
    SIMT_REPORT=$work/after.json "$work/after-$frontend"
    says "$frontend: a counter before and after" "global_load_sectors 576 128 -78 %" \
        common/simt/simtdiff "$work/before.json" "$work/after.json"
    says "$frontend: a line that is another one now" "out[i] = in[i * 32];" common/simt/simtdiff "$work/before.json" "$work/after.json"
    says "$frontend: a kernel that did not change" "arms_of_loop no counter changed" \
        common/simt/simtdiff "$work/before.json" "$work/after.json"
    says "$frontend: 80 columns" "widest 80" sh -c "common/simt/simtdiff $work/before.json $work/after.json |
        awk 'length > 80 { wide = 1 } END { print wide ? \"wider\" : \"widest 80\" }'"
    silent "$frontend: nothing is left beside the program" .registers ls "$work"
done
if command -v nvcc >/dev/null 2>&1; then
    says "what ptxas said is kept" "arms_alike" cat "$SIMT_CACHE_DIR/registers"
    awk 'BEGIN { for (i = 0; i < 6000; i++) printf "%016x sm_90 %d another_kernel_with_a_name\n", i, 10 + i % 200 }' \
        >"$SIMT_CACHE_DIR/registers"
    SIMT_REPORT=explain "$work/moved-nvcc" >"$work/explain.txt"
    says "the older half goes" halved \
        awk 'END { if (NR > 2900 && NR < 4000) print "halved"; else print NR " rows" }' "$SIMT_CACHE_DIR/registers"
    says "the newest stays" "strided_gaps" tail -n 3 "$SIMT_CACHE_DIR/registers"
fi
echo '{"schema":1}' >"$work/empty.json"
says "a file that is no record" "not a record of launches" common/simt/simtdiff tests/page/moved.cu "$work/empty.json"
cp tests/page/moved.cu "$work/other.html"
says "simtdiff overwrites no other file" "holds something else" common/simt/simtdiff "$work/empty.json" "$work/empty.json" "$work/other.html"
says "a page has its name" "ends in .html" common/simt/simtdiff "$work/empty.json" "$work/empty.json" "$work/x.txt"
says "simtdiff says how it is called" "usage: simtdiff old.json new.json" common/simt/simtdiff one.json
rm -rf "$work"
echo "texts: $passed passed, $failed failed"
[ "$failed" = 0 ]
