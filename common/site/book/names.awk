# names.awk - what a file of the tree is called on the site, and where a link of a text leads. Read before
# article.awk and others: awk -f names.awk -f article.awk. files: a file with the path of each file.

# step03_coalescing/README.md -> step03_coalescing.html; common/glossary.md -> common-glossary.html
function page_of(path) {
    if (path == "README.md") return "index.html"
    sub(/\/README\.md$/, "", path)
    sub(/\.md$/, "", path)
    gsub(/\//, "-", path)
    return path ".html"
}

function folder_of(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "" }

# folder "step01_naive", "../common/x.md" -> "common/x.md"
function joined(folder, relative,    part, n, i, out, m, text) {
    n = split((folder == "" ? "" : folder "/") relative, part, "/")
    m = 0
    for (i = 1; i <= n; i++) {
        if (part[i] == "..") m--
        else if (part[i] != "." && part[i] != "") out[++m] = part[i]
    }
    text = ""
    for (i = 1; i <= m; i++) text = text (i > 1 ? "/" : "") out[i]
    return text
}

function read_files(name,    line, folder) {
    while ((getline line < name) > 0) {
        is_file[line] = 1
        folder = folder_of(line)
        while (folder != "" && !(folder in is_folder)) {
            is_folder[folder] = 1
            folder = folder_of(folder)
        }
    }
    close(name)
}

# The page that shows a path, which is asked for by a line in the file `wanted`; "" where there is none.
function target_of(path) {
    if (path == "" || path == "README.md") return "index.html"
    if ((path "/README.md") in is_file) return page_of(path "/README.md")
    if (path ~ /\.md$/ && path in is_file) return page_of(path)
    if (path ~ /\.(svg|png)$/ && path in is_file) { print path > wanted; return "pictures/" base_of(path) }
    if (path in is_file || path in is_folder) { print path > wanted; return page_of(path) }
    return ""
}

function base_of(path) { sub(/^.*\//, "", path); return path }

function plain(html) {
    gsub(/<[^>]*>/, "", html)
    return html
}

function characters(html) {
    html = plain(html)
    gsub(/&lt;/, "<", html); gsub(/&gt;/, ">", html); gsub(/&quot;/, "\"", html); gsub(/&amp;/, "\\&", html)
    return html
}

# As GitHub makes anchors of headings.
function slug(html,    text) {
    text = tolower(characters(html))
    gsub(/[^a-z0-9 _-]/, "", text)
    gsub(/ /, "-", text)
    return text
}

function replaced(text, from, to,    out, at) {
    out = ""
    while (at = index(text, from)) {
        out = out substr(text, 1, at - 1) to
        text = substr(text, at + length(from))
    }
    return out text
}

function json_text(text) {
    text = replaced(replaced(text, "\\", "\\\\"), "\"", "\\\"")
    gsub(/\t/, " ", text); gsub(/\r/, "", text)
    text = replaced(text, "</", "<\\/")
    return "\"" text "\""
}
