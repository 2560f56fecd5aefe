/* trace_text.c - an instruction as text: what a reader of the trace sees; see trace.h. */
#include "watch/trace.h"

#include <stdio.h>
#include <string.h>

struct writer {
    char *text;
    size_t size, length;
};

static void put(struct writer *w, const char *text)
{
    size_t length = strlen(text), room = w->size - w->length - 1;
    length = length < room ? length : room;
    memcpy(w->text + w->length, text, length);
    w->length += length;
    w->text[w->length] = '\0';
}

static void put_operand(struct writer *w, const struct ptx_operand *o);

static void put_items(struct writer *w, const struct ptx_operand *o, const char *between)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        put(w, i > 0 ? between : "");
        put_operand(w, &o->items[i]);
    }
}

static void put_operand(struct writer *w, const struct ptx_operand *o)
{
    char number[40];
    put(w, o->negated ? "!" : "");
    switch (o->kind) {
    case PTX_OPERAND_REG:
    case PTX_OPERAND_SPECIAL:
    case PTX_OPERAND_SINK:
        put(w, o->name);
        break;
    case PTX_OPERAND_INT:
        snprintf(number, sizeof number, "%lld", (long long)o->bits);
        put(w, number);
        break;
    case PTX_OPERAND_FLOAT: {
        double d;
        float f;
        uint32_t low = (uint32_t)o->bits;
        memcpy(&d, &o->bits, sizeof d);
        memcpy(&f, &low, sizeof f);
        snprintf(number, sizeof number, "%.9g", o->is_double ? d : (double)f);
        put(w, number);
        break;
    }
    case PTX_OPERAND_SYMBOL:
    case PTX_OPERAND_MEMORY:
        put(w, o->kind == PTX_OPERAND_MEMORY ? "[" : "");
        put(w, o->name != NULL ? o->name : "");
        if (o->bits != 0) {
            snprintf(number, sizeof number, "%+lld", (long long)o->bits);
            put(w, number);
        }
        put(w, o->kind == PTX_OPERAND_MEMORY ? "]" : "");
        break;
    case PTX_OPERAND_VECTOR:
        put(w, "{");
        put_items(w, o, ", ");
        put(w, "}");
        break;
    case PTX_OPERAND_PAIR:
        put_items(w, o, "|");
        break;
    case PTX_OPERAND_LIST:
        put(w, "(");
        put_items(w, o, ", ");
        put(w, ")");
        break;
    }
}

void trace_text(const struct ptx_insn *in, char *text, size_t size)
{
    struct writer w = {text, size, 0};
    text[0] = '\0';
    if (in->guard != NULL) {
        put(&w, "@");
        put_operand(&w, in->guard);
        put(&w, " ");
    }
    put(&w, in->op_name);
    for (unsigned i = 0; i < in->modifier_count; i++) {
        put(&w, ".");
        put(&w, in->modifiers[i].text);
    }
    for (unsigned i = 0; i < in->operand_count; i++) {
        put(&w, i == 0 ? " " : ", ");
        put_operand(&w, &in->operands[i]);
    }
}
