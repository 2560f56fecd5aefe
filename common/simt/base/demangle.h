/* demangle.h - what kernels and variables are called in C++. Slow. A name that is not
 * mangled, or a machine without libstdc++, gives the name as it is. */
#ifndef SIMT_DEMANGLE_H
#define SIMT_DEMANGLE_H

#include <stddef.h>

/* "_Z6reduceIfLi256EEvPT_i" -> "void reduce<float, 256>(float*, int)" */
void demangle_signature(const char *mangled, char *text, size_t size);
/* The same without result and arguments: "reduce<float, 256>". */
void demangle_name(const char *mangled, char *text, size_t size);
/* What the program wrote in its declaration: "_ZZ6kernelPfE4tile" -> "tile". */
void demangle_last_name(const char *mangled, char *text, size_t size);

#endif
