/* compare.c - holds the simulator's lines (stdin) against a GPU's recording.
 *
 * usage: conformance | compare h200.csv
 *
 * Exact instructions must give the same bits. Approximations must agree within what PTX allows, or
 * nearly so (see close_enough). Prints each instruction that differs with the numbers of its first
 * differing results; `conformance NAME` then prints these results in full. Exit code 0 or 1. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 16 };

static float f32_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static double f64_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool near(double a, double b, double relative, double absolute)
{
    if (a == b || (a != a && b != b)) {
        return true;
    }
    return fabs(a - b) <= fabs(b) * relative + absolute;
}

/* The manual's bounds: 2 ulp for rcp, sqrt, rsqrt, ex2 and div; 2^-20.9 for sin, cos and lg2, as an
 * absolute error; 2^-11 for tanh; 20 bits of doubles; 1 ulp of 16-bit formats. div.approx gives 0
 * beyond 2^126, where division gives a tiny number or, of huge ones, up to 4. */
static bool close_enough(const char *name, uint64_t gpu, uint64_t sim)
{
    if (strstr(name, "f64")) {
        bool tiny = fabs(f64_of(gpu)) > 0x1p1021 || fabs(f64_of(gpu)) < 0x1p-1021;
        return tiny || near(f64_of(sim), f64_of(gpu), 0x1p-19, 0);
    }
    if (strstr(name, "f16")) {
        uint64_t low = gpu > sim ? gpu - sim : sim - gpu;
        return (low & 0xffff) <= 1 && low >> 16 <= 1;
    }
    if (strstr(name, "div.approx") && f32_of(gpu) == 0) {
        return true;
    }
    bool bounded = strstr(name, "sin") || strstr(name, "cos") || strstr(name, "lg2");
    return near(f32_of(sim), f32_of(gpu), strstr(name, "tanh") ? 0x1p-10 : 0x1p-21,
                bounded ? 0x1p-20 : 0);
}

/* The start of field number `index` of a line. */
static const char *field(const char *line, unsigned index)
{
    while (index > 0 && (line = strchr(line, ',')) != NULL) {
        line++;
        index--;
    }
    return line != NULL ? line : "";
}

static bool same_approximations(const char *name, const char *gpu, const char *sim)
{
    for (unsigned i = 0; *gpu != '\0' && *gpu != '\n'; i++) {
        char *gpu_end, *sim_end;
        uint64_t a = strtoull(gpu, &gpu_end, 16), b = strtoull(sim, &sim_end, 16);
        if (gpu_end == gpu || sim_end == sim || !close_enough(name, a, b)) {
            printf("%s: result %u is %llx, the GPU's %llx\n", name, i, (unsigned long long)b,
                   (unsigned long long)a);
            return false;
        }
        gpu = gpu_end + (*gpu_end == ' ');
        sim = sim_end + (*sim_end == ' ');
    }
    return true;
}

static bool same(const char *gpu, const char *sim)
{
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(gpu, ","), gpu);
    if (strcmp(gpu, sim) == 0) {
        return true;
    }
    if (strncmp(gpu, sim, strlen(name) + 1) != 0 || strncmp(field(sim, 1), "rejected", 7) == 0) {
        printf("%s: the simulator has: %.40s\n", name, sim);
        return false;
    }
    if (strncmp(field(gpu, 1), "approximate", 11) == 0) {
        return same_approximations(name, field(gpu, 4), field(sim, 4));
    }
    printf("%s: results", name);
    const char *a = field(gpu, 4), *b = field(sim, 4);
    for (unsigned i = 0, shown = 0; a[i] != '\0' && b[i] != '\0' && shown < 8; i++) {
        if (a[i] != b[i]) {
            printf(" %u", i);
            shown++;
        }
    }
    printf(" differ\n");
    return false;
}

int main(int argc, char **argv)
{
    static char gpu[LINE], sim[LINE];
    FILE *recording = argc == 2 ? fopen(argv[1], "r") : NULL;
    unsigned lines = 0, bad = 0;
    if (recording == NULL) {
        fprintf(stderr, "usage: conformance | compare h200.csv\n");
        return 2;
    }
    while (fgets(gpu, sizeof gpu, recording) != NULL) {
        if (gpu[0] == '#') {
            continue;
        }
        lines++;
        if (fgets(sim, sizeof sim, stdin) == NULL) {
            strcpy(sim, "nothing\n");
        }
        bad += !same(gpu, sim);
    }
    fclose(recording);
    bad += fgets(sim, sizeof sim, stdin) != NULL; /* the simulator has more than was recorded */
    printf("conformance: %u passed, %u failed\n", lines - bad, bad);
    return bad != 0 || lines == 0;
}
