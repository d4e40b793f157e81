/*
 * picture_label.h - texts from data in a picture: how wide they are, where they are cut, and how they are escaped.
 */
#ifndef PGFIT_PICTURE_LABEL_H
#define PGFIT_PICTURE_LABEL_H

#include "core/picture/picture_data.h"
#include "core/base/text_buffer.h"

/* Returns about how many pixels a text takes in a sans-serif font of this size. */
double label_width(PictureText text, double size);
/* Returns the bytes of the text that take at most so many pixels, at a boundary of characters; its length: all fit. */
uint32_t label_cut(const Env *env, PictureText text, double size, double most);
/* Adds a text as content or attribute of XML: markup escaped, characters that XML forbids as U+FFFD, line breaks as spaces. */
void label_xml(TextBuffer *out, const Env *env, PictureText text);
/* Adds a text cut to so many pixels, with an ellipsis inside it where something is missing. Returns whether something is. */
bool label_xml_cut(TextBuffer *out, const Env *env, PictureText text, double size, double most);

#endif
