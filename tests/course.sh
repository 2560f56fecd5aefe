#!/bin/sh
# course.sh - the form of the course, as a reader meets it: kernels early, sections with something to
# see, each term defined before it is used, each link to a term answered. Called by tests/run.
cd "$(dirname "$0")/.." || exit 2
awk -f tests/course.awk common/glossary.md step0*/README.md
code=$?

# A link to a term, #anchor, must have its heading: `### operations per byte` is #operations-per-byte.
broken=0 links=0
for link in $(grep -oh 'glossary\.md#[a-z0-9-]*' README.md step0*/README.md common/*.md | sort -u); do
    links=$((links + 1))
    grep -E '^#+ ' common/glossary.md | sed 's/^#* //' | tr 'A-Z ' 'a-z-' |
        grep -qx -e "${link#*#}" || {
        echo "FAILED: no term for the link $link"
        broken=$((broken + 1))
    }
done
# Files and folders that READMEs link to are there.
for readme in README.md step0*/README.md common/glossary.md; do
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
[ "$code" = 0 ] && [ "$broken" = 0 ]
