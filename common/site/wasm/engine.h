/* engine.h - what the site's figures ask of the simulator: a launch as a text, what it counted as a
 * text.
 *
 * The same source runs in the page (WebAssembly) and natively, where the tests compare both
 * answers. A request is lines of words; "module" opens what follows it, all others come in any
 * order:
 *
 *     gpu h200                   whose limits hold; default: h200
 *     schedule 7                 another order of warps; default: 0, the usual one
 *     module copies              the text that engine_module() keeps under this name
 *     kernel _Z4copyPfPKf        its mangled name
 *     grid 64 1 1
 *     block 256 1 1
 *     cluster 2 1 1              default: none
 *     cooperative                all blocks are resident together
 *     shared 0                   dynamic bytes of a block; default: 0
 *     buffer in 1024 f32 index   elements, type, fill: zero, ones, index, random (-1 to 1),
 *                                bits (of any value); none: 0xff bytes
 *     argument pointer in 4      the buffer, and bytes behind its beginning
 *     argument u32 12            s32, u32, s64, u64, f32, f64
 *     argument bytes 0a00ff      of any parameter, in hexadecimal
 *     argument struct            zeros, and the fields in the next lines:
 *     field 8 pointer in         bytes behind the struct's beginning, then as for an argument
 *     read out 0 8               after the launch: first element and how many
 *     watch                      lines, accesses and branches, too: slower
 *     trace 0                    and this block step by step
 *     check races                and what SIMT_CHECK=races would name, on stderr
 *
 * The answer is JSON: a record as SIMT_REPORT=FILE.json writes it (report/page/README.md), with
 * "values" for what was read; or one member "error", a line of text. */
#ifndef SITE_ENGINE_H
#define SITE_ENGINE_H

#include <stddef.h>

/* Keeps a PTX text under a name, instead of one that had it. */
void engine_module(const char *name, const char *text, size_t length);
/* The answer is valid until the next call. */
const char *engine_run(const char *request);
/* The GPUs that `gpu` may name, and what their SMs have: JSON. Valid until the next call. */
const char *engine_gpus(void);

#endif
