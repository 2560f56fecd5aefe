/* options_help.h - the text of --help. Called by options.c. */
#ifndef COMMON_OPTIONS_HELP_H
#define COMMON_OPTIONS_HELP_H

#include "options.h"

/* The title, then one option a line, on stdout. */
void options_print_help(const char *title, const struct option_spec *specs, size_t count);

#endif
