/* unread.c - see unread.h. */
#include "runtime/unread.h"

#include "base/room.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct unread {
    struct unread *next;
    unsigned thread;
    struct unread_error error;
};

static struct {
    pthread_mutex_t lock;
    struct unread *first;
    atomic_uint threads; /* whose launches have failed */
} errors = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local unsigned own_number; /* 0: no launch of this thread has failed */

static bool is_known(const struct unread_error *e)
{
    for (const struct unread *u = errors.first; u != NULL; u = u->next) {
        if (u->thread == own_number && u->error.site == e->site) {
            return true;
        }
    }
    return false;
}

void unread_add(const struct unread_error *e)
{
    own_number = own_number != 0 ? own_number : atomic_fetch_add(&errors.threads, 1) + 1;
    pthread_mutex_lock(&errors.lock);
    if (!is_known(e)) {
        struct unread *u = room_new(1, sizeof *u);
        *u = (struct unread){errors.first, own_number, *e};
        errors.first = u;
    }
    pthread_mutex_unlock(&errors.lock);
}

void unread_are_read(void)
{
    if (own_number == 0) {
        return;
    }
    pthread_mutex_lock(&errors.lock);
    for (struct unread **at = &errors.first; *at != NULL;) {
        struct unread *u = *at;
        if (u->thread == own_number) {
            *at = u->next;
            free(u);
        } else {
            at = &u->next;
        }
    }
    pthread_mutex_unlock(&errors.lock);
}

void unread_visit(void (*visit)(const struct unread_error *e))
{
    pthread_mutex_lock(&errors.lock);
    for (const struct unread *u = errors.first; u != NULL; u = u->next) {
        visit(&u->error);
    }
    pthread_mutex_unlock(&errors.lock);
}
