/* test_narrow.c - which loads become of a vector load of which somebody reads some registers: what
 * ptxas 13.0 makes of each subset, as PTX and the bytes and offsets of the loads. */
#include "decode_fixture.h"
#include "suite.h"

#define FOUR(space) "ld" space ".v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+32]; "
#define HALVES      "ld.global.v4.b16 {%h1, %h2, %h3, %h4}, [%rd1+32]; "
#define TWO         "ld.global.v2.b64 {%rd2, %rd3}, [%rd1+32]; "
#define KEEP(r)     "st.global.b32 [%rd9], %r" #r "; "
#define KEEP16(h)   "st.global.b16 [%rd9], %h" #h "; "
#define KEEP64(r)   "st.global.b64 [%rd9], %rd" #r "; "

/* loads: "4@36": 4 bytes from 36 bytes behind %rd1; in their order. */
static const struct {
    const char *what, *body, *loads;
} cases[] = {
    {"nobody reads", FOUR(".global"), "16@32"},
    {"all are read", FOUR(".global") KEEP(1) KEEP(2) KEEP(3) KEEP(4), "16@32"},
    {"x", FOUR(".global") KEEP(1), "4@32"},
    {"y", FOUR(".global") KEEP(2), "4@36"},
    {"w, twice", FOUR(".global") KEEP(4) KEEP(4), "4@44"},
    {"x, y", FOUR(".global") KEEP(1) KEEP(2), "8@32"},
    {"z, w", FOUR(".global") KEEP(3) KEEP(4), "8@40"},
    {"x, z", FOUR(".global") KEEP(1) KEEP(3), "4@32 4@40"},
    {"y, z", FOUR(".global") KEEP(2) KEEP(3), "4@36 4@40"},
    {"y, w", FOUR(".global") KEEP(2) KEEP(4), "4@36 4@44"},
    {"x, y, z", FOUR(".global") KEEP(1) KEEP(2) KEEP(3), "16@32"},
    {"y, z, w", FOUR(".global") KEEP(2) KEEP(3) KEEP(4), "16@32"},
    {"x, y, z of local memory", FOUR(".local") KEEP(1) KEEP(2) KEEP(3), "8@32 4@40"},
    {"x, z, w of generic memory", FOUR("") KEEP(1) KEEP(3) KEEP(4), "4@32 8@40"},
    {"x of read-only memory", FOUR(".global.nc") KEEP(1), "4@32"},
    {"x, relaxed", FOUR(".relaxed.gpu.global") KEEP(1), "4@32"},
    {"x, volatile", FOUR(".volatile.global") KEEP(1), "16@32"},
    {"a register that is read elsewhere", "mov.b32 %r2, 5; " FOUR(".global") KEEP(1) KEEP(2),
     "8@32"},
    {"an address that the load overwrites",
     "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r1+32]; " KEEP(1) KEEP(3), "16@32"},
    {"half of a half", HALVES KEEP16(2), "2@34"},
    {"an aligned pair of halves", HALVES KEEP16(3) KEEP16(4), "4@36"},
    {"another pair of halves", HALVES KEEP16(2) KEEP16(3), "8@32"},
    {"three halves", HALVES KEEP16(1) KEEP16(2) KEEP16(4), "8@32"},
    {"the second of two", TWO KEEP64(3), "8@40"},
    {"both of two", TWO KEEP64(2) KEEP64(3), "16@32"},
    {"bytes", "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd1+32]; " KEEP16(3), "4@32"},
    {"a guard", "@%p1 " FOUR(".global") KEEP(2), "4@36"},
    {"labels",
     "@%p1 bra L; " FOUR(".global") KEEP(1)
         KEEP(4) "L: "
                 "ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%rd1]; " KEEP(7) "@%p2 bra L; ",
     "4@32 4@44 4@8"},
};

static void list_loads(const struct kernel *k, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < k->code_count; i++) {
        const struct insn *in = &k->code[i];
        if (strncmp(k->handlers[i]->name, "ld_", 3) == 0) {
            used += (size_t)snprintf(text + used, size - used, "%s%u@%lld", used > 0 ? " " : "",
                                     in->bytes, (long long)in->offset);
        }
    }
}

static void check_loads(const char *what, const char *body, const char *want)
{
    char text[1024], loads[256];
    snprintf(text, sizeof text, "%s ret;", body);
    struct decoded d = decode_text("", "", text);
    ck_assert_msg(d.k != NULL, "%s: %s", what, d.e.text);
    list_loads(d.k, loads, sizeof loads);
    ck_assert_msg(strcmp(loads, want) == 0, "%s: %s, not %s", what, loads, want);
    decoded_free(&d);
}

START_TEST(what_is_read_is_loaded) { check_loads(cases[_i].what, cases[_i].body, cases[_i].loads); }
END_TEST

START_TEST(as_it_is_written)
{
    decode_plain = true;
    check_loads("plain", FOUR(".global") KEEP(1), "16@32");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("narrow");
    tcase_add_loop_test(tests, what_is_read_is_loaded, 0, ARRAY_LENGTH(cases));
    tcase_add_test(tests, as_it_is_written);
    return run_suite("narrow", tests);
}
