# terms.awk - the glossary's article as course.terms: anchor -> [term, its sentence as HTML]. With names.awk.
BEGIN { print "course.terms = {" }
/^<h3 id=/ {
    id = $0; sub(/^<h3 id="/, "", id); sub(/".*/, "", id)
    term = characters($0)
    next
}
/^<h/ { id = "" }
id != "" && /^<p>/ { print json_text(id) ": [" json_text(term) ", " json_text($0) "],"; id = "" }
END { print "};" }
