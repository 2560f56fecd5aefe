/* bits/basic_string.h - libstdc++'s file of that name, read without CUDA's __noinline__ macro:
 * from version 13 on it writes __attribute__((__noinline__)). */
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/basic_string.h>
#pragma pop_macro("__noinline__")
