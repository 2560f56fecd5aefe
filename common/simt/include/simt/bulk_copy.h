/* simt/bulk_copy.h - cuda::device::experimental: copies by the bulk engine, of plain bytes and of
 * boxes of tensor maps. One thread starts each. Part of <cuda/barrier>, which includes it. */
#ifndef SIMT_BULK_COPY_H
#define SIMT_BULK_COPY_H

struct CUtensorMap_st;

namespace cuda
{
namespace device
{
namespace experimental
{

typedef barrier<thread_scope_block> simt_barrier;

/* What this thread has written to shared memory comes before what the engine reads there. */
SIMT_DEVICE void fence_proxy_async_shared_cta()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
SIMT_DEVICE void cp_async_bulk_commit_group()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int Groups> SIMT_DEVICE void cp_async_bulk_wait_group_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Groups) : "memory");
}

SIMT_DEVICE void cp_async_bulk_global_to_shared(void *to, const void *from, unsigned int bytes,
                                                simt_barrier &b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes),
                 "r"(simt_mbarrier_address(b.simt_word()))
                 : "memory");
}
SIMT_DEVICE void cp_async_bulk_shared_to_global(void *to, const void *from, unsigned int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                     __cvta_generic_to_global(to)),
                 "r"((unsigned int)__cvta_generic_to_shared(from)), "r"(bytes)
                 : "memory");
}

/* Boxes of one to five dimensions. SIMT_INTS: their parameters; the coordinates' operands follow
 * the three others when loading, the two when storing. */
#define SIMT_BOX(dim, parameters, load_place, store_place, ...)                                    \
    SIMT_DEVICE void cp_async_bulk_tensor_##dim##d_global_to_shared(                               \
        void *to, const CUtensorMap_st *map, SIMT_INTS parameters, simt_barrier &b)                \
    {                                                                                              \
        asm volatile("cp.async.bulk.tensor." #dim                                                  \
                     "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "                 \
                     "[%0], [%1, " load_place                                                      \
                     "], [%2];" ::"r"((unsigned int)__cvta_generic_to_shared(to)),                 \
                     "l"(map), "r"(simt_mbarrier_address(b.simt_word())), __VA_ARGS__              \
                     : "memory");                                                                  \
    }                                                                                              \
    SIMT_DEVICE void cp_async_bulk_tensor_##dim##d_shared_to_global(                               \
        const CUtensorMap_st *map, SIMT_INTS parameters, const void *from)                         \
    {                                                                                              \
        asm volatile("cp.async.bulk.tensor." #dim "d.global.shared::cta.tile.bulk_group "          \
                     "[%0, " store_place "], [%1];" ::"l"(map),                                    \
                     "r"((unsigned int)__cvta_generic_to_shared(from)), __VA_ARGS__                \
                     : "memory");                                                                  \
    }
#define SIMT_INTS(...) __VA_ARGS__
SIMT_BOX(1, (int c0), "{%3}", "{%2}", "r"(c0))
SIMT_BOX(2, (int c0, int c1), "{%3, %4}", "{%2, %3}", "r"(c0), "r"(c1))
SIMT_BOX(3, (int c0, int c1, int c2), "{%3, %4, %5}", "{%2, %3, %4}", "r"(c0), "r"(c1), "r"(c2))
SIMT_BOX(4, (int c0, int c1, int c2, int c3), "{%3, %4, %5, %6}", "{%2, %3, %4, %5}", "r"(c0),
         "r"(c1), "r"(c2), "r"(c3))
SIMT_BOX(5, (int c0, int c1, int c2, int c3, int c4), "{%3, %4, %5, %6, %7}",
         "{%2, %3, %4, %5, %6}", "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4))
#undef SIMT_BOX
#undef SIMT_INTS

} // namespace experimental

/* One thread starts a bulk copy, of a multiple of 16 bytes. */
template <size_t Alignment>
SIMT_DEVICE void memcpy_async_tx(void *to, const void *from, aligned_size_t<Alignment> bytes,
                                 barrier<thread_scope_block> &b)
{
    static_assert(Alignment >= 16, "bulk copies move multiples of 16 bytes");
    experimental::cp_async_bulk_global_to_shared(to, from, (unsigned int)(size_t)bytes, b);
}

} // namespace device
} // namespace cuda

#endif
