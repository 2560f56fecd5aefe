/* video.h - what a video instruction does beside its operation: which parts of its registers it
 * reads and writes, and what becomes of the result. The decoder packs it into insn.literal.
 *
 * Scalar ones (vadd) work on one value, which may be a byte or a half of a register; those with a
 * number (vadd2, vadd4) on two halves or four bytes, each chosen from the two source registers. */
#ifndef SIMT_VIDEO_H
#define SIMT_VIDEO_H

#include <stdint.h>
#include <string.h>

enum video_part { PART_WHOLE, PART_B0, PART_B1, PART_B2, PART_B3, PART_H0, PART_H1 };

/* The second operation, with operand c. */
enum video_second { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX };

enum video_comparison { VIDEO_EQ, VIDEO_NE, VIDEO_LT, VIDEO_LE, VIDEO_GT, VIDEO_GE };

struct video_form {
    uint16_t a_lanes, b_lanes; /* of each lane 4 bits: which part of b:a, counted from the lowest */
    unsigned mask : 4;         /* lanes of the result that are computed; others are those of c */
    unsigned d_part : 3, a_part : 3, b_part : 3; /* enum video_part */
    unsigned d_signed : 1, a_signed : 1, b_signed : 1;
    unsigned saturates : 1;
    unsigned second : 2;     /* enum video_second */
    unsigned comparison : 3; /* enum video_comparison */
    unsigned wraps : 1;      /* of a shift: its distance is taken modulo 32 */
    unsigned scale : 4;      /* vmad: by so many bits the sum is shifted right */
    unsigned negates_product : 1, negates_c : 1, plus_one : 1;
};

_Static_assert(sizeof(struct video_form) == sizeof(int64_t), "it travels in insn.literal");

static inline int64_t video_pack(struct video_form form)
{
    int64_t literal;
    memcpy(&literal, &form, sizeof literal);
    return literal;
}

static inline struct video_form video_unpack(int64_t literal)
{
    struct video_form form;
    memcpy(&form, &literal, sizeof form);
    return form;
}

#endif
