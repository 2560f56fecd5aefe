/* summit-5: looks its places up in constant memory */
enum { ROWS = 16, HALVES = 64, PIECE = 8 };

__constant__ unsigned char order[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
                                          {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2}, {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
// Where piece 0 .. 7 of row 0 .. 15 begins.
__device__ int place(int row, int piece)
{
    return row * HALVES + order[row % 8][piece] * PIECE;
}

__global__ void hand_out(unsigned *out, const uint4 *in, int tiles)
{
    __shared__ __align__(16) unsigned short tile[ROWS * HALVES];
    const int lane = threadIdx.x;
    for (int t = 0; t < tiles; t++) {
        for (int i = lane; i < ROWS * 8; i += 32)
            *(uint4 *)&tile[place(i / 8, i % 8)] = in[t * ROWS * 8 + i];
        __syncwarp();
        for (int piece = 0; piece < 8; piece += 2) {
            const int row = lane % 16, own = piece + lane / 16;
            const unsigned from =
                (unsigned)__cvta_generic_to_shared(&tile[place(row, own)]);
            unsigned r[4];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                         "{%0, %1, %2, %3}, [%4];"
                         : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                         : "r"(from));
            for (int i = 0; i < 4; i++)
                out[((t * 4 + piece / 2) * 4 + i) * 32 + lane] = r[i];
        }
        __syncwarp();
    }
}
