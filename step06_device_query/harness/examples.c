/* examples.c - worked examples on the textbook SM: 1536 threads, 8 blocks, 16,384 registers,
 * 16 KB of shared memory, handed out one by one (see examples.h). */
#include "step06_device_query/harness/examples.h"

#include <stdio.h>
#include <string.h>

#include "step06_device_query/harness/occupancy_table.h"

static const struct example {
    unsigned block, registers, shared_bytes;
    unsigned blocks, threads, limiters; /* stated; the program computes them anew */
    const char *why;
} examples[] = {
    {512, 0, 0, 3, 1536, LIMITER_THREADS, "1536 / 512 = 3 blocks fill all thread slots"},
    {256, 0, 0, 6, 1536, LIMITER_THREADS, "1536 / 256 = 6 blocks fill all thread slots"},
    {128, 0, 0, 8, 1024, LIMITER_BLOCKS,
     "1536 / 128 = 12 blocks wanted, 8 block slots: a third of the thread slots stays empty"},
    {192, 0, 0, 8, 1536, LIMITER_THREADS | LIMITER_BLOCKS,
     "8 x 192 = 1536 fills both kinds of slot. Often told wrong: that a block needs at least 256 "
     "threads to fill this SM. 192 do"},
    {256, 10, 0, 6, 1536, LIMITER_THREADS | LIMITER_REGISTERS,
     "16 x 16 threads x 10 = 2,560 a block; 6 blocks take 15,360 of 16,384, 7 would need 17,920"},
    {256, 11, 0, 5, 1280, LIMITER_REGISTERS,
     "one register more: 2,816 a block, 6 blocks would need 16,896. The cliff: -1/6 of the "
     "threads"},
    {256, 12, 0, 5, 1280, LIMITER_REGISTERS,
     "3,072 a block, 6 blocks would need 18,432: the textbook's two extra variables, same cliff"},
    {512, 10, 0, 3, 1536, LIMITER_THREADS | LIMITER_REGISTERS,
     "16,384 / 1536 = 10 whole registers for each thread of a full SM"},
    {512, 11, 0, 2, 1024, LIMITER_REGISTERS,
     "5,632 a block, 3 would need 16,896: larger blocks fall further, -1/3 of the threads"},
    {64, 0, 2048, 8, 512, LIMITER_BLOCKS | LIMITER_SHARED,
     "2 KB a block: 16 / 2 = 8 blocks, as many as there are slots"},
    {64, 0, 5120, 3, 192, LIMITER_SHARED, "5 KB a block: only 3 blocks, 1 KB left over"},
    {256, 0, 2048, 6, 1536, LIMITER_THREADS,
     "tiled matmul, TILE 16: two tiles of 16 x 16 floats; threads allow 6 blocks, 12 KB are used"},
};

enum { EXAMPLE_COUNT = sizeof examples / sizeof examples[0] };

bool examples_compute(struct table *t)
{
    const struct gpu_limits *g = gpu_limits_find("textbook");
    bool right = true;
    for (size_t i = 0; i < EXAMPLE_COUNT; i++) {
        const struct example *e = &examples[i];
        struct occupancy_request request = {e->block, e->registers, 0, e->shared_bytes};
        struct occupancy o;
        occupancy_compute(g, &request, &o);
        occupancy_table_add(t, g, &request, &o, NULL, 0);
        if (o.blocks_per_sm == e->blocks && o.threads_per_sm == e->threads &&
            o.limiters == e->limiters)
            continue;
        fprintf(stderr,
                "example %zu: computed %u blocks, %u threads; stated %u blocks, %u threads\n",
                i + 1, o.blocks_per_sm, o.threads_per_sm, e->blocks, e->threads);
        right = false;
    }
    return right;
}

/* "12  text." in lines of 78 characters. */
static void print_wrapped(size_t number, const char *text)
{
    enum { WIDTH = 78, INDENT = 4 };
    size_t column = INDENT;
    printf("%2zu  ", number);
    while (*text) {
        const size_t blank = strspn(text, " "), word = strcspn(text + blank, " ");
        if (column + blank + word > WIDTH) {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        } else {
            printf("%*s", (int)blank, "");
            column += blank;
        }
        printf("%.*s", (int)word, text + blank);
        column += word;
        text += blank + word;
    }
    printf(".\n");
}

void examples_explain(void)
{
    for (size_t i = 0; i < EXAMPLE_COUNT; i++)
        print_wrapped(i + 1, examples[i].why);
}
