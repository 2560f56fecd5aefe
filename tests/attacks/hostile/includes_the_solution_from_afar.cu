/* step01-1: lets the solution be compiled */
#include "/proc/self/cwd/common/answers/step01_naive/01_index.cu"
#include "../../../../../../../../common/answers/step01_naive/01_index.cu"
