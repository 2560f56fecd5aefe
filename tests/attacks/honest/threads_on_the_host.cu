/* step01-3: starts a thread */
#include <thread>
int blocks_for(int n, int threads)
{
    int blocks = 0;
    std::thread t([&] { blocks = (n + threads - 1) / threads; });
    t.join();
    return blocks;
}
