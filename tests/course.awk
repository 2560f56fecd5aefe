# course.awk - the form of the lessons' READMEs and of the glossary. Called by course.sh.
#
#     awk -f tests/course.awk common/glossary.md step01_naive/README.md step02_tiled/README.md ...
#
# Held are, for each lesson: the first kernel, or what a kernel is made of, stands before line 40; no section has more
# than 45 lines of its own without a picture, an excerpt, a transcript or a table; a lesson has fewer than 450
# lines and says how long it takes to read. For each term of the
# glossary: the lesson that the glossary names defines it, in bold; and no sentence, there or in a
# lesson before, uses it earlier. The summit counts as the lesson behind 06. Code, generated parts, headings and comments are no sentences.
# Prints what is wrong, and a line of totals.
function report(ok, text) {
    if (ok)
        passed++
    else {
        failed++
        print "FAILED: " text
    }
}
function lesson_of(file) {
    if (file ~ /\/summit\//)
        return 7 # it stands behind all lessons
    return match(file, /step0[0-9]/) ? substr(file, RSTART + 4, 2) + 0 : 0
}
# The word as a pattern: plural s allowed, any case; inflected forms of verbs are listed.
function pattern_of(term,    p) {
    p = tolower(term)
    if (p == "diverge" || p == "reconverge" || p == "synchronise")
        return "(^|[^a-z])" p "(s|d)?([^a-z]|$)"
    return "(^|[^a-z-])" p "(s|es)?([^a-z-]|$)"
}
function end_section() {
    if (section != "" && !shown)
        report(FNR_section <= 45, last_file ": section '" section "' has " FNR_section \
            " lines without picture, excerpt or table")
}
function end_file() {
    end_section()
    if (last_file ~ /step0[1-6][^\/]*\/README/) {
        report(last_line < 450, last_file ": " last_line " lines; a lesson has fewer than 450")
        report(minutes, last_file ": no reading time is stated")
    }
    if (last_file && last_file ~ /README/ && lesson_of(last_file))
        report(kernel_line && kernel_line < 40, last_file ": the first kernel stands in line " \
            (kernel_line ? kernel_line : "none") ", not before 40")
}
FNR == 1 {
    end_file()
    minutes = 0
    section = ""
    sources = kernel_line = generated = fenced = comment = FNR_section = 0
    shown = 1
    last_file = FILENAME
    lesson = lesson_of(FILENAME)
}
/^### / && !lesson {
    term = substr($0, 5)
    terms[++count] = term
}
/\[Lesson 0[0-9]\]/ && !lesson {
    match($0, /\[Lesson 0[0-9]\]/)
    home[term] = substr($0, RSTART + 9, 1) + 0
}
/\[The summit\]/ && !lesson { home[term] = 7 }
/^<!-- figures/ { sources = 1 } # where figures come from: no reader sees that
!sources { last_line = FNR }
/Reading takes about/ { minutes = 1 }
!lesson { next }
/__global__|__device__/ && !kernel_line { kernel_line = FNR }
/^#+ / && !fenced && !generated {
    end_section()
    section = $0
    sub(/^#+ /, "", section)
    FNR_section = shown = 0
    next
}
/^<!-- generated: / { generated = shown = 1 }
/^<!-- end -->/ { generated = 0; next }
/^<!-- figures/ { comment = 1 }
/^-->/ { comment = 0; next }
generated || comment { next }
{ FNR_section++ }
/^ *```/ { fenced = !fenced; shown = 1; next }
fenced { next }
/^\|/ || /!\[/ { shown = 1 }
{
    text = $0
    gsub(/`[^`]*`/, " ", text)
    for (i = 1; i <= count; i++) {
        t = terms[i]
        if (t in defined)
            continue
        plain = text
        gsub(/\]\([^)]*\)/, "]", plain)
        is_used = tolower(plain) ~ pattern_of(t)
        if (!is_used)
            continue
        # In bold here: a definition. The bold text may be longer than the term.
        bold = tolower(plain)
        found = 0
        while (match(bold, /\*\*[^*]+\*\*/)) {
            part = substr(bold, RSTART + 2, RLENGTH - 4)
            gsub(/[\[\]]/, " ", part)
            if (part ~ pattern_of(t))
                found = 1
            bold = substr(bold, RSTART + RLENGTH)
        }
        if (found && lesson == home[t]) {
            defined[t] = 1
            report(!(t in early), "'" t "' is defined in " FILENAME ", line " FNR ", and used before, in " early[t])
        } else if (!(t in early))
            early[t] = FILENAME ", line " FNR
    }
}
END {
    end_file()
    for (i = 1; i <= count; i++)
        if (!(terms[i] in defined))
            report(0, "'" terms[i] "' is in bold nowhere in lesson " home[terms[i]])
    print passed + 0 " passed, " failed + 0 " failed"
    exit failed > 0
}
