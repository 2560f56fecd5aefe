/* step01-3: prints, and asks its environment */
#include <cstdio>
#include <cstdlib>
#include <iostream>
int blocks_for(int n, int threads)
{
    const char *home = getenv("HOME");
    std::cout << "n = " << n << " at " << (home ? home : "?") << std::endl;
    fprintf(stderr, "threads = %d\n", threads);
    return (n + threads - 1) / threads;
}
