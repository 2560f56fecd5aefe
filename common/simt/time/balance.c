/* balance.c - see balance.h. */
#include "time/balance.h"
#include "base/room.h"

#include <math.h>
#include <stdlib.h>

/* The one that has least stands at the top; that at `at` has just been given more. */
static void sift(double *heap, unsigned count, unsigned at)
{
    for (unsigned least = at;; at = least) {
        for (unsigned child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            least = heap[child] < heap[least] ? child : least;
        }
        if (least == at) {
            return;
        }
        const double t = heap[at];
        heap[at] = heap[least];
        heap[least] = t;
    }
}

/* The first blocks go to the owners in turn, each other one to the owner that has least. What the
 * one has then that has most, of what it would have if all blocks were alike. */
static double most_of(const double *block_work, uint64_t blocks, unsigned owners, uint64_t in_turn)
{
    double *heap = room_new(owners, sizeof *heap), sum = 0, most = 0;
    for (uint64_t i = 0; i < blocks; i++) {
        double *next = &heap[i < in_turn ? i % owners : 0];
        sum += block_work[i];
        *next += block_work[i];
        most = fmax(most, *next);
        for (unsigned at = i + 1 == in_turn ? owners : i >= in_turn; at-- > 0;) {
            sift(heap, owners, at);
        }
    }
    free(heap);
    const double alike = blocks > 0 ? sum / (double)blocks * ceil((double)blocks / owners) : 0;
    return alike > 0 && most > alike ? most / alike : 1;
}

struct balance balance_of(const double *block_work, uint64_t blocks, unsigned sms, unsigned each)
{
    const unsigned places = sms * each;
    return (struct balance){most_of(block_work, blocks, places, places),
                            most_of(block_work, blocks, sms, places)};
}
