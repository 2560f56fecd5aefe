/* Why: a remainder of 1 to threads - 1 needs one block more. Adding threads - 1 before the division
 * carries each of these over to the next whole number, and a remainder of 0 over nothing. */

int blocks_for(int n, int threads)
{
    return (n + threads - 1) / threads;
}
