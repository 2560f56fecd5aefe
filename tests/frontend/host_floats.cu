/* The host's arithmetic is the same through both compilers: products and sums are not joined to one rounding. */
#include <cstdio>

int main()
{
    float a[16];
    for (int i = 0; i < 16; i++)
        a[i] = (float)i * 7.3f - 100;
    for (int i = 0; i < 16; i++)
        printf("%.9g\n", a[i]);
    return 0;
}
