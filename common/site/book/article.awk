# article.awk - HTML as cmark-gfm writes it -> the article of a page: headings with anchors, links that lead
# to pages of the site, code with its parts marked, figures in their places.
# With names.awk and code.awk; path: of the text; files, wanted: see names.awk; headings: the file that its
# headings go to, "level id text"; sections: the search index, a JSON array a line; figures: the figures'
# fragments, of which the first line names the section that they close; launches: the page of the lesson's
# launches, named below the title.

BEGIN {
    read_files(files)
    folder = folder_of(path)
    page = page_of(path)
    n = split(figures, fragment, " ")
    for (i = 1; i <= n; i++) {
        getline first < fragment[i]
        after = first
        sub(/^.*after: */, "", after); sub(/[ ;].*$/, "", after)
        closes[after] = closes[after] " " i
    }
}

function close_section(    part, n, i) {
    if (text != "") print "[" json_text(page "#" id) "," json_text(title) "," json_text(text) "]" > sections
    text = ""
    n = split(closes[id], part, " ")
    for (i = 1; i <= n; i++) show_figure(fragment[part[i]])
    delete closes[id]
}

# step03_coalescing/figures/stride.html -> a frame that site.js fills when it comes into view.
function show_figure(file,    name, line) {
    name = base_of(file); sub(/\.html$/, "", name)
    print "<section class=\"figure\" id=\"figure-" name "\" data-figure=\"" substr(folder, 5, 2) "-" name "\">"
    while ((getline line < file) > 0) print line
    print "<div class=\"live\"><noscript>This figure runs the lesson's kernel, which needs JavaScript.</noscript></div></section>"
}

function show_launches() {
    print "<p class=\"launches\"><a href=\"" launches "\">The launches of this lesson, drawn</a>: their source with the counts of each line, a block step by step, and why warps wait.</p>"
    launches = ""
}

# A link to another host becomes its text and address: the site refers to none.
function without_hosts(line,    link, address, text) {
    while (match(line, /<a href="https?:[^"]*">[^<]*<\/a>/)) {
        link = substr(line, RSTART, RLENGTH)
        address = substr(link, 10, index(substr(link, 10), "\"") - 1)
        text = plain(link)
        line = substr(line, 1, RSTART - 1) (text == address ? "" : text " ") "<code>" address "</code>" substr(line, RSTART + RLENGTH)
    }
    return line
}

function relinked(line,    out, href, anchor, at, to) {
    out = ""
    while (match(line, /(href|src)="[^"]*"/)) {
        href = substr(line, RSTART, RLENGTH)
        out = out substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        at = index(href, "\"")
        to = substr(href, at + 1, length(href) - at - 1)
        anchor = ""
        if (index(to, "#")) { anchor = substr(to, index(to, "#")); to = substr(to, 1, index(to, "#") - 1) }
        if (to ~ /^[a-z]+:/) { print path ": a link to another host: " to > "/dev/stderr"; status = 1 }
        else if (to != "") {
            to = target_of(joined(folder, to))
            if (to == "") { print path ": no such file: " href > "/dev/stderr"; status = 1 }
        }
        out = out substr(href, 1, at) to anchor "\""
    }
    return out line
}

/^<h[1-6]>/ {
    close_section()
    level = substr($0, 3, 1)
    title = characters($0)
    id = slug($0)
    if (seen[id]++) id = id "-" (seen[id] - 1)
    print level, id, title > headings
    sub(/^<h[1-6]>/, "<h" level " id=\"" id "\">")
    print relinked($0)
    if (level == 1 && launches != "") show_launches()
    next
}
/^<!-- raw HTML omitted -->$/ { next }
/<pre><code/ {
    in_code = 1
    in_comment = 0
    is_program = $0 ~ /class="language-(c|cuda)"/
    at = index($0, "<code"); at = at + index(substr($0, at), ">")
    printf "%s", substr($0, 1, at - 1)
    $0 = substr($0, at)
}
in_code {
    ends = index($0, "</code></pre>")
    if (ends) { print "</code></pre>"; in_code = 0; next }
    text = text " " characters($0)
    print is_program ? coloured($0) : $0
    next
}
{
    text = text " " characters($0)
    line = relinked(without_hosts($0))
    gsub(/<img /, "<img loading=\"lazy\" ", line)
    gsub(/<th[^>]*><\/th>/, "<td></td>", line)
    if (line ~ /^<table>/) line = "<div class=\"scroll\">" line
    if (line ~ /<\/table>/) line = line "</div>"
    print line
}
END {
    close_section()
    for (id in closes) if (closes[id] != "") { print path ": a figure closes '" id "', which is no heading" > "/dev/stderr"; status = 1 }
    exit status
}
