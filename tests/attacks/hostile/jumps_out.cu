/* step01-3: jumps to where it was before */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <csetjmp>
static jmp_buf begin;
static int c = setjmp(begin);
int blocks_for(int n, int threads)
{
    longjmp(begin, 1);
}
