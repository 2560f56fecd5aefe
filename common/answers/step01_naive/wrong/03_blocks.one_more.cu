/* One block too many where n is a multiple; the guard hides it.
 * rejected: wrong result */
int blocks_for(int n, int threads)
{
    return n / threads + 1;
}
