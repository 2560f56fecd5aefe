# string.awk - a text as what stands between two backquotes of JavaScript. With names.awk.
{ print replaced(replaced(replaced(replaced($0, "\\", "\\\\"), "`", "\\`"), "${", "\\${"), "</", "<\\/") }
