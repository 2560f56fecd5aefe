#!/bin/sh
# metrics.sh - field<TAB>metric of each counter of common/simt/base/counters.def that names a metric of
# Nsight Compute. Run from the top of the tree; called by ncu.sh and compare.
tr '\n' ' ' <common/simt/base/counters.def | grep -oE 'COUNTER\([^)]*\)' |
    sed -nE 's/COUNTER\((\w+), *"[^"]*", *"([^"]+)"\)/\1\t\2/p'
