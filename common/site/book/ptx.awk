# ptx.awk - of a PTX text the kernels whose name matches `kernels`, without the folder `top` in names of
# files: what a figure needs of its lesson's code.
/^[^\/]*\.entry / {
    name = $0; sub(/^.*\.entry +/, "", name); sub(/[( ].*$/, "", name)
    skipping = name !~ kernels
}
/^[ \t]*\.file/ { at = index($0, top "/"); if (at) $0 = substr($0, 1, at - 1) substr($0, at + length(top) + 1); gsub(/"\.\//, "\"") }
/^\/\/simt_from / { print; next } # the oldest GPU that it is for: ptx/module.h
/^[ \t]*\/\// { next }
!skipping { print }
skipping && /^}/ { skipping = 0 }
