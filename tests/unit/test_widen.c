/* test_widen.c - which stores to global memory become wider ones: what ptxas 13.0 makes of rows of
 * stores, as PTX and the bytes and offsets of what is stored. */
#include "decode_fixture.h"
#include "suite.h"

#define B(at)    "st.global.u8 [%rd1+" #at "], %h1; "
#define B2(at)   "st.global.v2.u8 [%rd1+" #at "], {%h1, %h2}; "
#define B4(at)   "st.global.v4.u8 [%rd1+" #at "], {%h1, %h2, %h3, %h4}; "
#define H(at)    "st.global.u16 [%rd1+" #at "], %h1; "
#define H2(at)   "st.global.v2.u16 [%rd1+" #at "], {%h1, %h2}; "
#define H4(at)   "st.global.v4.u16 [%rd1+" #at "], {%h1, %h2, %h3, %h4}; "
#define W(at)    "st.global.u32 [%rd1+" #at "], %r1; "
#define W2(at)   "st.global.v2.u32 [%rd1+" #at "], {%r1, %r2}; "
#define W4(at)   "st.global.v4.u32 [%rd1+" #at "], {%r1, %r2, %r3, %r4}; "
#define D(at)    "st.global.u64 [%rd1+" #at "], %rd2; "
#define LOAD(at) "ld.global.u32 %r9, [%rd1+" #at "]; "
#define IF       "setp.eq.u32 %p1, %r1, 3; @%p1 bra L; "

/* stores: "4@36": 4 bytes at 36 bytes behind %rd1; in their order. */
static const struct {
    const char *what, *body, *stores;
} cases[] = {
    /* what fills an aligned word */
    {"alignment unknown", H(0) H(2), "2@0 2@2"},
    {"a word behind them", H(0) H(2) W(4), "4@0 4@4"},
    {"a word before them", W(4) H(0) H(2), "4@4 4@0"},
    {"in descending order", H(2) H(0) W(4), "4@0 4@4"},
    {"two halves that fill no word", H(2) H(4) W(8), "2@2 2@4 4@8"},
    {"four halves", H(0) H(2) H(4) H(6) D(8), "8@0 8@8"},
    {"four halves in any order", H(0) H(6) H(2) H(4) D(8), "8@0 8@8"},
    {"three halves", H(0) H(2) H(4) D(8), "4@0 2@4 8@8"},
    {"the last three halves", H(2) H(4) H(6) D(8), "2@2 4@4 8@8"},
    {"eight halves", H(0) H(2) H(4) H(6) H(8) H(10) H(12) H(14) W4(16), "8@0 8@8 16@16"},
    {"two words", W(0) W(4) D(8), "8@0 8@8"},
    {"four words", W(0) W(8) W(4) W(12) W4(16), "16@0 16@16"},
    {"three words", W(0) W(4) W(8) W4(16), "8@0 4@8 16@16"},
    {"the middle words", W(4) W(8) W4(16), "4@4 4@8 16@16"},
    {"double words", D(0) D(8) W4(16), "16@0 16@16"},
    {"below the base", H(-4) H(-2) W(4), "4@-4 4@4"},
    {"bytes never", B(0) B(1) B(2) B(3) W(4), "1@0 1@1 1@2 1@3 4@4"},

    /* vectors */
    {"two bytes and a half", B2(0) H(2) W(4), "4@0 4@4"},
    {"two bytes twice", B2(2) B2(0) W(4), "4@0 4@4"},
    {"two bytes four times", B2(0) B2(2) B2(4) B2(6) D(8), "8@0 8@8"},
    {"four bytes and a word", B4(0) W(4) D(8), "8@0 8@8"},
    {"four bytes four times", B4(0) B4(4) B4(8) B4(12) W4(16), "16@0 16@16"},
    {"two halves and a word", H2(0) W(4) D(8), "8@0 8@8"},
    {"four halves twice", H4(0) H4(8) W4(16), "16@0 16@16"},
    {"bytes that are copied",
     "ld.global.v4.u8 {%h5, %h6, %h7, %h8}, [%rd1+32]; "
     "st.global.v4.u8 [%rd1], {%h5, %h6, %h7, %h8}; " W(4) D(8),
     "4@0 4@4 8@8"},
    {"two words twice", W2(0) W2(8) W4(16), "16@0 16@16"},
    {"two words and a double word", W2(0) D(8) W4(16), "8@0 8@8 16@16"},
    {"two words and two single ones", W2(0) W(8) W(12) W4(16), "8@0 8@8 16@16"},

    /* kinds do not mix */
    {"a word and two halves", W(0) H(4) H(6) D(8), "4@0 4@4 8@8"},
    {"another width between them", H(2) W(4) H(0), "2@2 4@4 2@0"},
    {"another group between them", H(0) H(16) H(2) H(18) W(4), "2@0 2@16 2@2 2@18 4@4"},
    {"one group after the other", H(0) H(2) H(16) H(18) W(4), "4@0 4@16 4@4"},
    {"the same half again", H(0) H(2) H(0) W(4), "4@0 2@0 4@4"},

    /* what stands between */
    {"a load of global memory", H(0) LOAD(16) H(2) W(4), "2@0 2@2 4@4"},
    {"a load of shared memory", H(0) "ld.shared.u32 %r9, [%r3]; " H(2) W(4), "4@0 4@4"},
    {"a store from another base", H(0) "st.global.u16 [%rd9], %h1; " H(2) W(4), "2@0 2@0 2@2 4@4"},
    {"a barrier", H(0) "bar.sync 0; " H(2) W(4), "2@0 2@2 4@4"},
    {"a barrier behind them", H(0) H(2) "bar.sync 0; " W(4), "4@0 4@4"},
    {"an exact division", H(0) "div.s64 %rd5, %rd6, %rd7; " H(2) W(4), "2@0 2@2 4@4"},
    {"a shuffle", H(0) "shfl.sync.idx.b32 %r9, %r9, 0, 31, -1; " H(2) W(4), "4@0 4@4"},
    {"a value that changes", H(0) "mov.b16 %h1, 5; " H(2) W(4), "2@0 2@2 4@4"},
    {"a base that changes", H(0) "add.s64 %rd1, %rd1, 8; " H(2) W(4), "2@0 2@2 4@4"},
    {"a base that is another's sum",
     "add.s64 %rd5, %rd1, 8; st.global.u32 [%rd5+4], %r1; " H(0) H(2), "4@4 4@0"},
    {"a guard", H(0) "@%p1 st.global.u16 [%rd1+2], %h2; " W(4), "2@0 2@2 4@4"},
    {"volatile", H(0) "st.volatile.global.u16 [%rd1+2], %h2; " W(4), "2@0 2@2 4@4"},
    {"released", H(0) "st.release.gpu.global.u16 [%rd1+2], %h2; " W(4), "2@0 2@2 4@4"},
    {"a hint for the cache", H(0) "st.global.cs.u16 [%rd1+2], %h2; " W(4), "4@0 4@4"},

    /* who tells the alignment */
    {"a load", H(0) H(2) LOAD(4), "4@0"},
    {"a volatile store", "st.volatile.global.u32 [%rd1+4], %r1; " H(0) H(2), "4@4 4@0"},
    {"an atomic does not", "red.global.add.u32 [%rd1+4], %r1; " H(0) H(2), "2@0 2@2"},
    {"nor a store under a guard", "@%p1 st.global.u32 [%rd1+4], %r1; " H(0) H(2), "4@4 2@0 2@2"},
    {"a block before", W(4) IF H(0) H(2) "L: ", "4@4 4@0"},
    {"not an arm behind", H(0) H(2) IF W(4) "L: ", "2@0 2@2 4@4"},
    {"an index",
     "mul.wide.u32 %rd4, %r1, 8; st.global.u16 [%rd4], %h1; "
     "st.global.u16 [%rd4+2], %h2; ",
     "4@0"},
    {"over the end of a block", W(4) H(0) IF "L: " H(2), "4@4 2@0 2@2"},
};

static void list_stores(const struct kernel *k, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < k->code_count; i++) {
        const struct insn *in = &k->code[i];
        if (strncmp(k->handlers[i]->name, "st_", 3) == 0) {
            used += (size_t)snprintf(text + used, size - used, "%s%u@%lld", used > 0 ? " " : "",
                                     in->bytes, (long long)in->offset);
        }
    }
}

static void check_stores(const char *what, const char *body, const char *want)
{
    char text[1024], stores[256];
    snprintf(text, sizeof text,
             "ld.global.u64 %%rd1, [%%rd8]; ld.global.u32 %%r1, [%%rd8]; cvt.u16.u32 %%h1, %%r1;"
             "add.u16 %%h2, %%h1, 1; add.u16 %%h3, %%h1, 2; add.u16 %%h4, %%h1, 3; %s ret;",
             body);
    struct decoded d = decode_text("", "", text);
    ck_assert_msg(d.k != NULL, "%s: %s", what, d.e.text);
    list_stores(d.k, stores, sizeof stores);
    ck_assert_msg(strcmp(stores, want) == 0, "%s: %s, not %s", what, stores, want);
    decoded_free(&d);
}

START_TEST(neighbours_are_stored_together)
{
    check_stores(cases[_i].what, cases[_i].body, cases[_i].stores);
}
END_TEST

START_TEST(as_it_is_written)
{
    decode_plain = true;
    check_stores("plain", H(0) H(2) W(4), "2@0 2@2 4@4");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("widen");
    tcase_add_loop_test(tests, neighbours_are_stored_together, 0, ARRAY_LENGTH(cases));
    tcase_add_test(tests, as_it_is_written);
    return run_suite("widen", tests);
}
