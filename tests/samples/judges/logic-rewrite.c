/*
 * Judges the output of HeCBench's logic-rewrite-cuda: out.aig must compute what in.aig does. Both
 * are simulated with 64 x 256 random inputs; two circuits that differ in an output agree in all of
 * them by chance only.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct circuit {
    unsigned inputs, outputs, ands;
    unsigned *output;       /* literals */
    unsigned (*operand)[2]; /* of each AND, in topological order */
};

static unsigned decode(FILE *f) /* seven bits a byte, the lowest first */
{
    unsigned value = 0;
    for (unsigned shift = 0;; shift += 7) {
        int byte = fgetc(f);
        value |= (unsigned)(byte & 127) << shift;
        if (byte == EOF || byte < 128) {
            return value;
        }
    }
}

static struct circuit load(const char *path)
{
    struct circuit c = {0};
    unsigned all, latches;
    FILE *f = fopen(path, "rb");
    if (!f ||
        fscanf(f, "aig %u %u %u %u %u\n", &all, &c.inputs, &latches, &c.outputs, &c.ands) != 5 ||
        latches) {
        printf("%s is no circuit of ANDs\n", path);
        exit(1);
    }
    c.output = calloc(c.outputs + 1, sizeof *c.output);
    c.operand = calloc(c.ands + 1, sizeof *c.operand);
    for (unsigned i = 0; i < c.outputs; i++) {
        if (fscanf(f, "%u\n", &c.output[i]) != 1) {
            printf("%s ends too early\n", path);
            exit(1);
        }
    }
    for (unsigned i = 0; i < c.ands; i++) {
        c.operand[i][0] = 2 * (c.inputs + 1 + i) - decode(f);
        c.operand[i][1] = c.operand[i][0] - decode(f);
    }
    fclose(f);
    return c;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t literal(const uint64_t *value, unsigned l)
{
    return value[l / 2] ^ (l & 1 ? ~0ull : 0);
}

/* The outputs for 64 inputs at a time, all of which follow from the seed. */
static void simulate(const struct circuit *c, uint64_t seed, uint64_t *result)
{
    uint64_t *value = calloc(c->inputs + c->ands + 1, sizeof *value);
    for (unsigned i = 1; i <= c->inputs; i++) {
        value[i] = next_random(&seed);
    }
    for (unsigned i = 0; i < c->ands; i++) {
        value[c->inputs + 1 + i] =
            literal(value, c->operand[i][0]) & literal(value, c->operand[i][1]);
    }
    for (unsigned i = 0; i < c->outputs; i++) {
        result[i] = literal(value, c->output[i]);
    }
    free(value);
}

int main(void)
{
    struct circuit before = load("in.aig"), after = load("out.aig");
    if (before.inputs != after.inputs || before.outputs != after.outputs) {
        printf("out.aig has other inputs or outputs\n");
        return 1;
    }
    uint64_t *want = calloc(before.outputs, sizeof *want),
             *got = calloc(before.outputs, sizeof *got);
    for (uint64_t seed = 1; seed <= 256; seed++) {
        simulate(&before, seed * 0x9e3779b97f4a7c15, want);
        simulate(&after, seed * 0x9e3779b97f4a7c15, got);
        for (unsigned i = 0; i < before.outputs; i++) {
            if (want[i] != got[i]) {
                printf("output %u of out.aig differs\n", i);
                return 1;
            }
        }
    }
    printf("%u ANDs of %u, the same function\n", after.ands, before.ands);
    return 0;
}
