/* utf8.c - see utf8.h. */
#include "base/utf8.h"

/* Of a character's first byte: how many bytes it has, if it is one. */
static unsigned length_of(unsigned char first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first >> 5 == 6) {
        return 2;
    }
    return first >> 4 == 14 ? 3 : 4;
}

unsigned utf8_decode(const char *text, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* of so many bytes */
    const unsigned char *c = (const unsigned char *)text;
    const unsigned length = length_of(c[0]);
    uint32_t value = length == 1 ? c[0] : c[0] & (0x7fu >> length);
    if (length == 4 && c[0] >> 3 != 30) {
        return 0;
    }
    for (unsigned i = 1; i < length; i++) {
        if (c[i] >> 6 != 2) {
            return 0;
        }
        value = value << 6 | (c[i] & 0x3fu);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
        return 0;
    }
    *character = value;
    return length;
}

bool utf8_is_hidden(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0, 0x1f},        {0x7f, 0x9f},      {0xad, 0xad},     {0x61c, 0x61c},
                  {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f}, {0xfeff, 0xfeff},
                  {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    for (unsigned i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (c >= hidden[i].first && c <= hidden[i].last) {
            return true;
        }
    }
    return false;
}
