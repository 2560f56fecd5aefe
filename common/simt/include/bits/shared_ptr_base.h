/* bits/shared_ptr_base.h - libstdc++'s file of that name, read without CUDA's __noinline__ macro:
 * it writes __attribute__((__noinline__)). */
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
