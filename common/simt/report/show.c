/* show.c - see show.h. */
#include "report/show.h"
#include "base/room.h"

#include "report/array_name.h"
#include "report/moved.h"
#include "report/record_rows.h"
#include "report/wrapped.h"
#include "api/simt_last.h"
#include "watch/advice.h"

#include "common/gpu/draw.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char file[512];
    unsigned line;
    const char **kernels; /* whose accesses have been drawn */
    size_t kernel_count;
    bool any, any_without_line;
    pthread_mutex_t lock;
} show = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What was asked for and never executed is said at the end, so that a mistyped name is noticed. */
static void say_if_nothing(void)
{
    if (!show.any) {
        fflush(stdout);
        fprintf(
            stderr,
            "simt: SIMT_SHOW=%s:%u: no access of that line was executed; is it the line of a load "
            "or store in a kernel?%s\n",
            show.file, show.line,
            show.any_without_line ? " Some accesses have no line, as the compiler has moved them: "
                                    "line 0 shows these."
                                  : "");
    }
}

bool show_open(const char *wanted, struct err *e)
{
    if (wanted == NULL || wanted[0] == '\0') {
        return true;
    }
    const char *colon = strrchr(wanted, ':');
    char *end = NULL;
    unsigned long line = colon != NULL ? strtoul(colon + 1, &end, 10) : 0;
    bool is_number = colon != NULL && colon[1] >= '0' && colon[1] <= '9' && *end == '\0';
    if (!is_number || line > UINT32_MAX || colon == wanted ||
        (size_t)(colon - wanted) >= sizeof show.file) {
        return err_set(
            e,
            "SIMT_SHOW=%.200s is not understood: write a file and a line, as x.cu:8 (line 0: "
            "accesses to which the compiler gives no line)",
            wanted);
    }
    memcpy(show.file, wanted, (size_t)(colon - wanted));
    show.line = (unsigned)line;
    atexit(say_if_nothing);
    return simt_watch_accesses() || err_set(e, "SIMT_SHOW: too many others observe the launches");
}

bool show_wanted(void) { return show.file[0] != '\0'; }

/* "dir/x.cu" ends with "x.cu", "ax.cu" does not. */
static bool is_the_file(const char *file)
{
    size_t length = file != NULL ? strlen(file) : 0, wanted = strlen(show.file);
    if (length < wanted || strcmp(file + length - wanted, show.file) != 0) {
        return false;
    }
    return length == wanted || file[length - wanted - 1] == '/';
}

static bool is_new(const char *kernel)
{
    for (size_t i = 0; i < show.kernel_count; i++) {
        if (strcmp(show.kernels[i], kernel) == 0) {
            return false;
        }
    }
    show.kernels = room_resized(show.kernels, show.kernel_count + 1, sizeof(const char *));
    show.kernels[show.kernel_count++] = kernel;
    return true;
}

static void draw(const char *kernel, uint64_t launch, const struct access_row *rows, unsigned count,
                 unsigned index)
{
    const struct access_row *row = &rows[index];
    const struct access_class *worst = accesses_worst(row);
    const char *unit = row->space == PTX_SHARED ? "wavefronts" : "sectors";
    char array[80], advice[400];
    array_name_of(rows, count, index, kernel, array, sizeof array);
    advice_for(rows, count, index, array, advice, sizeof advice);
    printf("%s:%u, %s, launch %" PRIu64 ": %s of %s, %u bytes a lane\n", show.file, show.line,
           kernel, launch, record_kind_names[row->kind],
           array[0] != '\0' ? array : record_space_names[row->space], row->bytes);
    if (moved_by_compiler(rows, count, index, kernel)) {
        printf("moved here by the compiler\n");
    }
    const char *plural = row->requests == 1 ? "" : "s";
    if (row->space == PTX_GLOBAL || row->space == PTX_SHARED) {
        struct draw_access a = record_draw_access(row->space, row->kind, row->bytes,
                                                  worst->sample.lanes, worst->sample.address);
        const struct simt_dim *b = &worst->sample.block;
        printf("%" PRIu64 " request%s, %.2f %s each, %.2f at the least\n", row->requests, plural,
               (double)row->cost / (double)row->requests, unit,
               (double)row->least / (double)row->requests);
        printf("the worst, of warp %u in block (%u,%u,%u):\n", worst->sample.warp, b->x, b->y,
               b->z);
        draw_text(stdout, &a, draw_style_for(stdout));
    } else {
        printf("%" PRIu64 " request%s in %s memory, which has no sectors or banks to draw\n",
               row->requests, plural, record_space_names[row->space]);
    }
    if (advice[0] != '\0') {
        wrapped_print(0, "-> ", advice);
    }
    printf("\n");
}

void show_launch(const char *kernel, uint64_t launch)
{
    const struct access_row *rows;
    unsigned count = simt_last_accesses(&rows);
    bool first = false, found = false;
    pthread_mutex_lock(&show.lock);
    for (unsigned i = 0; i < count; i++) {
        show.any_without_line |= rows[i].line == 0;
        if (rows[i].line != show.line || (show.line != 0 && !is_the_file(rows[i].file))) {
            continue;
        }
        first = found ? first : is_new(kernel);
        found = true;
        if (first) {
            draw(kernel, launch, rows, count, i);
        }
    }
    show.any |= found;
    pthread_mutex_unlock(&show.lock);
}
