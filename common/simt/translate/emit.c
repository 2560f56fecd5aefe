/* emit.c - writes the text of a kernel's parts: its instructions as constants, and for each one the
 * macro of unit.h that executes it. Which C the macros become is unit.h's matter. */
#include "translate/emit.h"

#include "base/room.h"
#include "exec/exec.h"
#include "translate/temps.h"

#include <inttypes.h>
#include <stdlib.h>

/* Handlers that unit.h includes, to be expanded in place. */
static const struct handler *const expanded[] = {exec_int_table, exec_float_table,
                                                 exec_convert_table, exec_logic_table};

/* Handlers for which unit.h has a macro. */
static const char *const macros[][2] = {{"ld_global", "LD_GLOBAL"},
                                        {"st_global", "ST_GLOBAL"},
                                        {"ld_shared", "LD_SHARED"},
                                        {"st_shared", "ST_SHARED"},
                                        {"ld_param", "LD_PARAM"}};

/* Between the calls that set the host's rounding mode and set it back, the compiler may move what
 * it computes with variables: such an instruction stays with the interpreter, whose registers lie
 * in memory. */
static bool is_expanded(const struct handler *h, const struct insn *in)
{
    if (h->sets_rounding && insn_rounding(in) != ROUND_NEAREST) {
        return false;
    }
    for (unsigned t = 0; t < ARRAY_LENGTH(expanded); t++) {
        for (const struct handler *row = expanded[t]; row->name != NULL; row++) {
            if (row == h) {
                return true;
            }
        }
    }
    return false;
}

/* NULL: there is none, or it does not serve this instruction. */
static const char *macro_of(const struct handler *h, const struct insn *in)
{
    if (in->flags & INSN_VOLATILE) {
        return NULL;
    }
    const bool plain = in->elements == 1 && (in->move == MOVE_32 || in->move == MOVE_64);
    for (unsigned i = 0; i < ARRAY_LENGTH(macros); i++) {
        if (exec_find(macros[i][0]) == h) {
            return h->kind == KIND_PARAM && (!plain || in->d == NO_REF) ? NULL : macros[i][1];
        }
    }
    return NULL;
}

static bool has_waited(const struct handler *before)
{
    switch (before->event) {
    case EVENT_BARRIER:
    case EVENT_SYNC_A:
    case EVENT_SYNC_B:
    case EVENT_SYNC_MEMBERS:
    case EVENT_MBARRIER:
        return true;
    default:
        return before->kind == KIND_CALL || before->kind == KIND_CALL_INDIRECT;
    }
}

static bool must_begin_part(const struct kernel *k, uint32_t pc)
{
    const bool is_enter = k->handlers[pc]->kind == KIND_ENTER;
    return is_enter || (pc > 0 && k->code[pc].guard == NO_REF && has_waited(k->handlers[pc - 1]));
}

/* For a part, the compiler's time grows with the square of its length: 970 instructions in one take
 * it 150 s of a core, in pieces of 128 25 s, in pieces of 64 18 s. */
enum { MOST_OF_PART = 128, MOST_IF_LONG = 64, LONG_CODE = 500 };

bool emit_begins_part(const struct kernel *k, uint32_t pc)
{
    const uint32_t most = k->code_count > LONG_CODE ? MOST_IF_LONG : MOST_OF_PART;
    uint32_t first = pc;
    while (first > 0 && !must_begin_part(k, first)) {
        first--;
    }
    return pc == first || (k->code[pc].guard == NO_REF && (pc - first) % most == 0);
}

/* How an instruction is executed. */
enum way { WAY_ENTER, WAY_GUARDED, WAY_BRANCH, WAY_MACRO, WAY_EXPANDED, WAY_HANDLED };

static enum way way_of(const struct kernel *k, uint32_t pc)
{
    const struct handler *h = k->handlers[pc];
    const struct insn *in = &k->code[pc];
    if (h->kind == KIND_ENTER) {
        return WAY_ENTER;
    }
    if (in->run != in->handler) {
        return WAY_GUARDED;
    }
    if (h->kind == KIND_BRANCH) {
        return WAY_BRANCH;
    }
    return macro_of(h, in) != NULL ? WAY_MACRO : is_expanded(h, in) ? WAY_EXPANDED : WAY_HANDLED;
}

static struct temps find_temps(const struct kernel *k)
{
    struct temps_code *code = room_raw(k->code_count, sizeof *code);
    uint32_t part = 0;
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const enum way way = way_of(k, pc);
        part = emit_begins_part(k, pc) ? pc : part;
        code[pc] = (struct temps_code){part, way == WAY_MACRO || way == WAY_EXPANDED};
    }
    const struct temps t = temps_find(k, code);
    free(code);
    return t;
}

static void emit_constants(FILE *to, const struct kernel *k)
{
    struct temps t = find_temps(k);
    uint32_t frame = 64;
    for (uint32_t f = 0; f < k->func_count; f++) {
        frame = k->funcs[f]->frame_bytes > frame ? k->funcs[f]->frame_bytes : frame;
    }
    fprintf(to, "enum { TEMP_BYTES = %" PRIu32 " };\nstatic const struct insn text[] = {\n", frame);
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct insn *in = &k->code[pc];
        fprintf(to, "    {.a = %" PRIu32 "u, .element = {", temps_operand(k, &t, pc, in->a));
        for (unsigned i = 0; i < ARRAY_LENGTH(in->element); i++) {
            fprintf(to, "%" PRIu32 "u, ", temps_operand(k, &t, pc, in->element[i]));
        }
        /* Of what is left to its handler, the text names no pointers: it is the same in each run.
         */
        const enum way way = way_of(k, pc);
        const bool is_left = way == WAY_HANDLED || way == WAY_GUARDED;
        fprintf(to,
                "}, .site = %" PRIu32 ", .offset = %" PRIi64 ", .guard = %" PRIu32
                "u, .flags = %" PRIu32 "u, .bytes = %u, .elements = %u, .move = %u, .space = %u, "
                ".leader = %u},\n",
                in->site, is_left ? 0 : in->offset, in->guard, in->flags, in->bytes, in->elements,
                in->move, in->space, in->leader);
    }
    fputs("};\n", to);
    temps_free(k, &t);
}

static void emit_branch(FILE *to, const struct kernel *k, uint32_t pc, uint32_t part)
{
    const struct insn *in = &k->code[pc];
    const char *macro = exec_find("bra") == k->handlers[pc] ? "JUMP" : "JUMP_IF";
    if (in->flags & INSN_YIELDS) { /* its lanes are no longer those of this split */
        fprintf(to, "    LEAVE(%" PRIu32 ");\n", pc);
    } else if ((uint64_t)in->target == part) {
        fprintf(to, "    %s(%" PRIu32 ", goto again);\n", macro, pc);
    } else {
        fprintf(to, "    %s(%" PRIu32 ", GO(%" PRIi64 "));\n", macro, pc, in->target);
    }
}

static void emit_insn(FILE *to, const struct kernel *k, uint32_t pc, uint32_t part)
{
    const struct handler *h = k->handlers[pc];
    switch (way_of(k, pc)) {
    case WAY_ENTER:
        fprintf(to, "    ENTER(%" PRIu32 ");\n", pc);
        break;
    case WAY_GUARDED:
        fprintf(to, "    GUARDED(%" PRIu32 ");\n", pc);
        break;
    case WAY_BRANCH:
        emit_branch(to, k, pc, part);
        break;
    case WAY_MACRO:
        fprintf(to, "    %s(%" PRIu32 ");\n", macro_of(h, &k->code[pc]), pc);
        break;
    case WAY_EXPANDED:
        fprintf(to, "    WORK(%s, %" PRIu32 ");\n", h->name, pc);
        break;
    case WAY_HANDLED:
        fprintf(to, "    HANDLED(%" PRIu32 "); /* %s */\n", pc, h->name);
        break;
    }
}

static uint32_t end_of_part(const struct kernel *k, uint32_t part)
{
    uint32_t pc = part + 1;
    while (pc < k->code_count && !emit_begins_part(k, pc)) {
        pc++;
    }
    return pc;
}

/* Which parts may be next. */
static void emit_leads(FILE *to, const struct kernel *k, uint32_t part, uint32_t end)
{
    fprintf(to, "LEADS(%" PRIu32 ")\n", part);
    for (uint32_t pc = part; pc < end; pc++) {
        if (way_of(k, pc) == WAY_BRANCH && k->code[pc].target != (int64_t)part) {
            fprintf(to, "    TO(%" PRIi64 ")\n", k->code[pc].target);
        }
    }
    if (end < k->code_count) {
        fprintf(to, "    TO(%" PRIu32 ")\n", end);
    }
    fputs("NOWHERE_ELSE\n", to);
}

/* The part's instructions, up to the next part. */
static void emit_part(FILE *to, const struct kernel *k, uint32_t part)
{
    const uint32_t end = end_of_part(k, part);
    fprintf(to, "PART(%" PRIu32 ")\n{\n    BEGIN\nagain:\n", part);
    for (uint32_t pc = part; pc < end; pc++) {
        emit_insn(to, k, pc, part);
    }
    if (end < k->code_count) {
        fprintf(to, "    GO(%" PRIu32 ");\n}\n", end);
    } else {
        fputs("    __builtin_unreachable();\n}\n", to);
    }
    emit_leads(to, k, part, end);
}

void emit_kernel(FILE *to, const struct kernel *k)
{
    emit_constants(to, k);
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        if (emit_begins_part(k, pc)) {
            fprintf(to,
                    "static const struct insn *part_%" PRIu32
                    "(struct warp *w, const struct insn *at);\n",
                    pc);
        }
    }
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        if (emit_begins_part(k, pc)) {
            emit_part(to, k, pc);
        }
    }
    fputs("__attribute__((visibility(\"default\"), externally_visible)) const struct {\n"
          "    u64 pc;\n    exec_fn run;\n} " EMIT_LIST "[] = {\n",
          to);
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        if (emit_begins_part(k, pc)) {
            fprintf(to, "    {%" PRIu32 ", part_%" PRIu32 "},\n", pc, pc);
        }
    }
    fputs("    {0, NULL}};\n", to);
}
