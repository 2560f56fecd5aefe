/* parse_loc.c - source lines: `.file 1 "x.cu"` and `.loc 1 30 3`, the latter also as
 * `.loc 2 440 9, function_name $L__info_string0, inlined_at 1 30 3`.
 *
 * inlined_at names a call site by its numbers alone. If the last .loc with these numbers in the
 * same function was itself inlined somewhere, that is where the chain goes on. */
#include "ptx/join.h"
#include "ptx/parser.h"

#include <string.h>

/* A byte in three octal digits. */
static bool is_octal(const char *digits)
{
    return digits[0] >= '0' && digits[0] <= '3' && digits[1] >= '0' && digits[1] <= '7' &&
           digits[2] >= '0' && digits[2] <= '7';
}

static char octal(const char *digits)
{
    return (char)((digits[0] - '0') << 6 | (digits[1] - '0') << 3 | (digits[2] - '0'));
}

static bool parse_text(struct parser *p, const char **text)
{
    if (p->token.kind != TOKEN_STRING) {
        return parse_expected(p, "a string in quotes");
    }
    char *copy = lex_pool_alloc(&p->pool, p->token.length + 1);
    size_t length = 0;
    for (size_t i = 0; i < p->token.length; i++) {
        char c = p->token.start[i];
        bool escape = c == '\\' && i + 1 < p->token.length;
        char next = escape ? p->token.start[i + 1] : '\0';
        if (escape && i + 3 < p->token.length && is_octal(p->token.start + i + 1)) {
            copy[length++] = octal(p->token.start + i + 1); /* nvcc writes bytes beyond ASCII so */
            i += 3;
        } else {
            copy[length++] = escape && (next == '\\' || next == '"') ? p->token.start[++i] : c;
        }
    }
    *text = copy;
    parse_advance(p);
    return true;
}

bool parse_file(struct parser *p)
{
    uint64_t number, ignored;
    const char *text = NULL;
    if (!parse_count(p, MAX_FILES - 1, "the number of .file", &number) || !parse_text(p, &text)) {
        return false;
    }
    while (parse_accept(p, ',')) { /* time stamp, size */
        if (!parse_count(p, UINT64_MAX, "the time stamp or size of .file", &ignored)) {
            return false;
        }
    }
    number += p->first_file;
    while (p->files.count <= number) {
        *PUSH(p, files) = NULL;
    }
    p->files.items[number] = text;
    return true;
}

static bool parse_position(struct parser *p, struct ptx_loc *loc)
{
    uint64_t file, line, column;
    if (!parse_count(p, MAX_FILES - 1, "the file number of .loc", &file) ||
        !parse_count(p, UINT32_MAX, "the line of .loc", &line) ||
        !parse_count(p, UINT32_MAX, "the column of .loc", &column)) {
        return false;
    }
    *loc = (struct ptx_loc){
        .file = p->first_file + (unsigned)file, .line = (unsigned)line, .column = (unsigned)column};
    if (p->tells_alignment) {
        join_read_alignment(loc);
    }
    return true;
}

/* The slot of the call site with loc's numbers: where it is, or where it would go. */
static struct inline_site *site_of(const struct parser *p, const struct ptx_loc *loc)
{
    uint32_t hash = (loc->file * 31 + loc->line) * 2654435761u + loc->column * 40503u;
    unsigned at = (hash ^ hash >> 16) & (p->site_capacity - 1);
    for (;; at = (at + 1) & (p->site_capacity - 1)) {
        struct inline_site *site = &p->sites[at];
        if (site->loc == NULL || (site->loc->file == loc->file && site->loc->line == loc->line &&
                                  site->loc->column == loc->column)) {
            return site;
        }
    }
}

static void grow_sites(struct parser *p)
{
    struct inline_site *old = p->sites;
    unsigned old_capacity = p->site_capacity;
    p->site_capacity = old_capacity == 0 ? 256 : old_capacity * 2;
    p->sites = arena_alloc(&p->scratch, p->site_capacity * sizeof *p->sites);
    for (unsigned i = 0; i < old_capacity; i++) {
        if (old[i].loc != NULL) {
            *site_of(p, old[i].loc) = old[i];
        }
    }
}

static void remember(struct parser *p, const struct ptx_loc *loc, unsigned depth)
{
    if (p->site_count * 2 >= p->site_capacity) {
        grow_sites(p);
    }
    struct inline_site *site = site_of(p, loc);
    p->site_count += site->loc == NULL;
    *site = (struct inline_site){loc, p->func_serial, depth};
}

static const struct ptx_loc *keep_loc(struct parser *p, struct ptx_loc loc)
{
    struct ptx_loc *kept = lex_pool_alloc(&p->pool, sizeof *kept);
    *kept = loc;
    return kept;
}

/* `, function_name label+8, inlined_at 1 30 3`, in any order */
static bool parse_inlining(struct parser *p, struct ptx_loc *loc, unsigned *depth)
{
    struct ptx_loc caller;
    struct symbol *word;
    uint64_t ignored;
    while (parse_accept(p, ',')) {
        if (p->token.kind != TOKEN_NAME) {
            return parse_expected(p, "function_name or inlined_at");
        }
        word = p->token.symbol;
        if (word->keyword == KEY_FUNCTION_NAME) {
            parse_advance(p);
            if (!parse_name(p, &word) || !parse_offset(p, &ignored)) {
                return false;
            }
            continue;
        }
        if (word->keyword != KEY_INLINED_AT) {
            return parse_expected(p, "function_name or inlined_at");
        }
        parse_advance(p);
        if (!parse_position(p, &caller)) {
            return false;
        }
        const struct inline_site *site = p->site_capacity == 0 ? NULL : site_of(p, &caller);
        bool known = site != NULL && site->loc != NULL && site->func_serial == p->func_serial &&
                     site->depth < MAX_INLINE_DEPTH;
        loc->inlined_at = known ? site->loc : keep_loc(p, caller);
        *depth = known ? site->depth + 1 : 1;
    }
    return true;
}

bool parse_loc(struct parser *p)
{
    struct ptx_loc loc;
    unsigned depth = 0;
    if (!parse_position(p, &loc) || !parse_inlining(p, &loc, &depth)) {
        return false;
    }
    p->loc = keep_loc(p, loc);
    remember(p, p->loc, depth);
    return true;
}
