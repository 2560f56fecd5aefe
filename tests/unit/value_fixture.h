/* value_fixture.h - one line of PTX in, the bits of its result out: for the tests of handlers.
 *
 * Before the line, %r3, %r4, %r5 hold the operands a, b, c; %rd3.. and %h3.. hold them too, as 64
 * and 16 bits. The result is what the line writes to %r6, %rd6 or %h6. Each line runs twice: in all
 * 32 lanes, and in the odd ones alone, where the even ones must keep what they had. */
#ifndef TESTS_VALUE_FIXTURE_H
#define TESTS_VALUE_FIXTURE_H

#include "machine_fixture.h"

#include <inttypes.h>

struct value_case {
    const char *line;
    uint64_t a, b, c;
    uint64_t want;
};

#define VALUE_BEFORE 0x5a5a5a5a5a5a5a5aull /* what the result registers hold before the line */

/* Writes low and high half of the result to out[thread] and out[512 + thread], then moves on by a
 * kilobyte for the second run. */
static inline void value_body(char *text, size_t size, const struct value_case *v)
{
    static const char *const registers[] = {"%r", "%rd", "%h"};
    static const unsigned bits[] = {32, 64, 16};
    size_t used = 0;
    for (unsigned k = 0; k < 3; k++) {
        const uint64_t values[] = {v->a, v->b, v->c, VALUE_BEFORE};
        for (unsigned i = 0; i < 4; i++) {
            uint64_t mask = bits[k] == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits[k]) - 1;
            used += (size_t)snprintf(text + used, size - used, "mov.b%u %s%u, 0x%" PRIx64 ";",
                                     bits[k], registers[k], 3 + i, values[i] & mask);
        }
    }
    const char *widen = strstr(v->line, "%rd6") != NULL  ? ""
                        : strstr(v->line, "%h6") != NULL ? "cvt.u64.u16 %rd6, %h6;"
                                                         : "cvt.u64.u32 %rd6, %r6;";
    const char *again = strstr(v->line, "%rd6") != NULL  ? "mov.b64 %rd6, 0x5a5a5a5a5a5a5a5a;"
                        : strstr(v->line, "%h6") != NULL ? "mov.b16 %h6, 0x5a5a;"
                                                         : "mov.b32 %r6, 0x5a5a5a5a;";
    snprintf(text + used, size - used,
             "%s %s mov.b64 {%%r20, %%r21}, %%rd6;"
             "st.global.u32 [%%rd2], %%r20; st.global.u32 [%%rd2+2048], %%r21;"
             "%s and.b32 %%r22, %%r1, 1; setp.eq.u32 %%p19, %%r22, 0; @%%p19 bra EVEN;"
             "%s EVEN: %s mov.b64 {%%r2, %%r21}, %%rd6; st.global.u32 [%%rd2+3072], %%r21;"
             "add.u64 %%rd2, %%rd2, 1024;",
             v->line, widen, again, v->line, widen);
}

static inline void value_check(const struct value_case *v)
{
    char text[4096];
    struct machine m = {0};
    value_body(text, sizeof text, v);
    machine_run(&m, text);
    ck_assert_msg(m.good, "%s: %s", v->line, m.e.text);
    uint64_t before = strstr(v->line, "%rd6") != NULL  ? VALUE_BEFORE
                      : strstr(v->line, "%h6") != NULL ? VALUE_BEFORE & 0xffff
                                                       : VALUE_BEFORE & 0xffffffff;
    for (uint32_t t = 0; t < 32; t++) {
        uint64_t all = m.out[t] | (uint64_t)m.out[512 + t] << 32;
        uint64_t some = m.out[256 + t] | (uint64_t)m.out[768 + t] << 32;
        ck_assert_msg(all == v->want,
                      "%s with 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 ": 0x%" PRIx64
                      ", not 0x%" PRIx64 " (thread %u)",
                      v->line, v->a, v->b, v->c, all, v->want, t);
        ck_assert_msg(some == (t & 1 ? v->want : before),
                      "%s in the odd lanes alone: thread %u has 0x%" PRIx64, v->line, t, some);
    }
}

#define CHECK_VALUES(cases)                                                                        \
    do {                                                                                           \
        for (size_t i_ = 0; i_ < sizeof(cases) / sizeof((cases)[0]); i_++) {                       \
            value_check(&(cases)[i_]);                                                             \
        }                                                                                          \
    } while (0)

#endif
