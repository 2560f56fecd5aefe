/* module.c - the tables of types and words as functions, source lines, and the end of a module.
 */
#include "ptx/parse.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bytes;
} types[PTX_TYPE_COUNT] = {
    [PTX_NO_TYPE] = {"no type", 0},
#define TYPE(name, text, bytes) [PTX_##name] = {text, bytes},
#include "ptx/ptx_types.def"
#undef TYPE
};

static const char *const words[WORD_COUNT] = {
    [WORD_OTHER] = "?",
#define WORD(id, text) [WORD_##id] = text,
#include "ptx/ptx_words.def"
#undef WORD
};

unsigned ptx_type_bytes(enum ptx_type type)
{
    assert(type < PTX_TYPE_COUNT);
    return types[type].bytes;
}

bool ptx_is_float(enum ptx_type type) { return type == PTX_F32 || type == PTX_F64; }

bool ptx_is_half(enum ptx_type type) { return type == PTX_F16 || type == PTX_BF16; }

bool ptx_is_pair_of_halves(enum ptx_type type) { return type == PTX_F16X2 || type == PTX_BF16X2; }

bool ptx_is_real(enum ptx_type type)
{
    return ptx_is_float(type) || ptx_is_half(type) || ptx_is_pair_of_halves(type);
}

const char *ptx_type_name(enum ptx_type type)
{
    assert(type < PTX_TYPE_COUNT);
    return types[type].name;
}

void ptx_module_free(struct ptx_module *module)
{
    while (module != NULL) {
        struct ptx_module *linked = module->linked;
        arena_free(&module->arena); /* everything the module points to */
        free(module);
        module = linked;
    }
}

const struct ptx_loc *ptx_user_line(const struct ptx_module *m, const struct ptx_loc *loc)
{
    const struct ptx_loc *best = loc;
    for (; loc != NULL; loc = loc->inlined_at) {
        const char *file = loc->file < m->file_count ? m->files[loc->file] : NULL;
        best = loc;
        if (file != NULL && strstr(file, "/include/") == NULL) {
            break;
        }
    }
    return best;
}

const char *ptx_word_text(enum ptx_word word)
{
    assert(word < WORD_COUNT);
    return words[word];
}

enum ptx_space ptx_word_space(enum ptx_word word)
{
    static const enum ptx_space spaces[WORD_COUNT] = {
        [WORD_GLOBAL] = PTX_GLOBAL,     [WORD_SHARED] = PTX_SHARED,
        [WORD_SHARED_CTA] = PTX_SHARED, [WORD_SHARED_CLUSTER] = PTX_SHARED,
        [WORD_LOCAL] = PTX_LOCAL,       [WORD_CONST] = PTX_CONST,
        [WORD_PARAM] = PTX_PARAM,       [WORD_PARAM_ENTRY] = PTX_PARAM,
        [WORD_PARAM_FUNC] = PTX_PARAM};
    return spaces[word];
}

bool ptx_has_modifier(const struct ptx_insn *in, enum ptx_word word)
{
    for (unsigned i = 0; i < in->modifier_count; i++) {
        if (in->modifiers[i].word == word) {
            return true;
        }
    }
    return false;
}

bool ptx_is_width(const struct ptx_modifier *m)
{
    return m->word == WORD_V2 || m->word == WORD_V4;
}

void ptx_set_fields(struct ptx_insn *in, const struct ptx_insn *like, unsigned fields,
                    enum ptx_type type, struct arena *arena)
{
    struct ptx_modifier *made = arena_alloc(arena, (like->modifier_count + 1) * sizeof *made);
    const enum ptx_word width = fields == 4 ? WORD_V4 : WORD_V2;
    unsigned count = 0;
    for (unsigned i = 0; i + 1 < like->modifier_count; i++) {
        if (!ptx_is_width(&like->modifiers[i])) {
            made[count++] = like->modifiers[i];
        }
    }
    if (fields > 1) {
        made[count++] = (struct ptx_modifier){width, PTX_NO_TYPE, ptx_word_text(width)};
    }
    made[count++] = (struct ptx_modifier){WORD_OTHER, type, ptx_type_name(type)};
    in->modifiers = made;
    in->modifier_count = count;
}
