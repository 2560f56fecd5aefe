/* bfloat16 on GPUs from sm_80 on, for which a program is compiled without -arch. */
#include "bfloat.h"
