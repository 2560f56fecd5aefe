/* observed_image.c - what tex, tld4, suld, sust and sured touch: see observed_access.h.
 *
 * Which texels a lane reads is found before it reads them, since a result may take the place of a
 * coordinate. A texel lies in the device's memory like any other data. */
#include "exec/exec_image.h"
#include "exec/observed_access.h"
#include "machine/turn.h"

/* The texels of all lanes, as device addresses: the first of each, the second ... Those of an
 * object whose texels have another size than the first lane's are not reported. */
struct texels {
    unsigned bytes;                       /* of each; 0: none is known yet */
    unsigned most;                        /* so many has one lane at least */
    lane_mask lanes[TEXTURE_MOST_TEXELS]; /* that have one more */
    uint64_t address[TEXTURE_MOST_TEXELS][WARP_LANES];
};

static unsigned find_texels(const struct warp *w, const struct insn *in, unsigned lane,
                            const struct image *image, enum ptx_op op,
                            const uint8_t *texels[TEXTURE_MOST_TEXELS])
{
    if (op == PTX_OP_TEX || op == PTX_OP_TLD4) {
        return exec_image_texels(w, in, lane, image, op == PTX_OP_TLD4, texels);
    }
    texels[0] = exec_image_element(w, in, lane, image);
    return texels[0] != NULL;
}

static void add_lane(struct texels *all, const struct warp *w, const struct insn *in, unsigned lane,
                     enum ptx_op op)
{
    const bool is_surface = op == PTX_OP_SULD || op == PTX_OP_SUST || op == PTX_OP_SURED;
    const uint8_t *texels[TEXTURE_MOST_TEXELS];
    const struct image *image = images_find(((const uint64_t *)warp_ref(w, in->a))[lane]);
    if (image == NULL || image->is_surface != is_surface) {
        return; /* it will be a fault */
    }
    const uint8_t *begin = memory_host(w->block->memory, image->begin, 1);
    const bool is_element = is_surface && !in->image->is_texel;
    const unsigned bytes = is_element ? in->bytes : texture_texel_bytes(image->texture.format);
    if (begin == NULL || (all->bytes != 0 && all->bytes != bytes)) {
        return;
    }
    const unsigned count = find_texels(w, in, lane, image, op, texels);
    all->bytes = bytes;
    for (unsigned i = 0; i < count; i++) {
        all->lanes[i] |= 1u << lane;
        all->address[i][lane] = image->begin + (uint64_t)(texels[i] - begin);
    }
    all->most = count > all->most ? count : all->most;
}

static void tell_texels(struct warp *w, const struct texels *all, struct access_event *event)
{
    event->space = PTX_GLOBAL;
    event->bytes = all->bytes;
    for (unsigned i = 0; i < all->most; i++) {
        event->lanes = all->lanes[i];
        event->address = all->address[i];
        event->cost = (struct site){.a = i == 0};
        observed_bounds(event);
        OBSERVE(w->block->observers, image, w, event);
    }
}

static enum access_kind access_of(enum ptx_op op)
{
    switch (op) {
    case PTX_OP_SUST:
        return ACCESS_STORE;
    case PTX_OP_SURED:
        return ACCESS_REDUCTION;
    default:
        return ACCESS_LOAD;
    }
}

const struct insn *observed_image(struct warp *w, const struct insn *in, exec_fn run,
                                  struct access_event event)
{
    const enum ptx_op op = event.origin->op;
    struct texels all;
    all.bytes = all.most = 0;
    for (unsigned i = 0; i < TEXTURE_MOST_TEXELS; i++) {
        all.lanes[i] = 0;
    }
    event.kind = access_of(op);
    turn_has_come(w->block); /* as before any access of global memory that is reported */
    for (lane_mask left = observed_lanes(w, in); left != 0; left &= left - 1) {
        add_lane(&all, w, in, first_lane(left), op);
    }
    if (event.kind != ACCESS_LOAD) {
        tell_texels(w, &all, &event);
        return run(w, in);
    }
    const struct insn *next = run(w, in);
    if (next != NULL) {
        tell_texels(w, &all, &event);
    }
    return next;
}
