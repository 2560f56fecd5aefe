# stack.awk - LLVM IR whose allocas of sizes that are known at run time are PTX's, for which LLVM before 20 has no code.
#
# usage: awk -f stack.awk -f alignment.awk x.ll x.ll >y.ll        (both programs change the second reading)
#
#     %p = alloca T, i64 %n, align 16      becomes the number of bytes (the address of element %n behind a null
#                                          pointer) and inline assembly; the first N of %p.N ... are its own names
#     llvm.stacksave, llvm.stackrestore    inline assembly

FNR == 1 && NR != 1 { stack_opaque = stack_has_ptr }
NR == FNR && /[ (,]ptr[ ,)]/ { stack_has_ptr = 1 }

# The debug location, which stands at the end of each line.
function stack_location(line) { return match(line, /, !dbg ![0-9]+$/) ? substr(line, RSTART) : "" }
function stack_pointer(type) { return stack_opaque ? "ptr" : type "*" }

NR != FNR && match($0, /^ *%[^ ]+ = alloca .*, i[0-9]+ %[^,]+, align [0-9]+/) {
    stack_head = substr($0, 1, RLENGTH)
    stack_end = stack_location($0)
    stack_name = stack_head; sub(/^ *%/, "", stack_name); sub(/ = .*/, "", stack_name)
    stack_align = stack_head; sub(/.*, align /, "", stack_align)
    match(stack_head, /, i[0-9]+ %[^,]+, align [0-9]+$/)
    stack_count = substr(stack_head, RSTART + 2); sub(/, align .*/, "", stack_count)
    stack_type = substr(stack_head, 1, RSTART - 1); sub(/^[^=]*= alloca /, "", stack_type)
    stack_own = stack_name; gsub(/"/, "", stack_own)
    stack_own = "%\"simt.stack." stack_own
    print "  " stack_own ".end\" = getelementptr " stack_type ", " stack_pointer(stack_type) " null, " stack_count stack_end
    print "  " stack_own ".bytes\" = ptrtoint " stack_pointer(stack_type) " " stack_own ".end\" to i64" stack_end
    $0 = "  %" stack_name " = call " stack_pointer(stack_type) " asm sideeffect \"{ .reg .b64 at; alloca.u64 at, $1, " stack_align \
        "; cvta.local.u64 $0, at; }\", \"=l,l\"(i64 " stack_own ".bytes\")" stack_end
}
NR != FNR && match($0, /call (i8\*|ptr) @llvm\.stacksave[a-z0-9.]*\(\)/) {
    $0 = substr($0, 1, RSTART - 1) "call " stack_pointer("i8") " asm sideeffect \"stacksave.u64 $0;\", \"=l,~{memory}\"()" \
        stack_location($0)
    sub(/tail call/, "call")
}
NR != FNR && match($0, /@llvm\.stackrestore[a-z0-9.]*\(/) && /call void/ {
    stack_place = substr($0, RSTART + RLENGTH)
    sub(/\).*/, "", stack_place)
    $0 = "  call void asm sideeffect \"stackrestore.u64 $0;\", \"l,~{memory}\"(" stack_place ")" stack_location($0)
}
