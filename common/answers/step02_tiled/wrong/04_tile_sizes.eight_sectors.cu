/* Eight rows in a tile of 8: but a warp covers four of them.
 * rejected: prediction sectors_tile_8 */
double requests_tile_8 = 16384;
double requests_tile_16 = 8192;
double requests_tile_32 = 4096;
double sectors_tile_8 = 131072;
