/* join_mention.c - where the names of a segment are mentioned: what writes one, what reads it, and
 * between which instructions. */
#include "ptx/joiner.h"

#include <stdlib.h>

void join_mention(struct segment *s, const struct ptx_operand *o, unsigned insn, bool write)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        join_mention(s, &o->items[i], insn, write);
    }
    if (o->name != NULL) {
        s->mentions = arena_grow(&s->scratch, s->mentions, s->mention_count, &s->mention_capacity,
                                 sizeof *s->mentions);
        s->mentions[s->mention_count++] = (struct mention){
            .name = o->name, .insn = insn, .write = write && o->kind != PTX_OPERAND_MEMORY};
    }
}

static int by_name(const void *left, const void *right)
{
    const struct mention *a = left, *b = right;
    if (a->name != b->name) {
        return a->name < b->name ? -1 : 1;
    }
    if (a->insn != b->insn) {
        return a->insn < b->insn ? -1 : 1;
    }
    return a->write - b->write;
}

void join_sort_mentions(struct segment *s)
{
    qsort(s->mentions, s->mention_count, sizeof *s->mentions, by_name);
    for (unsigned i = 1; i < s->mention_count; i++) {
        struct mention *m = &s->mentions[i];
        m->version = m->name == m[-1].name ? m[-1].version + m[-1].write : 0;
    }
}

/* Index of the first mention of the name at instruction `from` or behind it. */
static unsigned first_mention(const struct segment *s, const char *name, unsigned from)
{
    unsigned low = 0, high = s->mention_count;
    const struct mention wanted = {.name = name, .insn = from};
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (by_name(&s->mentions[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

unsigned join_version_at(const struct segment *s, const char *name, unsigned insn)
{
    unsigned at = first_mention(s, name, insn);
    if (at < s->mention_count && s->mentions[at].name == name) {
        return s->mentions[at].version;
    }
    const struct mention *last = at > 0 ? &s->mentions[at - 1] : NULL;
    return last != NULL && last->name == name ? last->version + last->write : 0;
}

bool join_is_touched(const struct segment *s, const struct ptx_operand *o, unsigned from,
                     unsigned to, bool reads)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        if (join_is_touched(s, &o->items[i], from, to, reads)) {
            return true;
        }
    }
    for (unsigned i = o->name != NULL ? first_mention(s, o->name, from) : s->mention_count;
         i < s->mention_count && s->mentions[i].name == o->name && s->mentions[i].insn < to; i++) {
        if (reads || s->mentions[i].write) {
            return true;
        }
    }
    return false;
}
