# source.awk - a source file as an article, with numbered lines. With names.awk and code.awk; path: its own.
BEGIN { print "<h1>" path "</h1>\n<pre class=\"source\"><code>" }
{
    gsub(/&/, "\\&amp;"); gsub(/</, "\\&lt;"); gsub(/>/, "\\&gt;"); gsub(/"/, "\\&quot;")
    print "<span id=\"L" NR "\">" (path ~ /\.(cu|cuh|c|h|def)$/ ? coloured($0) : $0) "</span>"
}
END { print "</code></pre>" }
