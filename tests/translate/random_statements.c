/* random_statements.c - random straight-line code: rows of random_ops.def, accesses to each kind of
 * memory, what the lanes of a warp do together. See random_kernel.c. */
#include "tests/translate/random_maker.h"

#include <limits.h>
#include <string.h>

static const char *const rows[] = {
#define ROW(text) text,
#include "tests/translate/random_ops.def"
#undef ROW
    NULL};

enum { ROWS = sizeof rows / sizeof rows[0] - 1, LAST_ROWS = 26 };

const char class_letter[CLASSES] = {'r', 'f', 'd', 'g', 'h', 'p'};

unsigned dice_roll(struct dice *d, unsigned sides)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((d->state >> 33) % sides);
}

unsigned roll(struct maker *m, unsigned sides) { return dice_roll(&m->dice, sides); }

/* --- registers -------------------------------------------------------------------------------- */

static unsigned new_register(struct maker *m, enum class c)
{
    return m->next[c] + 1 < MOST ? m->next[c]++ : MOST - 1;
}

unsigned source(struct maker *m, enum class c)
{
    if (m->known[c] == 0 || roll(m, 4) == 0) {
        return roll(m, OLD);
    }
    const unsigned recent = m->known[c] < 12 ? m->known[c] : 12;
    return m->list[c][m->known[c] - 1 - roll(m, roll(m, 5) == 0 ? m->known[c] : recent)];
}

/* May be read from now on, unless the statement may be skipped. */
static unsigned destination(struct maker *m, enum class c)
{
    if (m->skips || roll(m, 6) == 0 || m->next[c] + 2 >= MOST) {
        return roll(m, OLD);
    }
    return new_register(m, c);
}

static void knows(struct maker *m, enum class c, unsigned reg)
{
    if (reg >= OLD && m->known[c] < MOST) {
        m->list[c][m->known[c]++] = reg;
    }
}

/* --- rows ------------------------------------------------------------------------------------- */

struct results {
    unsigned count;
    enum class class[8];
    unsigned reg[8];
};

static enum class class_of(char letter) {
    const char lower = letter | 0x20;
    for (unsigned c = 0; c < CLASSES; c++){if (class_letter[c] == lower){return (enum class)c;}
}
return CLASSES;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '%' || c == '-' || c == ':';
}

static void write_number(struct maker *m, char letter)
{
    static const unsigned odd[] = {0,          1,          0x7fffffff, 0x80000000,
                                   0xffffffff, 0x3f800000, 0x7f800000, 0xff800001};
    if (letter == 'k') {
        fprintf(m->to, "%u", roll(m, 41));
    } else if (roll(m, 3) == 0) {
        fprintf(m->to, "0x%x", odd[roll(m, 8)]);
    } else {
        fprintf(m->to, "0x%x", roll(m, 1u << 31) << roll(m, 2));
    }
}

static void write_own(struct maker *m, char letter)
{
    const enum class c = letter == 'S' ? BITS16 : letter < 'C' ? INT32 : INT64;
    unsigned *reg = &m->of_row[(unsigned char)letter];
    *reg = *reg == 0 ? new_register(m, c) : *reg;
    fprintf(m->to, "%%%c%u", class_letter[c], *reg);
}

/* 32-bit registers are of one type in PTX, as are 64-bit ones: now and then a float is read as a
 * number, and the other way. */
static enum class crossed(struct maker *m, enum class c) {
    return c < BITS16 && roll(m, 10) == 0 ? (enum class)(c ^ 1u) : c;
}

static void write_letter(struct maker *m, char letter, struct results *results)
{
    if (strchr("ABUVS", letter) != NULL) {
        write_own(m, letter);
        return;
    }
    if (letter == 'k' || letter == 'x') {
        write_number(m, letter);
        return;
    }
    enum class c = class_of(letter);
    unsigned reg;
    if (letter < 'a') {
        reg = destination(m, c);
        results->class[results->count] = c;
        results->reg[results->count++] = reg;
    } else {
        c = crossed(m, c);
        reg = source(m, c);
    }
    fprintf(m->to, "%%%c%u", class_letter[c], reg);
}

static bool is_letter(const char *row, const char *at)
{
    const bool alone = (at == row || !is_word(at[-1])) && !is_word(at[1]);
    return alone && strchr("rfdghpRFDGHPkxABUVS", *at) != NULL;
}

/* The row's text; [d] is the address that write_address() has computed. */
void write_text(struct maker *m, const char *row)
{
    struct results results = {0};
    memset(m->of_row, 0, sizeof m->of_row);
    for (const char *at = row; *at != '\0'; at++) {
        if (*at == 'd' && at > row && at[-1] == '[') {
            fprintf(m->to, "%%d%u", m->address);
        } else if (is_letter(row, at)) {
            write_letter(m, *at, &results);
        } else {
            fputc(*at, m->to);
        }
    }
    fputs(";\n", m->to);
    m->skips = false;
    for (unsigned i = 0; i < results.count; i++) {
        knows(m, results.class[i], results.reg[i]);
    }
}

static void write_guard(struct maker *m)
{
    if (roll(m, 8) == 0) {
        m->skips = true;
        fprintf(m->to, "@%s%%p%u ", roll(m, 2) ? "!" : "", source(m, PREDICATE));
    }
}

static void write_row(struct maker *m, const char *row)
{
    if (strchr(row, ';') == NULL) {
        write_guard(m);
    }
    write_text(m, row);
}

/* One in four is of the last rows, which are several instructions each. */
void arithmetic(struct maker *m)
{
    for (unsigned n = 1 + roll(m, 12); n > 0; n--) {
        const bool many = roll(m, 4) == 0;
        write_row(m, rows[many ? ROWS - 1 - roll(m, LAST_ROWS) : roll(m, ROWS)]);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

struct form {
    const char *text; /* of ld and st, behind the space */
    unsigned bytes;
    const char *registers; /* one letter for each element */
};

static const struct form forms[] = {
    {"u32", 4, "R"},        {"f32", 4, "F"},     {"b32", 4, "R"},      {"u64", 8, "D"},
    {"f64", 8, "G"},        {"s8", 1, "R"},      {"u8", 1, "R"},       {"s16", 2, "R"},
    {"u16", 2, "H"},        {"s16", 2, "D"},     {"u8", 1, "D"},       {"s32", 4, "D"},
    {"u32", 4, "D"},        {"s8", 1, "H"},      {"v2.u32", 8, "RR"},  {"v4.f32", 16, "FFFF"},
    {"v2.f64", 16, "GG"},   {"v2.u16", 4, "HH"}, {"v4.u8", 4, "RRRR"}, {"v2.s64", 16, "DD"},
    {"v4.u32", 16, "RRRR"}, {"v2.s8", 2, "RR"}};

enum { FORMS = sizeof forms / sizeof forms[0] };

/* %r: an offset below `room` bytes, a multiple of 16; the lanes are alike, side by side, or lie
 * anywhere. Leaves its number. */
static unsigned write_offset(struct maker *m, unsigned room, unsigned bytes)
{
    const unsigned to = new_register(m, INT32);
    switch (roll(m, 6)) {
    case 0:
    case 1:
        fprintf(m->to, "mad.lo.u32 %%r%u, %%lane, %u, %u;\n", to, bytes, 16 * roll(m, 40));
        break;
    case 2:
        fprintf(m->to, "mov.u32 %%r%u, %u;\n", to, 16 * roll(m, room / 16));
        break;
    case 3:
        fprintf(m->to, "mul.lo.u32 %%r%u, %%lane, %u;\n", to, 16 * roll(m, 5));
        break;
    case 4:
        fprintf(m->to, "mad.lo.u32 %%r%u, %%round, %u, %u;\n", to, 16 * roll(m, 8),
                16 * roll(m, 9));
        break;
    default:
        fprintf(m->to, "mov.u32 %%r%u, %%r%u;\n", to, source(m, INT32));
    }
    fprintf(m->to, "and.b32 %%r%u, %%r%u, %u;\n", to, to, (room - 1) & ~(bytes - 1));
    return to;
}

/* Elements of an access, as { %r1, %r2 } or alone. */
static void write_elements(struct maker *m, const struct form *f, bool loads,
                           struct results *results)
{
    const bool many = f->registers[1] != '\0';
    fputs(many ? "{" : "", m->to);
    for (unsigned i = 0; f->registers[i] != '\0'; i++) {
        const enum class c = class_of(f->registers[i]);
        unsigned reg = loads ? destination(m, c) : source(m, c);
        if (loads) { /* of one vector, no register twice */
            for (unsigned k = 0; k < results->count; k++) {
                if (results->class[k] == c && results->reg[k] == reg) {
                    reg = m->skips ? (reg + 1) % OLD : new_register(m, c);
                    k = UINT_MAX; /* once more from the first */
                }
            }
            results->class[results->count] = c;
            results->reg[results->count++] = reg;
        }
        fprintf(m->to, "%s%%%c%u", i > 0 ? ", " : "", class_letter[c], reg);
    }
    fputs(many ? "}" : "", m->to);
}

/* One access, `behind` bytes behind the address. */
static void write_access(struct maker *m, const char *space, const char *address,
                         const struct form *f, bool loads, unsigned behind)
{
    static const char *const orders[] = {"", "", "", "", "", "volatile."};
    struct results results = {0};
    const char *order = strcmp(space, "local") == 0 ? "" : orders[roll(m, 6)];
    write_guard(m);
    fprintf(m->to, "%s.%s%s%s%s ", loads ? "ld" : "st", order, space, *space != '\0' ? "." : "",
            f->text);
    if (loads) {
        write_elements(m, f, loads, &results);
        fprintf(m->to, ", [%s+%u];\n", address, behind);
    } else {
        fprintf(m->to, "[%s+%u], ", address, behind);
        write_elements(m, f, loads, &results);
        fputs(";\n", m->to);
    }
    m->skips = false;
    for (unsigned i = 0; i < results.count; i++) {
        knows(m, results.class[i], results.reg[i]);
    }
}

/* Up to five accesses by one register. */
void accesses(struct maker *m)
{
    static const struct {
        const char *space, *base;
        bool is_read_only;
        unsigned room;
    } places[] = {{"global", "%in", true, 8192},   {"global", "%out", false, 8192},
                  {"shared", "tile", false, 2048}, {"local", "own", false, 64},
                  {"", "%out", false, 8192},       {"shared", "tile", false, 2048},
                  {"global", "%in", true, 8192}};
    const unsigned place = roll(m, 7);
    const bool is_narrow = strcmp(places[place].space, "shared") == 0;
    const bool is_own = strcmp(places[place].space, "local") == 0;
    const struct form *first = &forms[roll(m, FORMS)];
    const unsigned offset = write_offset(m, places[place].room, first->bytes);
    const unsigned wide = new_register(m, INT64);
    char address[20];
    if (is_narrow) {
        fprintf(m->to, "mov.u32 %%base, tile;\nadd.u32 %%r%u, %%r%u, %%base;\n", offset, offset);
        snprintf(address, sizeof address, "%%r%u", offset);
    } else {
        if (is_own) {
            fputs("mov.u64 %base64, own;\n", m->to);
        }
        fprintf(m->to, "cvt.u64.u32 %%d%u, %%r%u;\nadd.s64 %%d%u, %%d%u, %s;\n", wide, offset, wide,
                wide, is_own ? "%base64" : places[place].base);
        snprintf(address, sizeof address, "%%d%u", wide);
    }
    for (unsigned n = 1 + roll(m, 4); n > 0; n--) {
        const struct form *f = roll(m, 3) == 0 ? &forms[roll(m, FORMS)] : first;
        const struct form *fits = f->bytes <= first->bytes ? f : first;
        write_access(m, places[place].space, address, fits,
                     places[place].is_read_only || roll(m, 2),
                     roll(m, 150) == 0 ? 1u << 20 : first->bytes * roll(m, 4));
    }
}

void atomics(struct maker *m)
{
    static const char *const operations[] = {
        "red.global.add.u32 [d], r",      "atom.global.add.u32 R, [d], r",
        "atom.global.max.s32 R, [d], r",  "atom.global.cas.b32 R, [d], r, r",
        "atom.global.exch.b32 R, [d], r", "atom.global.add.u64 D, [d], d",
        "atom.global.inc.u32 R, [d], r",  "red.global.and.b32 [d], r",
        "red.global.add.f32 [d], f",      "atom.global.min.u32 R, [d], r"};
    const unsigned offset = write_offset(m, 8192, 8), wide = new_register(m, INT64);
    fprintf(m->to, "cvt.u64.u32 %%d%u, %%r%u;\nadd.s64 %%d%u, %%d%u, %%out;\n", wide, offset, wide,
            wide);
    m->address = wide;
    write_guard(m);
    write_text(m, operations[roll(m, 10)]);
}

/* --- lanes and warps together ----------------------------------------------------------------- */

void together(struct maker *m)
{
    static const char *const operations[] = {
        "shfl.sync.idx.b32 R, r, k, 31, %together", "shfl.sync.bfly.b32 R|P, r, k, 31, %together",
        "shfl.sync.up.b32 F|P, f, 3, 0, %together", "shfl.sync.down.b32 F, f, 1, 31, %together",
        "vote.sync.ballot.b32 R, p, %together",     "vote.sync.any.pred P, p, %together",
        "vote.sync.all.pred P, !p, %together",      "match.any.sync.b32 R, r, %together",
        "redux.sync.add.s32 R, r, %together",       "redux.sync.xor.b32 R, r, %together",
        "vote.sync.uni.pred P, p, %together",       "bar.warp.sync %together"};
    fputs("activemask.b32 %together;\n", m->to);
    write_text(m, operations[roll(m, 12)]);
}

void barrier(struct maker *m)
{
    static const char *const operations[] = {"bar.sync 0", "bar.sync 0", "bar.red.popc.u32 R, 0, p",
                                             "bar.red.or.pred P, 0, !p"};
    if (m->parted) {
        together(m);
        return;
    }
    write_text(m, operations[roll(m, 4)]);
}

const char *random_row(unsigned i) { return i < ROWS ? rows[i] : NULL; }
