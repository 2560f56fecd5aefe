/* balance.c - see balance.h. */
#include "time/balance.h"
#include "base/room.h"

#include <math.h>
#include <stdlib.h>

static void sift(double *heap, unsigned count)
{
    unsigned at = 0;
    for (unsigned least = 0;; at = least) {
        for (unsigned child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            least = heap[child] < heap[least] ? child : least;
        }
        if (least == at) {
            return;
        }
        double t = heap[at];
        heap[at] = heap[least];
        heap[least] = t;
    }
}

/* Each block has a place of its own. */
static double balance_of_one_wave(const double *block_work, uint64_t blocks)
{
    double sum = 0, most = 0;
    for (uint64_t i = 0; i < blocks; i++) {
        sum += block_work[i];
        most = fmax(most, block_work[i]);
    }
    const double mean = sum / (double)blocks;
    return mean > 0 && most > mean ? most / mean : 1;
}

double balance_of(const double *block_work, uint64_t blocks, unsigned places)
{
    double sum = 0, most = 0, *heap;
    if (blocks == 0) {
        return 1;
    }
    if (blocks <= places) {
        return balance_of_one_wave(block_work, blocks);
    }
    heap = room_new(places, sizeof *heap);
    for (uint64_t i = 0; i < blocks; i++) {
        sum += block_work[i];
        heap[0] += block_work[i];
        most = heap[0] > most ? heap[0] : most;
        sift(heap, places);
    }
    free(heap);
    const double mean = sum / (double)blocks;
    const double alike = mean * (double)((blocks + places - 1) / places);
    return alike > 0 && most > alike ? most / alike : 1;
}
