/*
 * page.c - writes HTML pages.
 */
#include "core/picture/page.h"
#include "core/picture/picture_axis.h"
#include "core/picture/picture_label.h"

#include <stdlib.h>
#include <string.h>

#define WIDE 700 /* pixels; a wider picture is not made smaller to fit a screen, but can be moved */

/* The policy lets a reader's browser run and load nothing, whatever the texts are. */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>\n"
    ":root{color-scheme:light dark;--ink:#222;--soft:#555;--line:#ddd;--page:#fff;--field:#f6f6f6}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e8e8e8;--soft:#a8adb5;--line:#30343c;--page:#16181d;--field:#1d2026}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}\n"
    "main{max-width:46rem;margin:0 auto;padding:1.5rem 1rem 3rem}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:0;overflow-wrap:anywhere}\n"
    "h2{font-size:1.15rem;margin:2rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.2rem;break-after:avoid}\n"
    "p{margin:.4rem 0}header p,td.r{color:var(--soft)}\n"
    "dl{display:grid;grid-template-columns:minmax(7rem,auto) 1fr;gap:.3rem 1rem;margin:0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}\n"
    "@media (max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}\n"
    "ul{margin:0;padding-left:1.2rem}li{margin:.3rem 0;overflow-wrap:anywhere}\n"
    ".t{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.25rem .7rem .25rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}th{color:var(--soft);font-weight:600}\n"
    "th.n,td.n{text-align:right;white-space:nowrap}td{overflow-wrap:break-word;max-width:24rem}\n"
    "pre{margin:0;padding:.7rem;background:var(--field);overflow-x:auto;font-size:.8rem;line-height:1.4}\n"
    "figure{margin:1rem 0;overflow-x:auto;break-inside:avoid}figure svg{display:block;height:auto;max-width:100%;min-width:27rem}figure.w svg{max-width:none}\n"
    "@media print{main{max-width:none;padding:0}pre{white-space:pre-wrap}figure svg,figure.w svg{max-width:100%;min-width:0}tr,li{break-inside:avoid}}\n"
    "</style>\n<title>";

static void put(Page *page, PictureText text)
{
    label_xml(&page->out, page->out.env, text);
}

/* Ends the open element unless it is this one, and begins this one; NULL: begins none. */
static void open_element(Page *page, const char *element)
{
    bool table = page->open != NULL && strcmp(page->open, "table") == 0;

    if (page->open != NULL && element != NULL && !table && strcmp(page->open, element) == 0)
        return;
    if (page->open != NULL)
        text_print(&page->out, "</%s>%s\n", page->open, table ? "</div>" : "");
    if (element != NULL)
        text_print(&page->out, "%s<%s>\n", strcmp(element, "table") == 0 ? "<div class=\"t\">" : "", element);
    page->open = element;
}

Page page_begin(Env *env, const char *title, const char *subtitle)
{
    Page page = {.out = {.env = env}};

    text_add(&page.out, head);
    put(&page, picture_string(title));
    text_add(&page.out, "</title>\n</head>\n<body>\n<main>\n<header>\n<h1>");
    put(&page, picture_string(title));
    text_add(&page.out, "</h1>\n<p>");
    put(&page, picture_string(subtitle));
    text_add(&page.out, "</p>\n</header>\n");
    return page;
}

void page_section(Page *page, const char *heading)
{
    open_element(page, NULL);
    text_print(&page->out, "<h2>%s</h2>\n", heading);
}

void page_paragraph(Page *page, const char *text)
{
    open_element(page, NULL);
    text_add(&page->out, "<p>");
    put(page, picture_string(text));
    text_add(&page->out, "</p>\n");
}

void page_fact(Page *page, const char *name, PictureText text)
{
    open_element(page, "dl");
    text_add(&page->out, "<dt>");
    put(page, picture_string(name));
    text_add(&page->out, "</dt><dd>");
    put(page, text);
    text_add(&page->out, "</dd>\n");
}

void page_item(Page *page, PictureText text)
{
    open_element(page, "ul");
    text_add(&page->out, "<li>");
    put(page, text);
    text_add(&page->out, "</li>\n");
}

static bool has_value(const PictureColumn *column, uint64_t row)
{
    return !isnan(column->numbers[row]) || picture_text_of(column, row).bytes != NULL;
}

/* Writes a cell: a text, or a number in so many digits that differences of standard errors show. */
static void put_cell(Page *page, const PictureColumn *column, uint64_t row)
{
    PictureText text = picture_text_of(column, row);
    char number[TICK_TEXT];

    if (text.bytes == NULL && isnan(column->numbers[row])) {
        text_add(&page->out, "<td></td>");
    } else if (text.bytes != NULL) {
        text_add(&page->out, "<td>");
        put(page, text);
        text_add(&page->out, "</td>");
    } else {
        text_print(&page->out, "<td class=\"n\">%s</td>", isinf(column->numbers[row]) ? (column->numbers[row] > 0 ? "&#8734;" : "-&#8734;") : number_text(column->numbers[row], 4, number));
    }
}

void page_table(Page *page, const PictureData *data, uint64_t most)
{
    uint64_t count = data->rows < most ? data->rows : most;
    bool *shown = env_array(data->env, data->column_count + 1, sizeof(bool));

    open_element(page, "table");
    text_add(&page->out, "<tr>");
    for (uint32_t c = 0; c < data->column_count; c++) {
        for (uint64_t i = 0; i < count && !shown[c]; i++)
            shown[c] = has_value(&data->columns[c], i);
        if (!shown[c])
            continue;
        text_add(&page->out, data->columns[c].texts == NULL ? "<th class=\"n\">" : "<th>");
        for (const char *letter = data->columns[c].name; *letter != '\0'; letter++)
            put(page, (PictureText){*letter == '_' ? " " : letter, 1});
        text_add(&page->out, "</th>");
    }
    text_add(&page->out, "</tr>\n");
    for (uint64_t i = 0; i < count; i++) {
        env_poll_rows(data->env, i);
        text_add(&page->out, "<tr>");
        for (uint32_t c = 0; c < data->column_count; c++)
            if (shown[c])
                put_cell(page, &data->columns[c], i);
        text_add(&page->out, "</tr>\n");
    }
    open_element(page, NULL);
}

void page_lines(Page *page, const char *text)
{
    open_element(page, NULL);
    text_add(&page->out, "<pre>");
    for (const char *end; *text != '\0'; text = end + (*end == '\n')) { /* a line break is no space here */
        end = text + strcspn(text, "\n");
        put(page, (PictureText){text, (uint32_t)(end - text)});
        text_add(&page->out, *end == '\n' ? "\n" : "");
    }
    text_add(&page->out, "</pre>\n");
}

void page_picture(Page *page, const char *svg)
{
    const char *width = strstr(svg, " width=\"");

    open_element(page, NULL);
    text_print(&page->out, "<figure%s>\n", width != NULL && atof(width + strlen(" width=\"")) > WIDE ? " class=\"w\"" : "");
    text_add(&page->out, svg);
    text_add(&page->out, "</figure>\n");
}

char *page_end(Page *page)
{
    open_element(page, NULL);
    text_add(&page->out, "</main>\n</body>\n</html>\n");
    return text_finish(&page->out, NULL);
}
