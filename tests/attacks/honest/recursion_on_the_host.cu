/* step01-3: calls itself on the host */
static int shares(int n, int threads, int depth)
{
    return depth == 0 ? (n + threads - 1) / threads : shares(n, threads, depth - 1);
}
int blocks_for(int n, int threads) { return shares(n, threads, 100); }
