/*
 * page.h - an HTML page that stands alone: sections of facts, lists, tables, texts and pictures. No script, font, image or reference; colors for light and
 * dark; one column that fits a telephone and paper. All texts are escaped.
 *
 *     Page page = page_begin(env, "churn", "logistic_regression");
 *
 *     page_section(&page, "Model");
 *     page_fact(&page, "Target", picture_string("left"));
 *     html = page_end(&page);
 */
#ifndef PGFIT_PAGE_H
#define PGFIT_PAGE_H

#include "core/picture/picture_data.h"
#include "core/base/text_buffer.h"

typedef struct Page {
    TextBuffer out;
    const char *open; /* the element that facts, items or rows are in: "dl", "ul", "table"; NULL: none */
} Page;

Page page_begin(Env *env, const char *title, const char *subtitle);
void page_section(Page *page, const char *heading);
void page_paragraph(Page *page, const char *text);
/* Add to the list of facts, or of items, that the previous call began, or begin one. */
void page_fact(Page *page, const char *name, PictureText text);
void page_item(Page *page, PictureText text);
/* Adds columns of data as a table of the first rows, at most so many. Columns without a value in any of them are left out. */
void page_table(Page *page, const PictureData *data, uint64_t most);
/* Adds a text of lines in a font of one width. */
void page_lines(Page *page, const char *text);
/* Adds a picture that scene_svg wrote. */
void page_picture(Page *page, const char *svg);
char *page_end(Page *page);

#endif
