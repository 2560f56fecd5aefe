/* main.cu - runs all kernels of this folder, each once. */
#include "strangers.h"

int main(void)
{
    allocate();
    run_structs();
    run_switches();
    run_narrow();
    run_pointers();
    run_functions();
    run_loops();
    run_merged();
    run_drawn();
    return 0;
}
