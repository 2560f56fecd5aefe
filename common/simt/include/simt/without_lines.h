/* simt/without_lines.h - from here to simt/with_lines.h, device functions have no debug information
 * of their own: where they are inlined, their instructions carry the line that called them.
 *
 * Included at the head of the functions of a header that programs inline, again and again. */
#ifdef __CUDA__
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
#endif
