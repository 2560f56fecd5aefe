# page_name.awk - what the file `path` is called on the site. With names.awk.
BEGIN { print page_of(path) }
