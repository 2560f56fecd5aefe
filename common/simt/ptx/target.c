/* target.c - see target.h. */
#include "ptx/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- targets --------------------------------------------------------------------------------- */

/* PTX ISA 9.0, ".target", and the first version with which ptxas 13.0 accepts each. */
static const struct {
    unsigned arch, version;
    const char *suffixes; /* beside none */
} known[] = {
    {10, 10, ""},    {11, 10, ""},    {12, 12, ""},    {13, 12, ""},    {20, 20, ""},
    {21, 20, ""},    {30, 30, ""},    {32, 40, ""},    {35, 31, ""},    {37, 41, ""},
    {50, 40, ""},    {52, 41, ""},    {53, 42, ""},    {60, 50, ""},    {61, 50, ""},
    {62, 50, ""},    {70, 60, ""},    {72, 61, ""},    {75, 63, ""},    {80, 70, ""},
    {86, 71, ""},    {87, 74, ""},    {88, 73, ""},    {89, 78, ""},    {90, 78, "a"},
    {100, 86, "af"}, {101, 86, "af"}, {103, 88, "af"}, {110, 90, "af"}, {120, 87, "af"},
    {121, 88, "af"},
};

bool ptx_target_named(const char *name, struct ptx_target *out)
{
    unsigned arch;
    int used = 0;
    if (sscanf(name, "sm_%3u%n", &arch, &used) != 1 || name[3] < '1' || name[3] > '9') {
        return false;
    }
    const char suffix = name[used];
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].arch == arch &&
            (suffix == '\0' ||
             (strchr(known[i].suffixes, suffix) != NULL && name[used + 1] == '\0'))) {
            unsigned first = suffix == 'a' && arch == 90 ? 80 : known[i].version;
            first = suffix == 'f' && first < 88 ? 88 : first;
            *out = (struct ptx_target){.arch = arch, .suffix = suffix, .first = first};
            return true;
        }
    }
    return false;
}

bool ptx_target_runs_on(struct ptx_target t, unsigned gpu)
{
    if (gpu == 0 || t.arch == 0 || (t.from != 0 && gpu >= t.from)) {
        return true;
    }
    switch (t.suffix) {
    case 'a':
        return gpu == t.arch;
    case 'f':
        return gpu >= t.arch && gpu / 10 == t.arch / 10;
    default:
        return gpu >= t.arch;
    }
}

struct ptx_target ptx_target_on(struct ptx_target t, unsigned gpu)
{
    const unsigned checked = gpu > PTX_OLDEST_CHECKED ? gpu : PTX_OLDEST_CHECKED;
    if (t.from != 0 && gpu != 0 && checked < t.arch) {
        return (struct ptx_target){.arch = checked, .from = t.from};
    }
    t.from = 0;
    return t;
}

struct ptx_target ptx_target_of_both(struct ptx_target a, struct ptx_target b)
{
    struct ptx_target both = b.arch > a.arch || (b.arch == a.arch && b.suffix != '\0') ? b : a;
    const bool everywhere = a.from != 0 && b.from != 0;
    both.from = everywhere ? (a.from > b.from ? a.from : b.from) : 0;
    return both;
}

/* ---- instructions ---------------------------------------------------------------------------- */

enum need_form {
    NEED_FEATURE,
    NEED_MODIFIER,
    NEED_INSTRUCTION,
    NEED_UNSUPPORTED,
    NEED_SPECIFIC,
    NEED_HOPPER
};

struct need {
    enum ptx_op op; /* PTX_OP_UNKNOWN: any */
    const char *words;
    unsigned arch, version;
    enum need_form form;
    const char *what;
};

#define PTX_OP_ANY PTX_OP_UNKNOWN

static const struct need needs[] = {
#define NEED(op, words, arch, version, form, what)                                                 \
    {PTX_OP_##op, words, arch, version, NEED_##form, what},
#include "ptx/ptx_needs.def"
#undef NEED
};

static bool has_word(const struct ptx_insn *in, const char *word, size_t length)
{
    for (unsigned i = 0; i < in->modifier_count; i++) {
        const char *text = in->modifiers[i].text;
        if (strncmp(text, word, length) == 0 && text[length] == '\0') {
            return true;
        }
    }
    return false;
}

static bool names_special(const struct ptx_insn *in, const char *word, size_t length)
{
    for (unsigned i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *o = &in->operands[i];
        if (o->kind == PTX_OPERAND_SPECIAL && strncmp(o->name, word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool fits_word(const struct ptx_insn *in, const char *word, size_t length)
{
    switch (word[0]) {
    case '!':
        return !has_word(in, word + 1, length - 1);
    case '%':
        return names_special(in, word, length);
    case '#':
        return in->operand_count >= (unsigned)(word[1] - '0');
    case '|':
        return in->operand_count > 0 && in->operands[0].kind == PTX_OPERAND_PAIR;
    default:
        return has_word(in, word, length);
    }
}

static bool fits(const struct ptx_insn *in, const struct need *n)
{
    bool good = n->op == PTX_OP_ANY || n->op == in->op;
    for (const char *word = n->words; good && *word != '\0';) {
        const size_t length = strcspn(word, " ");
        good = fits_word(in, word, length);
        word += length;
        word += *word == ' ';
    }
    return good;
}

static bool has_arch(struct ptx_target t, const struct need *n)
{
    return t.arch >= n->arch && (n->form < NEED_SPECIFIC || t.suffix != '\0') &&
           (n->form != NEED_HOPPER || t.arch == n->arch);
}

/* Names the special register up to its dot: "%clusterid" of %clusterid.x. */
static void name_special(const struct ptx_insn *in, char *name, size_t size)
{
    const struct ptx_operand *o = in->operands;
    while (o->kind != PTX_OPERAND_SPECIAL) { /* one is there: names_special() */
        o++;
    }
    snprintf(name, size, "%.*s", (int)strcspn(o->name, "."), o->name);
}

static void name_types(const struct ptx_insn *in, const char *before, size_t length, char *name,
                       size_t size)
{
    int used = snprintf(name, size, "%.*s", (int)length, before);
    for (unsigned i = 0; i < in->modifier_count && (size_t)used < size; i++) {
        if (in->modifiers[i].type != PTX_NO_TYPE) {
            used += snprintf(name + used, size - (size_t)used, ".%s", in->modifiers[i].text);
        }
    }
}

/* "cp.async.bulk" of CP and "async bulk", unless the row has a name of its own. */
static void name_need(const struct need *n, const struct ptx_insn *in, char *name, size_t size)
{
    const size_t before = strcspn(n->what, "*");
    if (strcmp(n->what, "%") == 0) {
        name_special(in, name, size);
    } else if (n->what[before] == '*') {
        name_types(in, n->what, before, name, size);
    } else if (n->what[0] != '\0') {
        snprintf(name, size, "%s", n->what);
    } else {
        snprintf(name, size, "%s%s%s", in->op_name, n->words[0] != '\0' ? "." : "", n->words);
        for (char *at = name; *at != '\0'; at++) {
            *at = *at == ' ' ? '.' : *at;
        }
    }
}

static void say_arch(const struct need *n, struct ptx_target t, const char *name, char *why,
                     size_t size)
{
    static const char *const form[] = {"Feature", "Modifier", "Instruction"};
    const char *suffix = n->form >= NEED_SPECIFIC ? "a" : "";
    int used;
    if (n->form < NEED_UNSUPPORTED) {
        used = snprintf(why, size, "%s '%s' requires .target sm_%u or higher", form[n->form], name,
                        n->arch);
    } else {
        used =
            snprintf(why, size, "Instruction '%s' not supported on .target 'sm_%u'", name, t.arch);
    }
    if (t.from != 0) {
        snprintf(why + used, size - (size_t)used, ", and the GPU of SIMT_GPU has sm_%u", t.arch);
    } else {
        snprintf(why + used, size - (size_t)used, ": compile for sm_%u%s, not sm_%u", n->arch,
                 suffix, t.arch);
    }
}

bool ptx_target_has(struct ptx_target t, unsigned version, const struct ptx_insn *in, char *why,
                    size_t size)
{
    char name[100];
    for (unsigned i = 0; t.arch != 0 && i < sizeof needs / sizeof needs[0]; i++) {
        const struct need *n = &needs[i];
        const bool old = version != 0 && version < n->version, lacks = !has_arch(t, n);
        if ((!lacks && !old) || !fits(in, n)) {
            continue;
        }
        name_need(n, in, name, sizeof name);
        if (lacks) {
            say_arch(n, t, name, why, size);
        } else {
            snprintf(why, size, "Feature '%s' requires PTX ISA .version %u.%u or later", name,
                     n->version / 10, n->version % 10);
        }
        return false;
    }
    return true;
}
