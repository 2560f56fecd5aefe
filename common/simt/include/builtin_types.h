/* builtin_types.h - the types of the runtime. */
#ifndef SIMT_BUILTIN_TYPES_H
#define SIMT_BUILTIN_TYPES_H

#include "driver_types.h"

#endif
