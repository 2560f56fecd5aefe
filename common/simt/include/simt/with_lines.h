/* simt/with_lines.h - the end of what simt/without_lines.h has begun. */
#ifdef __CUDA__
#pragma pop_macro("__device__")
#endif
