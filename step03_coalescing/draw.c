/* draw.c - a warp's sectors drawn from their addresses (see draw.h). */
#include "step03_coalescing/draw.h"

#include "common/gpu/access.h"

enum { FLOAT_BYTES = 4, FLOATS_PER_SECTOR = 8, SECTORS_PER_LINE = 4 };

/* Bit w: float w of that sector is wanted by a lane. */
static unsigned floats_wanted(const uint64_t address[ACCESS_LANES], uint64_t sector)
{
    unsigned wanted = 0;
    for (unsigned lane = 0; lane < ACCESS_LANES; lane++) {
        if (address[lane] / ACCESS_SECTOR_BYTES == sector)
            wanted |= 1u << address[lane] % ACCESS_SECTOR_BYTES / FLOAT_BYTES;
    }
    return wanted;
}

void draw_warp(FILE *out, const char *label, uint64_t offset, uint64_t stride)
{
    uint64_t address[ACCESS_LANES], sector[ACCESS_LANES];
    access_strided(address, offset * FLOAT_BYTES, stride * FLOAT_BYTES);
    const unsigned count = access_sector_list(address, UINT32_MAX, sector);
    fprintf(out, "  %-9s ", label);
    for (unsigned s = 0; s < count; s++) {
        const unsigned wanted = floats_wanted(address, sector[s]);
        fputc(sector[s] % SECTORS_PER_LINE == 0 ? '[' : '|', out);
        for (unsigned w = 0; w < FLOATS_PER_SECTOR; w++)
            fputc(wanted >> w & 1u ? '#' : '.', out);
    }
    fprintf(out, "|\n            %u sectors, numbers %llu to %llu: %u bytes moved, 128 wanted\n",
            count, (unsigned long long)sector[0], (unsigned long long)sector[count - 1],
            count * ACCESS_SECTOR_BYTES);
}

static void draw_sizes(FILE *out, const char *label, uint64_t offset)
{
    fprintf(out, "  %s", label);
    for (unsigned bytes = 1; bytes <= 16; bytes *= 2)
        fprintf(out, " %u", access_offset_sectors(bytes, offset));
    fputc('\n', out);
}

void draw_predictions(FILE *out)
{
    fprintf(out, "Sectors that one warp of floats touches (# a float it wants, . one that comes "
                 "along;\n| every 32 bytes, [ every 128):\n\n");
    draw_warp(out, "offset 0", 0, 1);
    draw_warp(out, "offset 1", 1, 1);
    draw_warp(out, "offset 24", 24, 1);
    draw_warp(out, "stride 2", 0, 2);

    fprintf(out, "\nPredicted sectors per request:\n  offset 0..32 ");
    for (uint64_t offset = 0; offset <= 32; offset++)
        fprintf(out, " %u", access_offset_sectors(FLOAT_BYTES, offset));
    fprintf(out, "\n  stride 1..32 ");
    for (uint64_t stride = 1; stride <= 32; stride++)
        fprintf(out, " %u", access_stride_sectors(FLOAT_BYTES, stride));
    fputc('\n', out);
    draw_sizes(out, "elements of 1, 2, 4, 8, 16 bytes, offset 0:", 0);
    draw_sizes(out, "elements of 1, 2, 4, 8, 16 bytes, offset 1:", 1);
    fprintf(out,
            "\nIn the tables, s/r are sectors per request, and 100 %% of copy is copy_plain.\n\n");
}
