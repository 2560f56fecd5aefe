/* decode_cluster.c - instructions of clusters: their barrier, and addresses of other blocks' shared
 * memory. */
#include "decode/decoder.h"

/* barrier.cluster.arrive{.release, .relaxed}{.aligned}; barrier.cluster.wait{.acquire}{.aligned} */
bool decode_cluster_barrier(struct decoder *d)
{
    struct insn in = decode_blank();
    decode_take(d, WORD_CLUSTER);
    const bool arrives = decode_take(d, WORD_ARRIVE);
    if (!arrives && !decode_take(d, WORD_WAIT)) {
        return false;
    }
    in.flags |= decode_take(d, WORD_ALIGNED) ? INSN_BLOCK_BARRIER : 0;
    decode_take_hints(d);
    if (!decode_all_taken(d) || !decode_operands_are(d, 0, 0)) {
        return false;
    }
    if (arrives) {
        in.site = decode_new_plain_site(d, SITE_BARRIER, 0);
    }
    return decode_emit(d, in, arrives ? "cluster_arrive" : "cluster_wait") != NULL;
}

/* mapa{.shared::cluster}.u32 d, a, rank: where a, an address of the own block, lies in that one. */
bool decode_mapa(struct decoder *d)
{
    struct insn in = decode_blank();
    d->k->shares_memory = true;
    decode_take_space(d);
    const enum ptx_type type = decode_take_type(d);
    return TYPED_OPERANDS(d, &in, type, type, PTX_U32) &&
           decode_emit(d, in, "mapa_%u", bits_of(type)) != NULL;
}

/* getctarank{.shared::cluster}.u32 d, a */
bool decode_getctarank(struct decoder *d)
{
    struct insn in = decode_blank();
    decode_take_space(d);
    const enum ptx_type type = decode_take_type(d);
    return TYPED_OPERANDS(d, &in, PTX_B32, type) &&
           decode_emit(d, in, "getctarank_%u", bits_of(type)) != NULL;
}
