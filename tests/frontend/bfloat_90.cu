/* flags: -arch=sm_90 */
/* bfloat16 where PTX has all of it. */
#include "bfloat.h"
