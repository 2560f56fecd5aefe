/* step01-2: has nothing */
static int nothing;
