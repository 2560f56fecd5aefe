/* crt/host_defines.h - the same words under the path that newer programs use. */
#include "../host_defines.h"
