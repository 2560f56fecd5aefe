/* source.h - the learner's source text: its lines, and what a kernel calls its parameters, which
 * PTX does not know. Files are read once and kept; one that cannot be read has no lines. */
#ifndef SIMT_SOURCE_H
#define SIMT_SOURCE_H

#include "base/base.h"

/* Line `number`, from 1, without its end; "" where there is none. Lives as long as the program. */
const char *source_line(const char *file, unsigned number);
unsigned source_line_count(const char *file);

/* The name of parameter `index` of the kernel, whose plain name ("reduce<float, 256>") is given, as
 * the file spells it; false if the definition is not found there. Text is cut to size. */
bool source_parameter(const char *file, const char *kernel, unsigned index, char *text,
                      size_t size);

/* The whole declaration of that parameter: "const float *in". */
bool source_parameter_text(const char *file, const char *kernel, unsigned index, char *text,
                           size_t size);
/* What the parameter `name` of the kernel's template stands for: of `template <typename T, int N>`
 * and "reduce<float, 256>" T is "float" and N "256". False: there is none of that name. */
bool source_template_argument(const char *file, const char *kernel, const char *name, char *text,
                              size_t size);

/* Is this line a part of the kernel's own definition? false if it is not found in the file. */
bool source_is_in_kernel(const char *file, unsigned line, const char *kernel);

#endif
