/* step01-3: can be run alone, too */
#include <cstdio>
int blocks_for(int n, int threads) { return n / threads + (n % threads > 0); }
int main()
{
    printf("%d\n", blocks_for(1000, 256));
}
