#!/bin/sh
# course.sh - the form of the course, as a reader meets it: kernels early, sections with something to
# see, each term defined before it is used, each link to a term answered. Called by tests/run.
cd "$(dirname "$0")/.." || exit 2
awk -f tests/course.awk common/glossary.md step0*/*.md step02_tiled/summit/README.md
code=$?

# A link to a term, #anchor, must have its heading: `### operations per byte` is #operations-per-byte.
broken=0 links=0
for link in $(grep -oh 'glossary\.md#[a-z0-9-]*' README.md step0*/*.md step0*/summit/*.md common/*.md | sort -u); do
    links=$((links + 1))
    grep -E '^#+ ' common/glossary.md | sed 's/^#* //' | tr 'A-Z ' 'a-z-' |
        grep -qx -e "${link#*#}" || {
        echo "FAILED: no term for the link $link"
        broken=$((broken + 1))
    }
done
# Files and folders that READMEs link to are there.
for readme in README.md step0*/*.md step0*/summit/*.md common/glossary.md common/questions.md; do
    for target in $(grep -o '](\([^)#:]*\)[^):]*)' "$readme" | sed 's/^](//; s/)$//; s/#.*//' | sort -u); do
        [ -n "$target" ] || continue
        links=$((links + 1))
        [ -e "$(dirname "$readme")/$target" ] || {
            echo "FAILED: $readme links to $target, which is not there"
            broken=$((broken + 1))
        }
    done
done
echo "links: $((links - broken)) passed, $broken failed"
# One order: a lesson's README names its exercises as they are numbered, each where it is ready to be solved.
ordered=0 disordered=0
for folder in step0*/exercises step0*/summit/exercises; do
    case $folder in */summit/*) part=summit ;; *) part=${folder%%_*} ;; esac
    named=$(grep -o "make $part-[0-9]*" "${folder%exercises}README.md" | awk '!seen[$2]++ { print $2 }' | tr '\n' ' ')
    there=$(ls "$folder" | awk -v part="$part" '/^[0-9][0-9]_.*[.]cu$/ { printf "%s-%d ", part, substr($0, 1, 2); n++
        if (substr($0, 1, 2) + 0 != n) printf "(not %d) ", n }')
    ordered=$((ordered + 1))
    [ "$named" = "$there" ] || {
        echo "FAILED: the README beside $folder names: $named; the folder has: $there"
        disordered=$((disordered + 1))
    }
done
echo "order of exercises: $((ordered - disordered)) passed, $disordered failed"
# What is said to who asks for what is not there: exit code, and a text that one line must have.
lost=0 answers=0
says() { # says CODE TEXT COMMAND...
    code_wanted=$1 text=$2
    shift 2
    answers=$((answers + 1))
    said=$("$@" 2>&1 < /dev/null)
    got=$?
    [ $got = "$code_wanted" ] && echo "$said" | grep -qF -e "$text" || {
        echo "FAILED: $*: exit code $got, not $code_wanted, or no '$text' in: $said"
        lost=$((lost + 1))
    }
}
for wrong in step7 step3 step99; do
    says 2 "no lesson '$wrong': there are step01 step02 step03 step04" make -s BACKEND=sim $wrong
done
says 2 "make step01 && ./run" common/unbuilt
says 0 "ln -sfn common/unbuilt run" make -n BACKEND=sim clean
says 0 "usage: tests/run [PART ...]" tests/run --help
says 0 "usage: tests/arm64/run [--short | TEST ...]" tests/arm64/run --help
says 0 "make step01 && ./run" grep -F Next plots/tour
echo "answers: $((answers - lost)) passed, $lost failed"
[ "$code" = 0 ] && [ "$broken" = 0 ] && [ "$disordered" = 0 ] && [ "$lost" = 0 ]
