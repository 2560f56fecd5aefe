/* main.cu - runs all kernels of this folder, each once. A line for each: its number, its name, a hash of what it left. */
#include "today.h"

int main(void)
{
    allocate();
    run_graphs();
    run_images();
    run_stencils();
    run_sorting();
    run_groups();
    run_copies();
    run_tensors();
    run_numbers();
    run_classes();
    run_launches();
    return 0;
}
