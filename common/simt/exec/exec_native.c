/* exec_native.c - functions answered by the simulator; see exec_native.h. */
#include "exec/exec_native.h"

#include "common/gpu/special.h"
#include "exec/exec_address.h"
#include "exec/exec_conditional.h"
#include "exec/exec_native_state.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call's work, in warp instructions: what pow() takes decides when a loop counts as endless. */
enum { NATIVE_WORK = 4 };

/* --- memory of the program, from a native function -------------------------------------------- */

/* Copies the string at a generic address; at most size - 1 bytes of it. */
static bool copy_string(const struct native_call_state *s, u64 address, char *text, size_t size)
{
    size_t length = 0;
    while (length + 1 < size) {
        const char *c = native_bytes(s, "a string for printf or assert: read", address + length, 1);
        if (c == NULL) {
            return false;
        }
        if (*c == '\0') {
            break;
        }
        text[length++] = *c;
    }
    text[length] = '\0';
    return true;
}

/* --- printf ---------------------------------------------------------------------------------- */

struct print {
    struct native_call_state *call;
    char text[4096];
    size_t length;
    u64 next; /* generic address of the next argument */
    int values;
};

static void print_bytes(struct print *p, const char *text, size_t length)
{
    size_t room = sizeof p->text - 1 - p->length;
    length = length < room ? length : room;
    memcpy(p->text + p->length, text, length);
    p->length += length;
}

/* Arguments lie one behind the other, each aligned to its size. */
static bool next_argument(struct print *p, unsigned bytes, u64 *value)
{
    p->next = align_up(p->next, bytes);
    const void *host = native_bytes(p->call, "an argument of printf: read", p->next, bytes);
    if (host == NULL) {
        return false;
    }
    *value = 0;
    memcpy(value, host, bytes);
    p->next += bytes;
    p->values++;
    return true;
}

/* One conversion: spec is "%-5.2l" plus the letter; longs says that the argument has 8 bytes. */
static bool print_conversion(struct print *p, char *spec, char letter, bool is_long)
{
    char piece[1024], text[1024];
    size_t used = strlen(spec);
    u64 value;
    bool eight = is_long || strchr("aAeEfFgGps", letter) != NULL;
    if (!next_argument(p, eight ? 8 : 4, &value)) {
        return false;
    }
    if (letter == 's') {
        if (!copy_string(p->call, value, text, sizeof text)) {
            return false;
        }
        memcpy(spec + used, "s", 2);
        snprintf(piece, sizeof piece, spec, text);
    } else if (strchr("aAeEfFgG", letter) != NULL) {
        f64 real;
        memcpy(&real, &value, sizeof real);
        memcpy(spec + used, (char[]){letter, '\0'}, 2);
        snprintf(piece, sizeof piece, spec, real);
    } else if (letter == 'c') {
        memcpy(spec + used, "c", 2);
        snprintf(piece, sizeof piece, spec, (int)value);
    } else if (letter == 'p') {
        memcpy(spec + used, "p", 2);
        snprintf(piece, sizeof piece, spec, (void *)(uintptr_t)value);
    } else {
        bool is_signed = letter == 'd' || letter == 'i';
        memcpy(spec + used, (char[]){'l', 'l', letter, '\0'}, 4);
        snprintf(piece, sizeof piece, spec,
                 eight || !is_signed ? (long long)value : (long long)(s32)(u32)value);
    }
    print_bytes(p, piece, strlen(piece));
    return true;
}

/* Flags, width and precision beyond so many characters are left out; what is added last may be a
 * number of 11 digits, "ll" and a letter. */
enum { SPEC_MOST = 24, SPEC_ROOM = 48 };

/* A width or precision of two thousand million is a loop of that length in the C library. */
enum { WIDTH_MOST = 1000 };

static size_t put_number(char *spec, size_t used, long number)
{
    number = number > WIDTH_MOST ? WIDTH_MOST : number < -WIDTH_MOST ? -WIDTH_MOST : number;
    return used < SPEC_MOST ? used + (size_t)snprintf(spec + used, 16, "%ld", number) : used;
}

/* Reads flags, width and precision behind '%' into spec; `*` takes an argument. */
static bool read_spec(struct print *p, const char **format, char *spec, bool *is_long)
{
    size_t used = 1;
    spec[0] = '%';
    *is_long = false;
    for (;; (*format)++) {
        char c = **format;
        if (c == '*') {
            u64 value;
            if (!next_argument(p, 4, &value)) {
                return false;
            }
            if ((s32)value < 0 && spec[used - 1] == '.') {
                used--; /* a negative precision is none */
            } else {
                used = put_number(spec, used, (s32)(u32)value);
            }
            p->values--;
        } else if (c >= '1' && c <= '9') {
            char *end;
            used = put_number(spec, used, strtol(*format, &end, 10));
            *format = end - 1;
        } else if (c == 'l' || c == 'j' || c == 'z' || c == 't' || c == 'L') {
            *is_long = true;
        } else if (c != 'h' && (c == '\0' || strchr("-+ #0123456789.", c) == NULL)) {
            break;
        } else if (c != 'h' && used < SPEC_MOST) {
            spec[used++] = c;
        }
    }
    spec[used] = '\0';
    return true;
}

static bool print_formatted(struct print *p, const char *format)
{
    while (*format != '\0') {
        size_t plain = strcspn(format, "%");
        print_bytes(p, format, plain);
        format += plain;
        if (*format == '\0') {
            break;
        }
        format++;
        char spec[SPEC_ROOM];
        bool is_long;
        if (!read_spec(p, &format, spec, &is_long)) {
            return false;
        }
        char letter = *format;
        if (letter == '\0') {
            break;
        }
        format++;
        if (letter == '%') {
            print_bytes(p, "%", 1);
        } else if (strchr("diouxXcaAeEfFgGps", letter) == NULL) {
            print_bytes(p, spec, strlen(spec));
            print_bytes(p, &letter, 1);
        } else if (!print_conversion(p, spec, letter, is_long)) {
            return false;
        }
    }
    return true;
}

/* A record of a GPU's buffer holds the format's address and each value, 8 bytes at least. */
static void count_printed(const struct native_call_state *s, int values)
{
    struct printed *p = s->w->block->printed;
    const uint64_t own = 8 + 8 * (uint64_t)values;
    if (p == NULL || p->most == 0) {
        return;
    }
    const uint64_t before = atomic_fetch_add(&p->bytes, own);
    if (before <= p->most && before + own > p->most) {
        fault_line(s->w->block->kernel, s->in, p->line, sizeof p->line);
    }
}

static bool native_vprintf(struct native_call_state *s)
{
    struct print p = {.call = s, .next = arg_p(s, 1)};
    char format[2048];
    if (!copy_string(s, arg_p(s, 0), format, sizeof format) || !print_formatted(&p, format)) {
        return false;
    }
    const struct output *out = &s->w->block->output;
    out->write(out->state, p.text, p.length);
    count_printed(s, p.values);
    return native_give(s, &p.values, sizeof p.values);
}

/* --- assert, malloc, free -------------------------------------------------------------------- */

static bool native_assertfail(struct native_call_state *s)
{
    char condition[256], file[256], function[256], line[1024];
    if (!copy_string(s, arg_p(s, 0), condition, sizeof condition) ||
        !copy_string(s, arg_p(s, 1), file, sizeof file) ||
        !copy_string(s, arg_p(s, 3), function, sizeof function)) {
        return false;
    }
    const struct block *b = s->w->block;
    const struct warp *w = s->w;
    snprintf(line, sizeof line,
             "%s:%d: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
             arg_i(s, 2), function, b->index.x, b->index.y, b->index.z,
             w->special[SPECIAL_TID_X][s->lane], w->special[SPECIAL_TID_Y][s->lane],
             w->special[SPECIAL_TID_Z][s->lane], condition);
    fputs(line, stderr);
    fault(s->w, s->in, s->lane, SIMT_ASSERT, "assertion `%s` failed", condition);
    return false;
}

static bool native_malloc(struct native_call_state *s)
{
    char line[128];
    fault_line(s->w->block->kernel, s->in, line, sizeof line);
    const struct allocation *a = memory_alloc_in_kernel(s->w->block->memory, arg_p(s, 0), line);
    u64 address = a != NULL ? a->begin : 0;
    return native_give(s, &address, sizeof address);
}

static bool native_free(struct native_call_state *s)
{
    u64 address = arg_p(s, 0);
    const struct allocation *a = memory_find(s->w->block->memory, address);
    if (a != NULL && !a->in_kernel) {
        fault(s->w, s->in, s->lane, SIMT_ILLEGAL_ADDRESS,
              "free(0x%" PRIx64 ") in a kernel: that is memory of %s, which the host gives back",
              address, a->name != NULL ? a->name : "the host");
        return false;
    }
    if (a != NULL && address > a->begin) {
        fault(s->w, s->in, s->lane, SIMT_ILLEGAL_ADDRESS,
              "free(0x%" PRIx64 ") in a kernel: that is byte %" PRIu64 " of the %" PRIu64
              " bytes of %s, not their beginning",
              address, address - a->begin, a->bytes, a->name);
        return false;
    }
    if (address != 0 && !memory_free(s->w->block->memory, address, NULL)) {
        const struct allocation *freed = memory_find_freed(s->w->block->memory, address);
        fault(s->w, s->in, s->lane, SIMT_ILLEGAL_ADDRESS, "free(0x%" PRIx64 ") in a kernel: %s%s",
              address, freed != NULL ? "freed already, memory of " : "no such allocation",
              freed != NULL ? freed->name : "");
        return false;
    }
    warp_notice_frees(s->w);
    return true;
}

/* A kernel of a CUDA graph decides what a conditional node does. */
static bool native_set_conditional(struct native_call_state *s)
{
    const u64 handle = arg_p(s, 0);
    if (!conditional_set(handle, (u32)arg_i(s, 1))) {
        fault(s->w, s->in, s->lane, SIMT_ILLEGAL_ADDRESS,
              "cudaGraphSetConditional(0x%" PRIx64 ", %d): no handle of "
              "cudaGraphConditionalHandleCreate",
              handle, arg_i(s, 1));
        return false;
    }
    return true;
}

/* --- the table ------------------------------------------------------------------------------- */

/* Math functions are called through their signature, which native.def spells in letters. */
union math_function {
    f32 (*f_f)(f32);
    f32 (*f_ff)(f32, f32);
    f32 (*f_fff)(f32, f32, f32);
    f32 (*f_fi)(f32, int);
    f32 (*f_if)(int, f32);
    int (*i_f)(f32);
    f64 (*d_d)(f64);
    f64 (*d_dd)(f64, f64);
    f64 (*d_ddd)(f64, f64, f64);
    f64 (*d_di)(f64, int);
    f64 (*d_id)(int, f64);
    int (*i_d)(f64);
    void (*any)(void);
};

struct native_function {
    const char *name;      /* as PTX calls it */
    const char *signature; /* result:arguments; f float, d double, i int, p 64-bit, g dim3, v
                              nothing, q cudaPitchedPtr, e cudaExtent */
    native_fn function;    /* NULL: math */
    union math_function math;
    void (*lanes)(f32 *result, const f32 *x); /* the same for 32 lanes of f:f; NULL: one by one */
};

#define NATIVE(name, signature)                                                                    \
    {"__simt_" #name, signature, NULL, {.any = (void (*)(void))(name)}, NULL},
#define NATIVE_OF_CARD(name)                                                                       \
    {"__simt_" #name, "f:f", NULL, {.f_f = special_##name}, special_##name##_lanes},
static const struct native_function natives[] = {
#include "exec/native.def"
    {"vprintf", "i:pp", native_vprintf, {NULL}, NULL},
    {"__assertfail", "v:ppipp", native_assertfail, {NULL}, NULL},
#define DEVICE_RUNTIME(name, signature, function) {name, signature, function, {NULL}, NULL},
#include "exec/device_runtime.def"
#undef DEVICE_RUNTIME
    {"cudaGraphSetConditional", "v:pi", native_set_conditional, {NULL}, NULL},
    {"malloc", "p:p", native_malloc, {NULL}, NULL},
    {"free", "v:p", native_free, {NULL}, NULL}};

/* The state of a call for one lane: where its arguments and its result lie. */
static struct native_call_state call_of_lane(struct warp *w, const struct insn *in,
                                             const struct call_site *call, unsigned lane)
{
    struct native_call_state s = {.w = w, .in = in, .lane = lane};
    uint8_t *frame = w->base[REF_FRAME];
    for (unsigned i = 0; i < call->arg_count; i++) {
        s.args[i] = frame + call->args[i].offset + (size_t)lane * call->args[i].bytes;
    }
    if (call->result_count > 0) {
        s.result = frame + call->results[0].offset + (size_t)lane * call->results[0].bytes;
    }
    return s;
}

#define CALL_MATH(letters, T, call)                                                                \
    if (strcmp(n->signature, letters) == 0) {                                                      \
        for (lane_mask left = w->active; left != 0; left &= left - 1) {                            \
            const struct native_call_state s = call_of_lane(w, in, site, first_lane(left));        \
            const T value = call;                                                                  \
            native_give(&s, &value, sizeof value);                                                 \
        }                                                                                          \
        return;                                                                                    \
    }

static void call_math(const struct native_function *n, struct warp *w, const struct insn *in,
                      const struct call_site *site)
{
    const union math_function *m = &n->math;
    CALL_MATH("f:f", f32, m->f_f(arg_f(&s, 0)))
    CALL_MATH("d:d", f64, m->d_d(arg_d(&s, 0)))
    CALL_MATH("f:ff", f32, m->f_ff(arg_f(&s, 0), arg_f(&s, 1)))
    CALL_MATH("d:dd", f64, m->d_dd(arg_d(&s, 0), arg_d(&s, 1)))
    CALL_MATH("f:fff", f32, m->f_fff(arg_f(&s, 0), arg_f(&s, 1), arg_f(&s, 2)))
    CALL_MATH("d:ddd", f64, m->d_ddd(arg_d(&s, 0), arg_d(&s, 1), arg_d(&s, 2)))
    CALL_MATH("f:fi", f32, m->f_fi(arg_f(&s, 0), arg_i(&s, 1)))
    CALL_MATH("d:di", f64, m->d_di(arg_d(&s, 0), arg_i(&s, 1)))
    CALL_MATH("f:if", f32, m->f_if(arg_i(&s, 0), arg_f(&s, 1)))
    CALL_MATH("d:id", f64, m->d_id(arg_i(&s, 0), arg_d(&s, 1)))
    CALL_MATH("i:f", s32, m->i_f(arg_f(&s, 0)))
    CALL_MATH("i:d", s32, m->i_d(arg_d(&s, 0)))
    assert(!"a signature without a line above"); /* test_native calls all that native.def has */
}

/* All lanes by one piece of vector code. The frame of a lane that does not call stays as it is. */
static void call_lanes(const struct native_function *n, struct warp *w, const struct insn *in,
                       const struct call_site *call)
{
    (void)in;
    f32 x[WARP_LANES], result[WARP_LANES];
    uint8_t *frame = w->base[REF_FRAME];
    memcpy(x, frame + call->args[0].offset, sizeof x);
    n->lanes(result, x);
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        memcpy(frame + call->results[0].offset + lane * sizeof *result, &result[lane],
               sizeof *result);
    }
}

static unsigned letter_bytes(char letter)
{
    switch (letter) {
    case 'f':
    case 'i':
        return 4;
    case 'd':
    case 'p':
        return 8;
    case 'g':
        return sizeof(struct simt_dim);
    case 'q':
        return 4 * 8;
    case 'e':
        return 3 * 8;
    default:
        return 0;
    }
}

unsigned native_find(const char *name)
{
    for (unsigned i = 0; i < ARRAY_LENGTH(natives); i++) {
        if (strcmp(natives[i].name, name) == 0) {
            return i;
        }
    }
    return NO_NATIVE;
}

unsigned native_param_bytes(unsigned native, unsigned i)
{
    const char *letters = natives[native].signature + 2;
    return i < strlen(letters) ? letter_bytes(letters[i]) : 0;
}

unsigned native_result_bytes(unsigned native) { return letter_bytes(natives[native].signature[0]); }

bool native_call(struct warp *w, const struct insn *in, const struct call_site *call)
{
    const struct native_function *n = &natives[call->native];
    w->fuel -= NATIVE_WORK * lanes_in(w->active);
    if (n->function == NULL && call->result_count == 0) {
        return true; /* the result of a mathematical function is not observed */
    }
    if (n->function == NULL) {
        (n->lanes != NULL ? call_lanes : call_math)(n, w, in, call);
        return true;
    }
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        u64 unused = 0;
        struct native_call_state s = call_of_lane(w, in, call, first_lane(left));
        s.result = s.result != NULL ? s.result : &unused;
        if (!n->function(&s)) {
            return false;
        }
    }
    return true;
}
