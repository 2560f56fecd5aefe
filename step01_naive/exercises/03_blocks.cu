/* 03 blocks: how many does it take?                                     [fill]
 *
 * Given:  n elements, one thread for each, blocks of `threads` threads
 * Wanted: the least number of blocks that has a thread for every element
 *
 *     n = 1000, threads = 256:  |256|256|256|232|    4 blocks
 *     n = 1024, threads = 256:  |256|256|256|256|    4 blocks
 *     n = 1025, threads = 256:  |256|256|256|256|1|  5 blocks
 *     n = 0                                          0 blocks
 */
int blocks_for(int n, int threads)
{
    return n / threads; // YOURS: rounds down
}
