/* assigned.h - which variable a statement of the source gives a value, and by which operation.
 *
 * nvcc's PTX names for each instruction the statement that it comes from. Where a statement assigns
 * to a scalar of a known type and its expression has one operation of a kind, an instruction of
 * that statement, kind and type computes the variable. Everything else is not understood. */
#ifndef SIMT_ASSIGNED_H
#define SIMT_ASSIGNED_H

#include "base/base.h"

enum assigned_kind { ASSIGNED_SUM, ASSIGNED_PRODUCT, ASSIGNED_LOAD };

struct assigned {
    char name[64];
    bool is_float;
    unsigned bytes; /* of the variable's type */
    enum assigned_kind kind;
};

/* The statement that begins at a column, from 1; false: it is not understood. */
bool assigned_read(const char *file, unsigned line, unsigned column, struct assigned *a);

/* Is the variable that is called so at a line a number of one of the known types, and no pointer?
 */
bool assigned_is_scalar(const char *file, unsigned line, const char *name, bool *is_unsigned);

/* Does a line in front of it name the variable behind `half`, `half2` or `bfloat16`? */
bool assigned_is_half(const char *file, unsigned line, const char *name);

#endif
