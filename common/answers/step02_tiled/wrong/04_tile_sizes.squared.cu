/* A tile has T x T elements, so T x T-fold saving, one may think.
 * rejected: prediction requests_tile_16 */
double requests_tile_8 = 16384;
double requests_tile_16 = 4096;
double requests_tile_32 = 4096;
double sectors_tile_8 = 65536;
