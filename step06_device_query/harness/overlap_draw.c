/* overlap_draw.c - see overlap.h: no CUDA in here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step06_device_query/harness/overlap.h"

enum { ACROSS = 60 };

static double later(double a, double b) { return a > b ? a : b; }

double overlap_schedule(struct overlap_step *steps, int count, const double ms[OVERLAP_KINDS])
{
    double engine_free[OVERLAP_KINDS] = {0}, stream_free[OVERLAP_PARTS_MAX] = {0}, end = 0.0;
    for (int i = 0; i < count; i++) {
        struct overlap_step *s = &steps[i];
        s->start_ms = later(engine_free[s->kind], stream_free[s->stream]);
        s->end_ms = s->start_ms + ms[s->kind];
        engine_free[s->kind] = stream_free[s->stream] = s->end_ms;
        end = later(end, s->end_ms);
    }
    return end;
}

void overlap_draw(const struct overlap_step *steps, int count)
{
    static const char *const names[] = {"copies there", "kernels", "copies back"};
    char line[OVERLAP_KINDS][ACROSS + 1];
    double end = 0.0;
    for (int i = 0; i < count; i++)
        end = later(end, steps[i].end_ms);
    for (int k = 0; k < OVERLAP_KINDS; k++) {
        memset(line[k], '.', ACROSS);
        line[k][ACROSS] = '\0';
    }
    for (int i = 0; i < count && end > 0.0; i++) {
        const int from = (int)(steps[i].start_ms / end * ACROSS + 0.5);
        const int to = (int)(steps[i].end_ms / end * ACROSS + 0.5);
        for (int at = from; at < to; at++)
            line[steps[i].kind][at] =
                (char)(steps[i].part < 10 ? '0' + steps[i].part : 'a' + steps[i].part - 10);
    }
    for (int k = 0; k < OVERLAP_KINDS; k++)
        printf("  %-12s |%s|\n", names[k], line[k]);
}
