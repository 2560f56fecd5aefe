; wide_division.ll - division of 128-bit integers in kernels: see wide_division.awk.
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
