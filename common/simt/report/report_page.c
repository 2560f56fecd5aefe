/* report_page.c - see report_page.h.
 *
 * A page is page/page.html with three of its lines replaced: the style, the script, and the record
 * as JSON. All of it is in the library, so a page needs nothing from elsewhere. */
#include "report/report_page.h"
#include "report/own_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* page/NAME as page_NAME_begin[] .. page_NAME_end[]. */
#define EMBED(name, file)                                                                          \
    __asm__(".section .rodata\n"                                                                   \
            "page_" #name "_begin: .incbin \"common/simt/report/page/" file "\"\n"                 \
            "page_" #name "_end: .byte 0\n"                                                        \
            ".previous\n");                                                                        \
    extern const char page_##name##_begin[], page_##name##_end[]
EMBED(html, "page.html");
EMBED(style, "page.css");
EMBED(script, "page.js");
EMBED(source, "source.js");
EMBED(findings, "findings.js");
EMBED(timeline, "timeline.js");
EMBED(player, "player.js");

static struct {
    char path[4096];
    bool is_html;
} page;

bool report_is_page(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".html") == 0 || strcmp(dot, ".json") == 0);
}

/* What each of our files begins with. */
static const char html_mark[] = "<!DOCTYPE html><!-- simulated launches -->";
static const char json_mark[] = "{\"schema\":";

/* The text up to the line that is `mark`, then what stands for it; returns what follows. */
static const char *write_until(FILE *out, const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    fwrite(text, 1, (size_t)(at - text), out);
    return at + strlen(mark);
}

static void write_html(FILE *out)
{
    const char *rest = write_until(out, page_html_begin, "<!-- style -->\n");
    fprintf(out, "<style>\n%.*s</style>\n", (int)(page_style_end - page_style_begin),
            page_style_begin);
    rest = write_until(out, rest, "<!-- record -->\n");
    fputs("<script type=\"application/json\" id=\"record\">", out);
    record_write(out);
    fputs("</script>\n", out);
    rest = write_until(out, rest, "<!-- script -->\n");
    fputs("<script>\n", out);
    fwrite(page_script_begin, 1, (size_t)(page_script_end - page_script_begin), out);
    fwrite(page_source_begin, 1, (size_t)(page_source_end - page_source_begin), out);
    fwrite(page_findings_begin, 1, (size_t)(page_findings_end - page_findings_begin), out);
    fwrite(page_timeline_begin, 1, (size_t)(page_timeline_end - page_timeline_begin), out);
    fwrite(page_player_begin, 1, (size_t)(page_player_end - page_player_begin), out);
    fputs("</script>\n", out);
    fwrite(rest, 1, (size_t)(page_html_end - rest), out);
}

static void write_page(void)
{
    FILE *out = fopen(page.path, "w");
    if (out != NULL && page.is_html) {
        write_html(out);
    } else if (out != NULL) {
        record_write(out);
    }
    if (out == NULL || ferror(out) || fclose(out) != 0) {
        fflush(stdout);
        fprintf(stderr, "simt: SIMT_REPORT=%.300s: the page was not written: %s\n", page.path,
                strerror(errno));
        _Exit(2);
    }
}

bool report_page_open(const char *path, struct err *e)
{
    page.is_html = strcmp(strrchr(path, '.'), ".html") == 0;
    if (snprintf(page.path, sizeof page.path, "%s", path) >= (int)sizeof page.path) {
        return err_set(e, "SIMT_REPORT: the file's name is too long");
    }
    if (!own_file_may_be_written(path, page.is_html ? html_mark : json_mark, "record of launches",
                                 e)) {
        return false;
    }
    atexit(write_page);
    return record_open(e);
}
