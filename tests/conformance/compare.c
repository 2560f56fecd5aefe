/* compare.c - holds the simulator's lines (stdin) against a GPU's recording.
 *
 * usage: conformance | compare h200.csv
 *
 * Every result must have the same bits. Prints each instruction that differs with the numbers of
 * its first differing results; `conformance NAME` then prints these results in full. Exit code 0
 * or 1. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 1 << 16 };

/* The start of field number `index` of a line. */
static const char *field(const char *line, unsigned index)
{
    while (index > 0 && (line = strchr(line, ',')) != NULL) {
        line++;
        index--;
    }
    return line != NULL ? line : "";
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
    printf("%s: results", name);
    const char *a = field(gpu, 3), *b = field(sim, 3);
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
