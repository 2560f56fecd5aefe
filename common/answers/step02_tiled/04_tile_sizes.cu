/* Why: 512 warps make 2 requests in each of 128 / T phases: 16384, 8192, 4096. Four rows of 8
 * floats are four sectors, as many as a row of 32 floats: small tiles cost requests, not sectors
 * per request. */

double requests_tile_8 = 16384;
double requests_tile_16 = 8192;
double requests_tile_32 = 4096;
double sectors_tile_8 = 65536;
