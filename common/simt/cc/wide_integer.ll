; wide_integer.ll - what kernels do with 128-bit integers and PTX has no instruction for: see wide_integer.awk.

; ---- quotients and remainders
;
; The quotient comes bit by bit, as one divides on paper, from the first place at which the divisor fits below the
; dividend. One division of 64 bits is enough where both operands fit.

declare i128 @llvm.ctlz.i128(i128, i1)

define internal i128 @simt_udiv_128(i128 %n, i128 %d) noinline nounwind {
  %q = call i128 @simt_divide_128(i128 %n, i128 %d, i32 0)
  ret i128 %q
}
define internal i128 @simt_urem_128(i128 %n, i128 %d) noinline nounwind {
  %r = call i128 @simt_divide_128(i128 %n, i128 %d, i32 1)
  ret i128 %r
}
; The quotient is negative if one operand is.
define internal i128 @simt_sdiv_128(i128 %n, i128 %d) noinline nounwind {
  %n.size = call i128 @simt_size_128(i128 %n)
  %d.size = call i128 @simt_size_128(i128 %d)
  %q = call i128 @simt_divide_128(i128 %n.size, i128 %d.size, i32 0)
  %differ = xor i128 %n, %d
  %negative = icmp slt i128 %differ, 0
  %minus = sub i128 0, %q
  %result = select i1 %negative, i128 %minus, i128 %q
  ret i128 %result
}
; The remainder has the sign of the dividend.
define internal i128 @simt_srem_128(i128 %n, i128 %d) noinline nounwind {
  %n.size = call i128 @simt_size_128(i128 %n)
  %d.size = call i128 @simt_size_128(i128 %d)
  %r = call i128 @simt_divide_128(i128 %n.size, i128 %d.size, i32 1)
  %negative = icmp slt i128 %n, 0
  %minus = sub i128 0, %r
  %result = select i1 %negative, i128 %minus, i128 %r
  ret i128 %result
}
define internal i128 @simt_size_128(i128 %x) noinline nounwind {
  %negative = icmp slt i128 %x, 0
  %minus = sub i128 0, %x
  %size = select i1 %negative, i128 %minus, i128 %x
  ret i128 %size
}

; Unsigned. %rest: 0 for the quotient, 1 for the remainder.
define internal i128 @simt_divide_128(i128 %n, i128 %d, i32 %rest) noinline nounwind {
  %remainder = icmp ne i32 %rest, 0
  %less = icmp ult i128 %n, %d
  br i1 %less, label %zero, label %sizes
zero:
  %whole = select i1 %remainder, i128 %n, i128 0
  ret i128 %whole
sizes:
  %either = or i128 %n, %d
  %high = lshr i128 %either, 64
  %narrow = icmp eq i128 %high, 0
  br i1 %narrow, label %words, label %places
words:
  %n64 = trunc i128 %n to i64
  %d64 = trunc i128 %d to i64
  %q64 = udiv i64 %n64, %d64
  %p64 = mul i64 %q64, %d64
  %r64 = sub i64 %n64, %p64
  %x64 = select i1 %remainder, i64 %r64, i64 %q64
  %short = zext i64 %x64 to i128
  ret i128 %short
places:
  %d.zeros = call i128 @llvm.ctlz.i128(i128 %d, i1 false)
  %n.zeros = call i128 @llvm.ctlz.i128(i128 %n, i1 false)
  %distance = sub i128 %d.zeros, %n.zeros
  %first = and i128 %distance, 127 ; a division by zero, which C leaves undefined, ends, too
  %highest = shl i128 %d, %first
  br label %step
step:
  %r = phi i128 [ %n, %places ], [ %r.next, %step ]
  %q = phi i128 [ 0, %places ], [ %q.next, %step ]
  %t = phi i128 [ %highest, %places ], [ %t.next, %step ]
  %place = phi i128 [ %first, %places ], [ %place.next, %step ]
  %fits = icmp uge i128 %r, %t
  %difference = sub i128 %r, %t
  %r.next = select i1 %fits, i128 %difference, i128 %r
  %q.twice = shl i128 %q, 1
  %bit = zext i1 %fits to i128
  %q.next = or i128 %q.twice, %bit
  %t.next = lshr i128 %t, 1
  %place.next = sub i128 %place, 1
  %last = icmp eq i128 %place, 0
  br i1 %last, label %done, label %step
done:
  %result = select i1 %remainder, i128 %r.next, i128 %q.next
  ret i128 %result
}

; ---- floats of integers
;
; The 64 bits from the highest 1 on, the last of them 1 if any bit below is, round as the whole number does. What is
; left is a power of two.
define internal i64 @simt_leading_64(i128 %x, i64 %zeros) noinline nounwind {
  %places = zext i64 %zeros to i128
  %aligned = shl i128 %x, %places
  %upper = lshr i128 %aligned, 64
  %word = trunc i128 %upper to i64
  %below = trunc i128 %aligned to i64
  %any = icmp ne i64 %below, 0
  %sticky = zext i1 %any to i64
  %result = or i64 %word, %sticky
  ret i64 %result
}
define internal i64 @simt_zeros_128(i128 %x) noinline nounwind {
  %zeros = call i128 @llvm.ctlz.i128(i128 %x, i1 false)
  %few = trunc i128 %zeros to i64
  %result = and i64 %few, 127 ; the number 0 remains 0 at any place
  ret i64 %result
}
define internal double @simt_u_to_double_128(i128 %x) noinline nounwind {
  %zeros = call i64 @simt_zeros_128(i128 %x)
  %word = call i64 @simt_leading_64(i128 %x, i64 %zeros)
  %rounded = uitofp i64 %word to double
  %exponent = sub i64 1087, %zeros ; 1023 + 64
  %bits = shl i64 %exponent, 52
  %power = bitcast i64 %bits to double
  %result = fmul double %rounded, %power
  ret double %result
}
define internal float @simt_u_to_float_128(i128 %x) noinline nounwind {
  %zeros = call i64 @simt_zeros_128(i128 %x)
  %word = call i64 @simt_leading_64(i128 %x, i64 %zeros)
  %rounded = uitofp i64 %word to float
  %few = trunc i64 %zeros to i32
  %exponent = sub i32 191, %few ; 127 + 64
  %bits = shl i32 %exponent, 23
  %power = bitcast i32 %bits to float
  %result = fmul float %rounded, %power
  ret float %result
}
define internal double @simt_s_to_double_128(i128 %x) noinline nounwind {
  %size = call i128 @simt_size_128(i128 %x)
  %plus = call double @simt_u_to_double_128(i128 %size)
  %minus = fneg double %plus
  %negative = icmp slt i128 %x, 0
  %result = select i1 %negative, double %minus, double %plus
  ret double %result
}
define internal float @simt_s_to_float_128(i128 %x) noinline nounwind {
  %size = call i128 @simt_size_128(i128 %x)
  %plus = call float @simt_u_to_float_128(i128 %size)
  %minus = fneg float %plus
  %negative = icmp slt i128 %x, 0
  %result = select i1 %negative, float %minus, float %plus
  ret float %result
}

; ---- integers of floats, toward zero
;
; The upper half is the number divided by 2^64, the lower one what then remains; both steps are exact.
define internal i128 @simt_double_to_u_128(double %x) noinline nounwind {
  %scaled = fmul double %x, 0x3BF0000000000000 ; 2^-64
  %upper = fptoui double %scaled to i64
  %whole = uitofp i64 %upper to double
  %back = fmul double %whole, 0x43F0000000000000 ; 2^64
  %rest = fsub double %x, %back
  %lower = fptoui double %rest to i64
  %high = zext i64 %upper to i128
  %low = zext i64 %lower to i128
  %shifted = shl i128 %high, 64
  %result = or i128 %shifted, %low
  ret i128 %result
}
define internal i128 @simt_double_to_s_128(double %x) noinline nounwind {
  %negative = fcmp olt double %x, 0.0
  %opposite = fneg double %x
  %size = select i1 %negative, double %opposite, double %x
  %plus = call i128 @simt_double_to_u_128(double %size)
  %minus = sub i128 0, %plus
  %result = select i1 %negative, i128 %minus, i128 %plus
  ret i128 %result
}
define internal i128 @simt_float_to_u_128(float %x) noinline nounwind {
  %wide = fpext float %x to double
  %result = call i128 @simt_double_to_u_128(double %wide)
  ret i128 %result
}
define internal i128 @simt_float_to_s_128(float %x) noinline nounwind {
  %wide = fpext float %x to double
  %result = call i128 @simt_double_to_s_128(double %wide)
  ret i128 %result
}
