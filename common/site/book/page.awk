# page.awk - an article -> a page: the frame of page.html with title, contents, neighbours and the article.
# Arguments: contents.txt (lines "= heading" or "page<TAB>title"), headings of the page or /dev/null, the
# frame, the article. page: its name; title: for pages that contents.txt does not list.

FILENAME == ARGV[1] { line[++lines] = $0; next }
FILENAME == ARGV[2] { heading[++heading_count] = $0; next }
FILENAME == ARGV[3] { frame[++frames] = $0; next }
{ article[++articles] = $0 }

function escaped(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }

function show_contents(    i, j, part, open) {
    for (i = 1; i <= lines; i++) {
        if (line[i] ~ /^= /) {
            print (open ? "</ul>" : "") "<p>" escaped(substr(line[i], 3)) "</p><ul>"
            open = 1
            continue
        }
        split(line[i], part, "\t")
        print "<li><a href=\"" part[1] "\"" (part[1] == page ? " aria-current=\"page\"" : "") ">" escaped(part[2]) "</a>"
        if (part[1] == page) show_headings()
        print "</li>"
    }
    if (open) print "</ul>"
}

function show_headings(    i, part, text) {
    print "<ul>"
    for (i = 1; i <= heading_count; i++) {
        split(heading[i], part, " ")
        if (part[1] != 2) continue
        text = substr(heading[i], length(part[2]) + 4)
        print "<li><a href=\"#" part[2] "\">" escaped(text) "</a></li>"
    }
    print "</ul>"
}

function show_neighbours(    i, part, pages, n, here) {
    for (i = 1; i <= lines; i++) if (line[i] !~ /^= /) { pages[++n] = line[i]; if (index(line[i], page "\t") == 1) here = n }
    if (!here) return
    if (here > 1) { split(pages[here - 1], part, "\t"); print "<a rel=\"prev\" href=\"" part[1] "\">Back: " escaped(part[2]) "</a>" }
    if (here < n) { split(pages[here + 1], part, "\t"); print "<a rel=\"next\" href=\"" part[1] "\">Next: " escaped(part[2]) "</a>" }
}

END {
    for (i = 1; i <= lines; i++) { split(line[i], part, "\t"); if (part[1] == page) title = part[2] }
    for (i = 1; i <= frames; i++) {
        if (frame[i] == "<!-- contents -->") show_contents()
        else if (frame[i] == "<!-- article -->") for (j = 1; j <= articles; j++) print article[j]
        else if (frame[i] == "<!-- neighbours -->") show_neighbours()
        else { shown = escaped(title); gsub(/&/, "\\\\&", shown); gsub(/TITLE/, shown, frame[i]); print frame[i] }
    }
}
