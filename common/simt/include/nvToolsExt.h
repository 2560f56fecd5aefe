/* nvToolsExt.h - the place where CUDA had NVTX before version 3. */
#include "nvtx3/nvToolsExt.h"
