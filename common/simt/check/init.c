/* init.c - see init.h. */
#include "check/init.h"
#include "base/room.h"

#include "check/init_registers.h"

#include "exec/exec.h"
#include "exec/exec_observed.h"
#include "ir/ops.h"

#include <stdlib.h>
#include <string.h>

void init_block_free(struct checked_block *own)
{
    if (own->marks != NULL) {
        free(own->marks->of);
        free(own->marks->used);
        free(own->marks);
        own->marks = NULL;
    }
}

/* What names a byte of local memory among those of other spaces: thread after thread. */
static uint64_t local_base(unsigned slot) { return UINT64_C(3) << 61 | (uint64_t)slot << 40; }

void init_block_begin(struct checked_block *own, struct block *b, unsigned slot)
{
    const size_t stride = b->kernel->recursive ? 0 : b->stack_limit / 4u + 1;
    const size_t room = stride * b->warp_count;
    if (own->marks == NULL || own->marks->room < room) {
        init_block_free(own);
        own->marks = room_new(1, sizeof *own->marks);
        own->marks->of = room_new(room, sizeof(struct mark));
        own->marks->room = room;
    }
    marks_forget(own->marks);
    if (own->worker->block_count == 1) { /* no other block has marks that are to be passed on */
        observed_kernel_steps(b->kernel, false);
    }
    own->marks->stride = stride;
    for (unsigned i = 0; own->worker->check->has_undefined && i < b->warp_count; i++) {
        marks_follow(own->marks, &b->warps[i]);
    }
    own->shared_has_values = false;
    own->barriers = 0;
    own->local_base = local_base(slot);
    local_values_begin(&own->local, b);
}

/* ---- telling --------------------------------------------------------------------------------- */

static void tell(struct check *c, struct warp *w, uint32_t pc, const struct mark *m,
                 lane_mask lanes, enum init_use use)
{
    check_report_init(c, w,
                      &(struct init_report){.load_pc = m->pc == NO_PC ? pc : m->pc,
                                            .use_pc = pc,
                                            .use = use,
                                            .space = m->space,
                                            .address = m->address,
                                            .lane = first_lane(lanes)});
}

static void judge(struct check *c, struct warp *w, uint32_t pc, struct mark m, lane_mask lanes,
                  enum init_use use)
{
    lane_mask bad = (m.copied | m.certain) & lanes;
    if (bad != 0 && (m.space != INIT_FOREIGN || use == INIT_ADDRESS)) {
        tell(c, w, pc, &m, bad, use);
    }
}

/* ---- an instruction -------------------------------------------------------------------------- */

static struct mark selected(const struct marks *m, const struct warp *w, const struct insn *in)
{
    lane_mask p = read_predicate(w, in->c, in->flags & INSN_C_NEGATED);
    struct mark a = marks_get(m, w, in->a), b = marks_get(m, w, in->b),
                sum = marks_get(m, w, in->c);
    a.copied &= p;
    a.certain &= p;
    b.copied &= ~p;
    b.certain &= ~p;
    sum.certain |= sum.copied;
    marks_add(&sum, (a.copied | a.certain) != 0 ? a : b);
    sum.copied |= b.copied;
    sum.certain |= b.certain;
    return sum;
}

/* Of two predicates, one may settle what comes out whatever the other is. */
static struct mark settled(const struct marks *m, const struct warp *w, const struct insn *in,
                           bool is_or)
{
    struct mark a = marks_get(m, w, in->a), b = marks_get(m, w, in->b), sum = a;
    lane_mask pa = read_predicate(w, in->a, in->flags & INSN_A_NEGATED);
    lane_mask pb = read_predicate(w, in->b, in->flags & INSN_B_NEGATED);
    lane_mask known = (~(a.copied | a.certain) & (is_or ? pa : ~pa)) |
                      (~(b.copied | b.certain) & (is_or ? pb : ~pb));
    marks_add(&sum, b);
    sum.copied &= ~known;
    sum.certain &= ~known;
    return sum;
}

/* Parts of a wider value: what has no value among others that have one may be padding. */
static struct mark joined(const struct marks *m, const struct warp *w, const struct insn *in)
{
    const uint32_t parts[] = {in->a, in->b, in->c, in->e};
    struct mark sum = marks_of_sources(m, w, in);
    for (unsigned i = 0; sum.certain != 0 && i < ARRAY_LENGTH(parts); i++) {
        const struct mark part = marks_get(m, w, parts[i]);
        const bool counts = parts[i] != NO_REF && (parts[i] & 3u) == REF_FRAME;
        const lane_mask given = counts ? ~(part.copied | part.certain) : 0;
        sum.copied |= sum.certain & given;
        sum.certain &= ~given;
    }
    return sum;
}

/* A value goes to other lanes, and so does what is known of it. */
static struct mark shuffled(const struct marks *m, const struct warp *w, const struct insn *in)
{
    struct mark from = marks_get(m, w, in->a), to = from;
    to.copied = to.certain = 0;
    for (unsigned i = 0; (from.copied | from.certain) != 0 && i < WARP_LANES; i++) {
        unsigned source = exec_shuffle_source(w, in, i);
        to.copied |= (from.copied >> source & 1u) << i;
        to.certain |= (from.certain >> source & 1u) << i;
    }
    return to;
}

void init_shuffle(struct check *c, struct checked_block *own, struct warp *w, uint32_t pc,
                  lane_mask lanes)
{
    const struct insn *in = &w->block->kernel->code[pc];
    if (w->launched == FULL_MASK || c->infos[pc].marks != MARKS_SHUFFLE || in->d == in->b) {
        return;
    }
    for (lane_mask left = lanes & w->launched; left != 0; left &= left - 1) {
        unsigned lane = first_lane(left), source = exec_shuffle_source(w, in, lane);
        if (!(w->launched >> source & 1u)) {
            marks_set(own->marks, w, in->d, 1u << lane,
                      (struct mark){
                          .certain = 1u << lane, .pc = pc, .address = source, .space = INIT_LANE});
        }
    }
}

/* What it returns or is given is followed into no other function's registers, so it is reported
 * here.
 */
static void give(struct check *c, const struct marks *m, struct warp *w, uint32_t pc,
                 lane_mask lanes)
{
    const struct insn *in = &w->block->kernel->code[pc];
    for (unsigned i = 0; i < in->elements; i++) {
        struct mark value = marks_get(m, w, in->element[i]);
        value.copied = 0;
        judge(c, w, pc, value, lanes, INIT_CALL);
    }
}

/* What comes out of an unpacking move or a load, all registers of it. */
static void mark_elements(struct marks *m, const struct warp *w, const struct insn *in,
                          lane_mask lanes, struct mark mark)
{
    for (unsigned i = 0; i < ARRAY_LENGTH(in->element); i++) {
        marks_set(m, w, in->element[i], lanes, mark);
    }
}

/* A product of matrices: every element of the result has been given something by every lane. */
static void multiplied(struct marks *m, const struct warp *w, const struct matrix_multiply *product,
                       lane_mask lanes)
{
    struct mark sum = {0};
    for (unsigned p = 0; p < product->part_count; p++) {
        const struct matrix_part *part = &product->parts[p];
        for (unsigned i = 0; i < product->a_count; i++) {
            marks_add(&sum, marks_get(m, w, part->a[i]));
        }
        for (unsigned i = 0; i < product->b_count; i++) {
            marks_add(&sum, marks_get(m, w, part->b[i]));
        }
        for (unsigned i = 0; i < product->c_count; i++) {
            marks_add(&sum, marks_get(m, w, part->c[i]));
        }
    }
    sum.certain = ((sum.certain | sum.copied) & lanes) != 0 ? lanes : 0;
    sum.copied = 0;
    for (unsigned p = 0; p < product->part_count; p++) {
        for (unsigned i = 0; i < product->d_count; i++) {
            marks_set(m, w, product->parts[p].d[i], lanes, sum);
        }
    }
}

/* A product of matrices of which one at least lies in shared memory: accumulators keep what they
 * lack where they are added to, and are new where not. */
static void accumulated(struct marks *m, const struct warp *w, const struct warpgroup_multiply *g,
                        lane_mask lanes)
{
    lanes &= ~read_predicate(w, g->scale_d, g->scale_d_negated);
    for (unsigned i = 0; i < g->d_count; i++) {
        marks_set(m, w, g->d_registers[i], lanes, (struct mark){0});
    }
}

static void pass_on(struct check *c, struct marks *m, struct warp *w, uint32_t pc, lane_mask lanes)
{
    const struct insn *in = &w->block->kernel->code[pc];
    struct mark sum;
    switch ((enum op_marks)c->infos[pc].marks) {
    case MARKS_COPY:
        marks_set(m, w, in->d, lanes, marks_of_sources(m, w, in));
        break;
    case MARKS_JOIN:
        marks_set(m, w, in->d, lanes, joined(m, w, in));
        break;
    case MARKS_AND:
    case MARKS_OR:
        marks_set(m, w, in->d, lanes, settled(m, w, in, c->infos[pc].marks == MARKS_OR));
        break;
    case MARKS_COMPUTE:
        sum = marks_of_sources(m, w, in);
        sum.certain |= sum.copied;
        marks_set(m, w, in->d, lanes, sum);
        break;
    case MARKS_SHUFFLE:
        marks_set(m, w, in->d, lanes, shuffled(m, w, in));
        break;
    case MARKS_ALL:
        sum = marks_of_sources(m, w, in);
        sum.certain = ((sum.certain | sum.copied) & lanes) != 0 ? lanes : 0;
        marks_set(m, w, in->d, lanes, sum);
        break;
    case MARKS_SELECT:
        marks_set(m, w, in->d, lanes, selected(m, w, in));
        break;
    case MARKS_COMPARE:
        sum = marks_get(m, w, in->a);
        marks_add(&sum, marks_get(m, w, in->b));
        marks_add(&sum, marks_get(m, w, in->e));
        sum.certain |= sum.copied;
        marks_set(m, w, in->d, lanes, sum);
        marks_set(m, w, in->c, lanes, sum);
        break;
    case MARKS_UNPACK:
        mark_elements(m, w, in, lanes, marks_get(m, w, in->a));
        break;
    case MARKS_LOAD:
        judge(c, w, pc, marks_get(m, w, in->a), lanes, INIT_ADDRESS);
        mark_elements(m, w, in, lanes, (struct mark){0});
        break;
    case MARKS_GIVE:
        give(c, m, w, pc, lanes);
        break;
    case MARKS_STORE:
        judge(c, w, pc, marks_get(m, w, in->a), lanes, INIT_ADDRESS);
        break;
    case MARKS_ATOMIC:
        judge(c, w, pc, marks_get(m, w, in->a), lanes, INIT_ADDRESS);
        judge(c, w, pc, marks_get(m, w, in->b), lanes, INIT_RESULT);
        judge(c, w, pc, marks_get(m, w, in->c), lanes, INIT_RESULT);
        marks_set(m, w, in->d, lanes, (struct mark){0});
        break;
    case MARKS_BRANCH:
        judge(c, w, pc, marks_get(m, w, in->a), lanes, INIT_BRANCH);
        break;
    case MARKS_MATRIX:
        multiplied(m, w, &w->block->kernel->matrices[in->number], lanes);
        break;
    case MARKS_WARPGROUP:
        accumulated(m, w, in->warpgroup, lanes);
        break;
    case MARKS_CLEAR:
        marks_set(m, w, in->d, lanes, (struct mark){0});
        break;
    case MARKS_OPCODE: /* init_marks.c has asked the opcode */
    case MARKS_NONE:
        break;
    }
}

void init_step(struct check *c, struct checked_block *own, struct warp *w, uint32_t pc,
               lane_mask lanes)
{
    struct marks *m = own->marks;
    if (!m->any[w->number]) {
        return;
    }
    const struct kernel *k = w->block->kernel;
    const struct ptx_insn *origin = k->origin[pc];
    if (c->infos[pc].begins) {
        marks_begin_function(m, w, k->funcs[k->source[pc].func], w->active);
    }
    /* A copy is not a use yet: its line is some line of the loop, or none. */
    m->pc = origin != NULL && origin->op == PTX_OP_MOV ? NO_PC : pc;
    if (k->code[pc].guard != NO_REF) {
        judge(c, w, pc, marks_get(m, w, k->code[pc].guard), w->active, INIT_BRANCH);
    }
    for (; pc < k->code_count && k->origin[pc] == origin; pc++) {
        pass_on(c, m, w, pc, lanes);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void load_lane(struct check *c, const struct checked_block *own, struct warp *w,
                      const struct access_event *e, unsigned lane)
{
    const struct insn *in = e->in;
    const unsigned size = in->bytes / in->elements;
    const struct lane_bytes bytes = init_bytes_of(c, own, w, e, lane);
    if (init_lane_has_all(&bytes)) {
        return;
    }
    uint64_t at = bytes.at;
    for (unsigned i = 0; i < in->elements; i++, at += size) {
        if (init_valid_bits(&bytes, at, size) == 0) {
            struct mark m = init_mark_of(c, w->block, e, at, e->address[lane] + i * size);
            const bool is_padding = e->space == PTX_LOCAL && c->only_padding;
            const bool is_certain = !is_padding && (init_is_certain(&bytes, at, e->space) ||
                                                    init_is_made(c, w->block, at));
            *(is_certain ? &m.certain : &m.copied) = 1u << lane;
            marks_set(own->marks, w, in->element[i], 1u << lane, m);
        }
    }
}

static void update_lane(struct check *c, struct checked_block *own, struct warp *w,
                        const struct access_event *e, unsigned lane)
{
    const struct lane_bytes bytes = init_bytes_of(c, own, w, e, lane);
    if (init_valid_bits(&bytes, bytes.at, e->bytes) == 0 &&
        !ptx_has_modifier(e->origin, WORD_EXCH)) {
        struct mark m = init_mark_of(c, w->block, e, bytes.at, e->address[lane]);
        tell(c, w, e->pc, &m, 1u << lane, INIT_RESULT);
    }
    init_give_values(own, w, e, lane, &bytes, (1u << e->bytes) - 1);
}

void init_access(struct check *c, struct checked_block *own, struct warp *w,
                 const struct access_event *e)
{
    if (e->space != PTX_SHARED && e->space != PTX_LOCAL && e->space != PTX_GLOBAL) {
        return;
    }
    locals_load(c, own, w, e);
    if (e->kind == ACCESS_COPY_READ || init_all_have_values(c, own, w, e)) {
        return;
    }
    for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
        unsigned lane = first_lane(left);
        if (e->kind == ACCESS_LOAD) {
            load_lane(c, own, w, e, lane);
        } else if (e->kind == ACCESS_ATOMIC || e->kind == ACCESS_REDUCTION) {
            update_lane(c, own, w, e, lane);
        } else if (e->kind == ACCESS_COPY_WRITE) {
            const struct lane_bytes bytes = init_bytes_of(c, own, w, e, lane);
            init_give_values(own, w, e, lane, &bytes, (1u << e->bytes) - 1);
        }
    }
}

void init_texels(struct check *c, struct checked_block *own, struct warp *w,
                 const struct access_event *e)
{
    if (init_all_have_values(c, own, w, e)) {
        return;
    }
    for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        const uint64_t at = e->address[lane];
        const struct chunk *chunk = shadow_chunk(c->shadow, at);
        const bool is_known = chunk->state == VALID_ALL || chunk->state == VALID_UNKNOWN ||
                              shadow_valid_bits(chunk, at, e->bytes) != 0;
        for (unsigned i = 0; i < e->in->elements && !is_known; i++) {
            struct mark m = init_mark_of(c, w->block, e, at, at);
            m.certain = 1u << lane;
            marks_set(own->marks, w, e->in->element[i], m.certain, m);
        }
    }
}

/* The one field of four that is stored with the others, and that has not been set or computed with:
 * this instruction, at pc, is the first that reads it. */
static void spare_padding(struct mark marks[4], unsigned elements, uint32_t pc)
{
    lane_mask given = 0;
    for (unsigned i = 0; i < 4 && i < elements; i++) {
        given |= ~(marks[i].copied | marks[i].certain);
    }
    for (unsigned i = 0; i < 4 && i < elements; i++) {
        if (marks[i].space == INIT_REGISTER && marks[i].pc == pc) {
            marks[i].copied |= marks[i].certain & given;
            marks[i].certain &= ~given;
        }
    }
}

void init_store(struct check *c, struct checked_block *own, struct warp *w,
                const struct access_event *e)
{
    const struct insn *in = e->in;
    const unsigned size = in->bytes / in->elements;
    struct mark marks[4] = {{0}, {0}, {0}, {0}};
    if (e->space != PTX_SHARED && e->space != PTX_LOCAL && e->space != PTX_GLOBAL) {
        return;
    }
    locals_store(c, own, w, e);
    for (unsigned i = 0; i < in->elements && own->marks->any[w->number]; i++) {
        marks[i] = marks_get(own->marks, w, in->element[i]);
        if (marks[i].space == INIT_FOREIGN) { /* it has a value */
            marks[i].copied = marks[i].certain = 0;
        }
    }
    spare_padding(marks, in->elements, e->pc);
    for (unsigned i = 0; i < in->elements; i++) {
        if (e->space == PTX_GLOBAL && (marks[i].certain & e->lanes) != 0) {
            tell(c, w, e->pc, &marks[i], marks[i].certain & e->lanes, INIT_RESULT);
            marks[i].copied = marks[i].certain = 0; /* reported once, not again further on */
        }
    }
    if (!own->marks->any[w->number] &&
        (init_all_have_values(c, own, w, e) || init_fill_row(c, own, w, e))) {
        return;
    }
    for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
        unsigned lane = first_lane(left);
        const struct lane_bytes bytes = init_bytes_of(c, own, w, e, lane);
        uint32_t bits = (1u << in->bytes) - 1;
        for (unsigned i = 0; i < in->elements; i++) {
            if ((marks[i].copied | marks[i].certain) >> lane & 1u) {
                bits &= ~(((1u << size) - 1) << i * size);
                init_remember_root(c, w->block, bytes.at + i * size, &marks[i], lane);
            }
        }
        init_give_values(own, w, e, lane, &bytes, bits);
    }
}
