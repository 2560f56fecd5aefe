/* lines.c - see lines.h. */
#include "watch/lines.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

void lines_add_site(const struct site_info *info, const struct site *s, uint32_t count,
                    struct simt_counters *c)
{
    switch (info->kind) {
    case SITE_BLOCK:
        c->instructions += s->a * count;
        c->thread_instructions += s->b * count;
        break;
    case SITE_BRANCH:
        c->branches += s->a;
        c->divergent_branches += s->b;
        break;
    case SITE_BARRIER:
        c->barriers += s->a;
        break;
    case SITE_GLOBAL_LOAD:
        c->global_load_requests += s->a;
        c->global_load_sectors += s->b;
        break;
    case SITE_GLOBAL_STORE:
        c->global_store_requests += s->a;
        c->global_store_sectors += s->b;
        break;
    case SITE_GLOBAL_RED:
        c->global_red_requests += s->a;
        c->global_red_sectors += s->b;
        break;
    case SITE_GLOBAL_ATOM:
        c->global_atom_requests += s->a;
        c->global_atom_sectors += s->b;
        break;
    case SITE_SHARED_LOAD:
        c->shared_load_wavefronts += s->b;
        c->shared_load_conflicts += s->c;
        break;
    case SITE_SHARED_STORE:
        c->shared_store_wavefronts += s->b;
        c->shared_store_conflicts += s->c;
        break;
    case SITE_SHARED_ATOM:
        c->shared_atom_wavefronts += s->b;
        c->shared_atom_conflicts += s->c;
        break;
    case SITE_HMMA:
        c->tensor_hmma += s->a;
        c->tensor_gmma += s->b;
        break;
    case SITE_IMMA:
        c->tensor_imma += s->a;
        c->tensor_gmma += s->b;
        break;
    case SITE_DMMA:
        c->tensor_dmma += s->a;
        break;
    case SITE_COPY:
        c->copy_requests += s->a;
        c->copy_sectors += s->b;
        break;
    case SITE_COPY_BANKS:
        c->copy_wavefronts += s->b;
        c->copy_conflicts += s->c;
        break;
    case SITE_BULK:
        c->bulk_copies += s->a;
        break;
    case SITE_BULK_LOAD:
        c->bulk_copies += s->a;
        c->bulk_load_sectors += s->b;
        break;
    case SITE_BULK_STORE:
        c->bulk_copies += s->a;
        c->bulk_store_sectors += s->b;
        break;
    case SITE_BULK_RED:
        c->bulk_copies += s->a;
        c->bulk_red_sectors += s->b;
        break;
    case SITE_CLUSTER_LOAD:
        c->cluster_load_requests += s->a;
        c->cluster_load_sectors += s->b;
        break;
    case SITE_CLUSTER_STORE:
        c->cluster_store_requests += s->a;
        c->cluster_store_sectors += s->b;
        break;
    case SITE_CLUSTER_ATOM:
        c->cluster_atom_requests += s->a;
        c->cluster_atom_sectors += s->b;
        break;
    case SITE_UNCOUNTED:
        break;
    }
}

struct line_table {
    const struct kernel *k;
    struct simt_line *lines;
    unsigned count, capacity, last; /* last: where the previous one was found */
};

static struct simt_line *line_of(struct line_table *t, const struct ptx_insn *origin)
{
    const struct ptx_loc *loc = ptx_user_line(t->k->module, origin->loc);
    const struct ptx_module *m = t->k->module;
    const char *file = loc->line != 0 && loc->file < m->file_count ? m->files[loc->file] : NULL;
    for (unsigned i = 0; i < t->count; i++) {
        unsigned at = (t->last + i) % t->count;
        if (t->lines[at].file == file && t->lines[at].line == loc->line) {
            t->last = at;
            return &t->lines[at];
        }
    }
    ROOM_FOR_ONE(t->lines, t->count, t->capacity, 64);
    t->last = t->count;
    t->lines[t->count] = (struct simt_line){.file = file, .line = loc->line};
    return &t->lines[t->count++];
}

/* A block's executions belong to each of its PTX instructions; several code entries may come from
 * one of them. */
static void add_block(struct line_table *t, const struct site_info *info, const struct site *s)
{
    const struct kernel *k = t->k;
    for (uint32_t i = 0; i < info->count; i++) {
        lines_add_site(info, s, 1, &line_of(t, kernel_block_insn(k, info->insn, i))->counters);
    }
}

static int by_place(const void *left, const void *right)
{
    const struct simt_line *a = left, *b = right;
    if (a->file != b->file) {
        int order = strcmp(a->file != NULL ? a->file : "", b->file != NULL ? b->file : "");
        if (order != 0) {
            return order;
        }
    }
    return a->line < b->line ? -1 : a->line > b->line;
}

void lines_visit(const struct kernel *k, const struct site *sites,
                 void (*visit)(void *state, const struct simt_line *line), void *state)
{
    struct line_table t = {.k = k};
    for (unsigned i = 0; i < k->site_count; i++) {
        const struct site_info *info = &k->sites[i];
        if ((sites[i].a | sites[i].b | sites[i].c) == 0) {
            continue;
        }
        if (info->kind == SITE_BLOCK) {
            add_block(&t, info, &sites[i]);
        } else if (k->origin[info->insn] != NULL) {
            lines_add_site(info, &sites[i], 0, &line_of(&t, k->origin[info->insn])->counters);
        }
    }
    if (t.count > 0) { /* a kernel that has not run has none */
        qsort(t.lines, t.count, sizeof *t.lines, by_place);
    }
    for (unsigned i = 0; i < t.count; i++) {
        visit(state, &t.lines[i]);
    }
    free(t.lines);
}
