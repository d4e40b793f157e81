/*
 * picture_label.c - measures, cuts and escapes labels. Widths are those of a wide sans-serif font, because the font is the reader's.
 */
#include "core/picture/picture_label.h"

#include <string.h>

/* Returns the width of a character by its first byte, in parts of the size of the font; 0: a byte inside a character. */
static double byte_width(unsigned char byte)
{
    if (byte >= 0x80)
        return byte < 0xC0 ? 0 : byte < 0xE1 ? 0.66 : 1;
    if (strchr("ijl.,:;|'!I ", byte) != NULL)
        return 0.33;
    if (strchr("ftr()[]/\\-\"{}`", byte) != NULL)
        return 0.42;
    if (strchr("mwMW@%", byte) != NULL)
        return 0.96;
    return byte >= 'A' && byte <= 'Z' ? 0.72 : 0.62;
}

double label_width(PictureText text, double size)
{
    double width = 0;

    for (uint32_t i = 0; i < text.length; i++)
        width += byte_width((unsigned char)text.bytes[i]);
    return width * size;
}

/* Tells whether a character surely begins at a byte; bytes of characters that are not known stay together. */
static bool begins(const Env *env, PictureText text, uint32_t at)
{
    unsigned char byte = (unsigned char)text.bytes[at];

    return byte < 0x80 || (env->foreign_text ? at > 0 && (unsigned char)text.bytes[at - 1] < 0x80 : byte >= 0xC0);
}

uint32_t label_cut(const Env *env, PictureText text, double size, double most)
{
    double width = 0;
    uint32_t fits = 0;

    if (label_width(text, size) <= most)
        return text.length;
    most -= size; /* of the ellipsis */
    for (uint32_t i = 0; i < text.length; i++) {
        if (begins(env, text, i))
            fits = i;
        width += byte_width((unsigned char)text.bytes[i]);
        if (width * size > most)
            break;
    }
    return fits;
}

void label_xml(TextBuffer *out, const Env *env, PictureText text)
{
    for (uint32_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        const unsigned char *at = (const unsigned char *)text.bytes + i;

        if (byte == '&')
            text_add(out, "&amp;");
        else if (byte == '<')
            text_add(out, "&lt;");
        else if (byte == '>')
            text_add(out, "&gt;");
        else if (byte == '"')
            text_add(out, "&quot;");
        else if (byte == '\n' || byte == '\t' || byte == '\r')
            text_character(out, ' ');
        else if (byte < 0x20 || byte == 0x7F)
            text_add(out, "&#65533;");
        else if (!env->foreign_text && byte == 0xEF && text.length - i >= 3 && at[1] == 0xBF && at[2] >= 0xBE) {
            text_add(out, "&#65533;"); /* U+FFFE and U+FFFF */
            i += 2;
        } else
            text_character(out, (char)byte);
    }
}

bool label_xml_cut(TextBuffer *out, const Env *env, PictureText text, double size, double most)
{
    uint32_t tail = text.length, head;
    double width = 0;

    if (label_width(text, size) <= most) {
        label_xml(out, env, text);
        return false;
    }
    for (uint32_t at = text.length; at-- > 0;) { /* a third of the room is for the end, by which long names differ */
        width += byte_width((unsigned char)text.bytes[at]);
        if (width * size > (most - size) / 3)
            break;
        tail = begins(env, text, at) ? at : tail;
    }
    head = label_cut(env, text, size, most - label_width((PictureText){text.bytes + tail, text.length - tail}, size));
    label_xml(out, env, (PictureText){text.bytes, head});
    text_add(out, "&#8230;");
    label_xml(out, env, (PictureText){text.bytes + tail, text.length - tail});
    return true;
}
