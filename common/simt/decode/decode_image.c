/* decode_image.c - textures and surfaces: tex, tld4, suld, sust, sured, txq, suq.
 *
 * The object is a handle in a 64-bit register, as CUDA's texture and surface objects are; PTX's
 * variables of type .texref, .samplerref and .surfref are rejected. */
#include "decode/decoder.h"
#include "decode/image.h"

/* .1d, .a2d, .cube ...: how many coordinates there are, and how many the vector has. */
static const struct geometry {
    enum ptx_word word;
    uint8_t dimensions, items;
    bool is_layered;
} geometries[] = {{WORD_DIM_1D, 1, 1, false}, {WORD_DIM_2D, 2, 2, false},
                  {WORD_DIM_3D, 3, 4, false}, {WORD_A1D, 1, 2, true},
                  {WORD_A2D, 2, 4, true},     {WORD_CUBE, 3, 4, false},
                  {WORD_ACUBE, 3, 4, true}};

static const struct geometry *take_geometry(struct decoder *d)
{
    for (unsigned i = 0; i < ARRAY_LENGTH(geometries); i++) {
        if (decode_take(d, geometries[i].word)) {
            return &geometries[i];
        }
    }
    decode_reject(d, "this geometry");
    return NULL;
}

/* The items of {a, b, c}, or the operand itself. */
static const struct ptx_operand *items_of(const struct ptx_operand *o, unsigned *count)
{
    const bool is_vector = o->kind == PTX_OPERAND_VECTOR;
    *count = is_vector ? o->item_count : 1;
    return is_vector ? o->items : o;
}

/* [handle, {layer, x, y, ...}] */
static bool take_place(struct decoder *d, const struct ptx_operand *o, const struct geometry *g,
                       enum ptx_type type, struct insn *in, struct image_insn *image)
{
    unsigned count;
    if (o->kind != PTX_OPERAND_MEMORY || o->reg == PTX_NO_REG || o->item_count == 0) {
        return decode_reject(d, "a texture or surface that is no object in a register");
    }
    if (o->item_count != 1) {
        return decode_reject(d, "a sampler of its own");
    }
    if (!decode_register_ref(d, o->reg, WIDTH_64, &in->a)) {
        return false;
    }
    const struct ptx_operand *items = items_of(&o->items[0], &count);
    if (count < (unsigned)g->dimensions + g->is_layered || count > g->items) {
        return decode_reject(d, "%u coordinates", count);
    }
    if (g->is_layered && !decode_source(d, &items[0], PTX_B32, &image->layer)) {
        return false;
    }
    for (unsigned i = 0; i < g->dimensions; i++) {
        if (!decode_source(d, &items[i + g->is_layered], type, &image->at[i])) {
            return false;
        }
    }
    return true;
}

static struct image_insn *new_image(struct decoder *d, const struct geometry *g)
{
    struct image_insn *image = arena_alloc(&d->k->arena, sizeof *image);
    *image = (struct image_insn){.dimensions = g->dimensions,
                                 .is_layered = g->is_layered,
                                 .offset = {NO_REF, NO_REF, NO_REF},
                                 .resident = NO_REF};
    return image;
}

/* --- textures --------------------------------------------------------------------------------- */

/* {d, d, d, d}, or of .v2.f16x2 {d, d}; behind a `|` the predicate that says whether the texels are
 * there, which they are: sparse arrays are rejected. */
static bool take_results(struct decoder *d, struct insn *in, struct image_insn *image)
{
    const struct ptx_operand *to = operand(d, 0);
    const bool is_paired = to->kind == PTX_OPERAND_PAIR;
    unsigned count;
    const struct ptx_operand *items = items_of(is_paired ? &to->items[0] : to, &count);
    in->elements = image->result == RESULT_PAIRS ? 2 : 4;
    if (count != in->elements) {
        return decode_reject(d, "%u results; there are %u", count, in->elements);
    }
    for (unsigned i = 0; i < count; i++) {
        if (!decode_destination(d, &items[i], WIDTH_32, &in->element[i])) {
            return false;
        }
    }
    for (unsigned i = count; i < 4; i++) {
        in->element[i] = NO_REF;
    }
    return !is_paired || decode_destination(d, &to->items[1], WIDTH_PREDICATE, &image->resident);
}

/* Texels that are added along each axis. */
static bool take_offset(struct decoder *d, const struct ptx_operand *o, struct image_insn *image)
{
    const unsigned count = image->dimensions == 3 ? 4 : image->dimensions;
    if (o->item_count != count) {
        return decode_reject(d, "an offset of %u numbers", o->item_count);
    }
    for (unsigned i = 0; i < image->dimensions; i++) {
        if (!decode_source(d, &o->items[i], PTX_S32, &image->offset[i])) {
            return false;
        }
    }
    return true;
}

/* What may come behind the operands of every tex and tld4: an offset, but of cubes, and a number
 * with which depths are compared. CUDA's texture objects have no mode of comparison, and without
 * one an H200 gives the texel as it is. */
static bool take_rest(struct decoder *d, const struct geometry *g, unsigned at,
                      struct image_insn *image)
{
    const bool is_cube = g->word == WORD_CUBE || g->word == WORD_ACUBE;
    uint32_t depth;
    if (operand(d, at)->kind == PTX_OPERAND_VECTOR && !is_cube) {
        if (!take_offset(d, operand(d, at), image)) {
            return false;
        }
        at++;
    }
    return decode_operands_are(d, at, at + 1) &&
           (d->in->operand_count == at || decode_source(d, operand(d, at), PTX_F32, &depth));
}

static bool take_gradients(struct decoder *d, struct image_insn *image)
{
    for (unsigned g = 0; g < 2; g++) {
        unsigned count;
        const struct ptx_operand *items = items_of(operand(d, 2 + g), &count);
        if (count < image->dimensions) {
            return decode_reject(d, "a gradient of %u coordinates", count);
        }
        for (unsigned i = 0; i < image->dimensions; i++) {
            if (!decode_source(d, &items[i], PTX_F32, &image->more[g][i])) {
                return false;
            }
        }
    }
    return true;
}

/* What a texel becomes, and what coordinates are. */
static bool take_types(struct decoder *d, enum image_result *result, enum ptx_type *coordinates)
{
    const bool is_of_two = decode_take(d, WORD_V2);
    if (!is_of_two) {
        decode_take(d, WORD_V4);
    }
    const enum ptx_type type = decode_take_type(d);
    *coordinates = decode_take_type(d);
    *result = RESULT_WORDS;
    if (type == PTX_F16 || type == PTX_F16X2) {
        *result = is_of_two ? RESULT_PAIRS : RESULT_HALVES;
    }
    if (is_of_two != (type == PTX_F16X2) ||
        (*result == RESULT_WORDS && type != PTX_F32 && type != PTX_U32 && type != PTX_S32)) {
        return decode_reject(d,
                             "results that are not .v4 of .f32, .u32, .s32 or .f16, or .v2.f16x2");
    }
    if (*coordinates != PTX_F32 && *coordinates != PTX_S32) {
        return decode_reject(d, "coordinates that are neither .f32 nor .s32");
    }
    return true;
}

/* tex{.level,.grad}.geometry.v4.type.ctype {d}{|p}, [handle, {c}]{, level | dx, dy}{, {offset}}{,
 * depth} */
bool decode_texture(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type;
    enum image_result result;
    const enum image_level level = decode_take(d, WORD_LEVEL)  ? LEVEL_NAMED
                                   : decode_take(d, WORD_GRAD) ? LEVEL_OF_GRADIENTS
                                                               : LEVEL_FIRST;
    const struct geometry *g = take_geometry(d);
    if (g == NULL || !take_types(d, &result, &type) || !decode_all_taken(d)) {
        return false;
    }
    struct image_insn *image = new_image(d, g);
    image->level = (uint8_t)level;
    image->result = (uint8_t)result;
    image->has_integers = type == PTX_S32;
    in.image = image;
    const unsigned operands = 2u + (unsigned)level;
    return decode_operands_are(d, operands, operands + 2) && take_results(d, &in, image) &&
           take_place(d, operand(d, 1), g, type, &in, image) &&
           (level != LEVEL_NAMED || decode_source(d, operand(d, 2), PTX_F32, &image->more[0][0])) &&
           (level != LEVEL_OF_GRADIENTS || take_gradients(d, image)) &&
           take_rest(d, g, operands, image) && decode_emit(d, in, "tex") != NULL;
}

/* tld4.r.geometry.v4.type.f32 {d}{|p}, [handle, {x, y}]{, {offset}}{, depth} */
bool decode_gather(struct decoder *d)
{
    static const enum ptx_word channels[] = {WORD_R, WORD_G, WORD_B, WORD_A};
    struct insn in = decode_blank();
    enum ptx_type type;
    enum image_result result;
    uint8_t channel = 0;
    while (channel < ARRAY_LENGTH(channels) && !decode_take(d, channels[channel])) {
        channel++;
    }
    const struct geometry *g = take_geometry(d);
    if (g == NULL || !take_types(d, &result, &type) || !decode_all_taken(d)) {
        return false;
    }
    const bool is_cube = g->word == WORD_CUBE || g->word == WORD_ACUBE;
    if (channel == ARRAY_LENGTH(channels) || (g->dimensions != 2 && !is_cube) || type != PTX_F32 ||
        result != RESULT_WORDS) {
        return decode_reject(d, "it takes a channel of a 2-D texture, of layers or of cubes");
    }
    struct image_insn *image = new_image(d, g);
    image->channel = channel;
    image->is_gather = true;
    in.image = image;
    return decode_operands_are(d, 2, 4) && take_results(d, &in, image) &&
           take_place(d, operand(d, 1), g, type, &in, image) && take_rest(d, g, 2, image) &&
           decode_emit(d, in, "tld4") != NULL;
}

/* --- surfaces --------------------------------------------------------------------------------- */

static bool take_elements(struct decoder *d, const struct ptx_operand *o, struct insn *in,
                          enum ptx_type type, bool load)
{
    unsigned count;
    const struct ptx_operand *items = items_of(o, &count);
    if (count != in->elements) {
        return decode_reject(d, "%u elements", count);
    }
    for (unsigned i = 0; i < count; i++) {
        /* an element of 8 bits lies in a register of 16 */
        const enum ptx_type own = type == PTX_B8 ? PTX_B16 : type;
        if (!decode_value(d, &items[i], load, own, &in->element[i])) {
            return false;
        }
    }
    return true;
}

static enum image_outside take_outside(struct decoder *d)
{
    const enum image_outside outside = decode_take(d, WORD_CLAMP)  ? OUTSIDE_CLAMPS
                                       : decode_take(d, WORD_ZERO) ? OUTSIDE_IS_ZERO
                                                                   : OUTSIDE_TRAPS;
    decode_take(d, WORD_TRAP);
    return outside;
}

/* suld.b.geometry{.v2,.v4}.type.outside {d}, [handle, {x, y}]; sust.b the other way round; sust.p
 * of .b32 */
static bool surface(struct decoder *d, bool load)
{
    struct insn in = decode_blank();
    const bool is_formatted = !load && decode_take(d, WORD_P);
    if (!is_formatted && !decode_take(d, WORD_B)) {
        return decode_reject(d, load ? "only .b loads" : "neither .b nor .p");
    }
    const struct geometry *g = take_geometry(d);
    if (g == NULL) {
        return false;
    }
    decode_take_hints(d);
    in.elements = decode_take(d, WORD_V2) ? 2 : decode_take(d, WORD_V4) ? 4 : 1;
    const enum ptx_type type = decode_take_type(d);
    struct image_insn *image = new_image(d, g);
    image->outside = (uint8_t)take_outside(d);
    image->is_formatted = image->is_texel = is_formatted;
    if (is_formatted ? type != PTX_B32
                     : type != PTX_B8 && type != PTX_B16 && type != PTX_B32 && type != PTX_B64) {
        return decode_reject(d, is_formatted ? "elements that are not .b32"
                                             : "elements that are not .b8, .b16, .b32 or .b64");
    }
    image->bytes = (uint8_t)ptx_type_bytes(type);
    in.bytes = (uint8_t)(image->bytes * in.elements);
    in.move = type == PTX_B64 ? MOVE_64 : MOVE_32; /* for observers, which read what is stored */
    in.image = image;
    const unsigned elements = load ? 0 : 1, place = 1 - elements; /* which operands they are */
    return decode_all_taken(d) && decode_operands_are(d, 2, 2) &&
           take_elements(d, operand(d, elements), &in, type, load) &&
           take_place(d, operand(d, place), g, PTX_S32, &in, image) &&
           (is_formatted ? decode_emit(d, in, "sust_formatted")
                         : decode_emit(d, in, load ? "suld_%u" : "sust_%u", bits_of(type))) != NULL;
}

bool decode_surface_load(struct decoder *d) { return surface(d, true); }

bool decode_surface_store(struct decoder *d) { return surface(d, false); }

/* The handler of a reduction. Without a format: add of .u32, .s32, .u64; min and max of these and
 * of .s64; and, or of .b32. With one, the types are .b32 and, of min and max, .b64. */
static const char *reduction_of(enum ptx_word operation, enum ptx_type type, bool is_formatted)
{
    static const struct {
        enum ptx_word operation;
        enum ptx_type plain, formatted; /* formatted: PTX_NO_TYPE where there is none */
        const char *handler;
    } rows[] = {
        {WORD_ADD, PTX_U32, PTX_B32, "add_u32"},     {WORD_ADD, PTX_S32, PTX_NO_TYPE, "add_u32"},
        {WORD_ADD, PTX_U64, PTX_NO_TYPE, "add_u64"}, {WORD_MIN, PTX_U32, PTX_B32, "min_u32"},
        {WORD_MIN, PTX_S32, PTX_NO_TYPE, "min_s32"}, {WORD_MIN, PTX_U64, PTX_B64, "min_u64"},
        {WORD_MIN, PTX_S64, PTX_NO_TYPE, "min_s64"}, {WORD_MAX, PTX_U32, PTX_B32, "max_u32"},
        {WORD_MAX, PTX_S32, PTX_NO_TYPE, "max_s32"}, {WORD_MAX, PTX_U64, PTX_B64, "max_u64"},
        {WORD_MAX, PTX_S64, PTX_NO_TYPE, "max_s64"}, {WORD_AND, PTX_B32, PTX_B32, "and_b32"},
        {WORD_OR, PTX_B32, PTX_B32, "or_b32"}};
    for (unsigned i = 0; i < ARRAY_LENGTH(rows); i++) {
        const enum ptx_type own = is_formatted ? rows[i].formatted : rows[i].plain;
        if (rows[i].operation == operation && own == type && type != PTX_NO_TYPE) {
            return rows[i].handler;
        }
    }
    return NULL;
}

/* sured{.b,.p}.operation.geometry.type.outside [handle, {x, y}], a */
bool decode_surface_reduction(struct decoder *d)
{
    static const enum ptx_word operations[] = {WORD_ADD, WORD_MIN, WORD_MAX, WORD_AND, WORD_OR};
    struct insn in = decode_blank();
    unsigned operation = 0;
    const bool is_formatted = decode_take(d, WORD_P);
    if (!is_formatted && !decode_take(d, WORD_B)) {
        return decode_reject(d, "neither .b nor .p");
    }
    while (operation < ARRAY_LENGTH(operations) && !decode_take(d, operations[operation])) {
        operation++;
    }
    const struct geometry *g = take_geometry(d);
    if (g == NULL) {
        return false;
    }
    const enum ptx_type type = decode_take_type(d);
    const char *handler = operation < ARRAY_LENGTH(operations)
                              ? reduction_of(operations[operation], type, is_formatted)
                              : NULL;
    if (handler == NULL || g->is_layered || g->word == WORD_CUBE) {
        return decode_reject(d, "an operation, type or geometry that ptxas does not know either");
    }
    struct image_insn *image = new_image(d, g);
    image->is_formatted = is_formatted;
    image->outside = (uint8_t)take_outside(d);
    image->bytes = in.bytes = (uint8_t)ptx_type_bytes(type);
    in.elements = 1;
    in.move = in.bytes == 8 ? MOVE_64 : MOVE_32;
    in.image = image;
    return decode_all_taken(d) && decode_operands_are(d, 2, 2) &&
           take_elements(d, operand(d, 1), &in, type, false) &&
           take_place(d, operand(d, 0), g, PTX_S32, &in, image) &&
           decode_emit(d, in, "sured_%s", handler) != NULL;
}

/* --- sizes ---------------------------------------------------------------------------------- */

/* txq{.level}.size.b32 d, [handle]{, level}; suq.size.b32 d, [handle]. An H200's driver loads no
 * other queries of objects. */
static bool query(struct decoder *d, const char *handler, const enum ptx_word *sizes,
                  unsigned count)
{
    struct insn in = decode_blank();
    const bool has_level = decode_take(d, WORD_LEVEL);
    struct image_insn *image = arena_alloc(&d->k->arena, sizeof *image);
    *image = (struct image_insn){.level = has_level ? LEVEL_NAMED : LEVEL_FIRST};
    while (image->channel < count && !decode_take(d, sizes[image->channel])) {
        image->channel++;
    }
    if (image->channel == count) {
        return decode_reject(d, "it needs %s",
                             count == 3 ? ".width, .height or .depth" : ".width or .height");
    }
    const unsigned operands = has_level ? 3 : 2;
    if (decode_take_type(d) != PTX_B32 || !decode_all_taken(d) ||
        !decode_operands_are(d, operands, operands)) {
        return false;
    }
    const struct ptx_operand *o = operand(d, 1);
    if (o->kind != PTX_OPERAND_MEMORY || o->reg == PTX_NO_REG || o->item_count != 0) {
        return decode_reject(d, "a texture or surface that is no object in a register");
    }
    in.image = image;
    return decode_destination(d, operand(d, 0), WIDTH_32, &in.d) &&
           decode_register_ref(d, o->reg, WIDTH_64, &in.a) &&
           (!has_level || decode_source(d, operand(d, 2), PTX_B32, &in.b)) &&
           decode_emit(d, in, "%s", handler) != NULL;
}

static const enum ptx_word sizes[] = {WORD_WIDTH, WORD_HEIGHT, WORD_DEPTH};

bool decode_texture_query(struct decoder *d) { return query(d, "txq", sizes, 3); }

bool decode_surface_query(struct decoder *d)
{
    return ptx_has_modifier(d->in, WORD_LEVEL) ? decode_reject(d, "a level of a surface")
                                               : query(d, "suq", sizes, 2);
}
