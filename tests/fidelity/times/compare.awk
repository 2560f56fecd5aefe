# compare.awk - recorded times beside floors and modelled times; see compare.
#
#     awk -v show=summary|table|families|markdown -v out=FILE -f compare.awk limits.tsv GPU.csv ran.csv model.csv
#     (-v other=other_programs.tsv: without the kernels that stand there; -v set_ups=2: the first two
#     launches are not in ran.csv)
#
# The report has the launches in the order of the names in ran.csv, behind one that sets up.

function split_csv(line, value,    n) {
    n = 0
    while (line != "") {
        if (match(line, /^"[^"]*"/))
            value[++n] = substr(line, 2, RLENGTH - 2)
        else {
            match(line, /^[^,]*/)
            value[++n] = substr(line, 1, RLENGTH)
        }
        line = substr(line, RLENGTH + 2)
    }
    return n
}

function known(v) { return v != "" && v != "-" }

# The highest of the fixed list of throughputs; latency where none passes 50 %.
function measured_limiter(name,    i, best, limiter) {
    limiter = "latency"
    best = 50
    for (i = 1; i <= throughputs; i++)
        if (known(gpu[name, percent[i]]) && gpu[name, percent[i]] + 0 > best) {
            best = gpu[name, percent[i]] + 0
            limiter = means[i]
        }
    return limiter
}

# Of values[1 .. n], the one below which `share` of them lie.
function quantile(values, n, share,    i, j, t, sorted) {
    if (n == 0)
        return 0
    for (i = 1; i <= n; i++)
        sorted[i] = values[i]
    for (i = 2; i <= n; i++) {
        t = sorted[i]
        for (j = i - 1; j >= 1 && sorted[j] > t; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = t
    }
    i = int(share * n + 0.999999)
    return sorted[i < 1 ? 1 : i]
}

# Spearman's: the correlation of ranks.
function rank_correlation(a, b, n,    i, k, ra, rb, sum) {
    for (i = 1; i <= n; i++) {
        ra = rb = 0
        for (k = 1; k <= n; k++) {
            ra += a[k] < a[i]
            rb += b[k] < b[i]
        }
        sum += (ra - rb) ^ 2
    }
    return n > 1 ? 1 - 6 * sum / (n * (n * n - 1)) : 0
}

function abs(v) { return v < 0 ? -v : v }
# How far a prediction is off, in percent; a few sectors more or less are nothing.
function off(predicted, counted, small) {
    return 100 * abs(predicted - counted) / (abs(counted) > small ? abs(counted) : small)
}

BEGIN {
    set_ups = set_ups == "" ? 1 : set_ups
    while (other != "" && (getline line < other) > 0) {
        split(line, word, "\t")
        if (line !~ /^#/)
            is_other[word[1]] = 1
    }
    throughputs = split("issue_percent fma_percent alu_percent fp64_percent xu_percent " \
        "lsu_percent l1_wavefronts_percent l2_percent dram_percent", percent, " ")
    split("issue|FP32|integer|FP64|special functions|load/store|L1|L2|DRAM", means, "|")
}
FNR == 1 { file++; header = 0 }
file == 1 && !/^#/ { split($0, word, "\t"); limit[word[1]] = word[2] + 0; next }
file == 1 { next }
/^#/ { if (file == 2) source = substr($0, 3); next }
{
    n = split_csv($0, value)
    if (!header) {
        delete column
        for (i = 1; i <= n; i++)
            column[i] = value[i]
        header = 1
        next
    }
    if (file == 2)
        for (i = 1; i <= n; i++)
            gpu[value[1], column[i]] = value[i]
    if (file == 3) {
        name[++names] = value[1]
        group[names] = value[2]
        sum[names] = value[3]
    }
    if (file == 4) {
        at = ++launches - set_ups # the first one sets up
        for (i = 1; at > 0 && i <= n; i++)
            sim[name[at], column[i]] = value[i]
    }
}
END {
    if (launches != names + set_ups) {
        print "compare.awk: " launches " launches of " names + set_ups > "/dev/stderr"
        exit 1
    }
    OFS = ","
    print "name,held_out,measured_us,floor_us,model_us,limiter,model_limiter,registers," \
        "model_registers,instructions,model_instructions,l1_hit,model_l1_hit,l2_sectors," \
        "model_l2_sectors,dram_read,model_dram_read,dram_write,model_dram_write" > out
    if (show == "table" || show == "markdown")
        print show == "markdown" ? "| kernel | measured us | at least | modelled | error | limited by | said |" \
            "\n|---|---|---|---|---|---|---|" : \
            sprintf("%-24s %9s %9s %9s %7s  %-18s %s", "kernel", "measured", "at least", "modelled", \
            "error", "limited by", "said")
    for (i = 1; i <= names; i++) {
        k = name[i]
        if (group[i] == "roof" || !known(gpu[k, "duration_ns"]))
            continue
        if (k in is_other) {
            kernels_left_out++
            kernel_number++
            continue
        }
        t = gpu[k, "duration_ns"] / 1000
        floor_us = sim[k, "floor_us"] + 0
        model_us = sim[k, "model_us"] + 0
        kernels++
        set = ++kernel_number % 3 == 0 ? "held" : "fitted"
        checked += gpu[k, "checksum"] != "" && off(sum[i], gpu[k, "checksum"], 1e-3) > 0.01
        if (off(sum[i], gpu[k, "checksum"], 1e-3) > 0.01)
            print "another result than on the GPU: " k ": " sum[i] ", there " gpu[k, "checksum"]
        share[kernels] = floor_us / t
        if (floor_us > 1.02 * t) {
            above++
            print "floor above the measured time: " k ": " floor_us " us of " t
        }
        error = 100 * (model_us - t) / t
        limiter = measured_limiter(k)
        m = ++count[set]
        errors[set, m] = abs(error)
        took[kernels] = t
        said[kernels] = model_us
        said_limiter = sim[k, "model_limiter"]
        if (said_limiter == "atomics" || said_limiter == "barriers" || said_limiter == "block starts")
            said_limiter = "latency" # ncu has no throughput for them
        right[set] += limiter == said_limiter
        family = group[i]
        if (!(family in of_family))
            family_name[++families] = family
        k2 = ++of_family[family]
        family_error[family, k2] = abs(error)
        family_took[family, k2] = t
        family_said[family, k2] = model_us
        family_right[family] += limiter == said_limiter
        read = gpu[k, "dram_read_bytes"] + 0
        written = gpu[k, "dram_write_bytes"] + 0
        if (known(gpu[k, "dram_read_bytes"]))
            traffic[++traffics] = off(sim[k, "model_dram_read_bytes"] + sim[k, "model_dram_write_bytes"], \
                read + written, 1e6)
        hit = "-"
        if (known(gpu[k, "l1_load_sectors"]) && gpu[k, "l1_load_sectors"] > 0)
            hit = gpu[k, "l1_load_hits"] / gpu[k, "l1_load_sectors"]
        print k, set, t, floor_us, model_us, limiter, sim[k, "model_limiter"], gpu[k, "registers"], \
            sim[k, "model_registers"], gpu[k, "instructions"], sim[k, "model_instructions"], \
            hit, sim[k, "model_l1_hit"], \
            gpu[k, "l2_sm_sectors"], sim[k, "model_l2_sectors"], read, sim[k, "model_dram_read_bytes"], \
            written, sim[k, "model_dram_write_bytes"] > out
        if (show == "table")
            printf "%-24s %9.1f %9.1f %9.1f %+6.0f%%  %-18s %s%s\n", k, t, floor_us, model_us, error, \
                limiter, sim[k, "model_limiter"], set == "held" ? "  (held out)" : ""
        if (show == "markdown")
            printf "| `%s`%s | %.1f | %.1f | %.1f | %+.0f %% | %s | %s |\n", k, \
                set == "held" ? " *" : "", t, floor_us, model_us, error, limiter, \
                sim[k, "model_limiter"]
    }
    print "against " source ":"
    if (kernels_left_out > 0)
        print kernels_left_out " kernels left out, of which this front end makes other programs"
    printf "floors: %d of %d kernels above the measured time by more than 2 %%; median %.2f of it\n", \
        above, kernels, quantile(share, kernels, 0.5)
    for (s = 1; s <= 2; s++) {
        set = s == 1 ? "fitted" : "held"
        for (i = 1; i <= count[set]; i++)
            list[i] = errors[set, i]
        median[set] = quantile(list, count[set], 0.5)
        most[set] = quantile(list, count[set], 0.9)
        printf "model, %s: %d kernels, median error %.1f %%, nine in ten within %.0f %%, limiter right in %.0f %%\n", \
            set == "held" ? "held out" : "fitted", count[set], median[set], most[set], \
            100 * right[set] / (count[set] > 0 ? count[set] : 1)
    }
    rank = rank_correlation(took, said, kernels)
    limiters = 100 * (right["held"] + right["fitted"]) / kernels
    printf "rank correlation %.3f; limiter right in %.0f %% of all; DRAM bytes within %.0f %% for nine in ten\n", \
        rank, limiters, quantile(traffic, traffics, 0.9)
    for (s = 1; s <= families && show == "families"; s++) {
        family = family_name[s]
        n = of_family[family]
        for (i = 1; i <= n; i++) {
            list[i] = family_error[family, i]
            a[i] = family_took[family, i]
            b[i] = family_said[family, i]
        }
        printf "%-8s %2d kernels, median error %4.1f %%, nine in ten within %3.0f %%, rank %.2f, limiter right in %.0f %%\n", \
            family, n, quantile(list, n, 0.5), quantile(list, n, 0.9), rank_correlation(a, b, n), \
            100 * family_right[family] / n
    }
    bad = above > 0 || checked > 0
    if ("median_percent" in limit && median["held"] > limit["median_percent"])
        bad = 1
    if ("nine_in_ten_percent" in limit && int(most["held"] + 0.5) > limit["nine_in_ten_percent"])
        bad = 1
    if ("rank_percent" in limit && 100 * rank < limit["rank_percent"])
        bad = 1
    if ("limiter_percent" in limit && limiters < limit["limiter_percent"])
        bad = 1
    if ("dram_percent" in limit && quantile(traffic, traffics, 0.9) > limit["dram_percent"])
        bad = 1
    print "comparisons: " (bad ? "0 passed, 1 failed" : "1 passed, 0 failed")
    exit bad
}
