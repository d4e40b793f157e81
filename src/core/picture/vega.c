/*
 * vega.c - writes a scene as a specification of Vega-Lite 5, with its data.
 */
#include "core/picture/picture_axis.h"
#include "core/picture/picture_label.h"
#include "core/base/json.h"

#include <string.h>

#define COLORS 7

static const char *const colors[COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666"};

static void put_string(TextBuffer *out, PictureText text)
{
    json_quote(out, text.bytes != NULL ? text.bytes : "", text.length);
}

/* Writes seconds since 2000-01-01 as milliseconds since 1970, other numbers as they are. */
static void put_number(TextBuffer *out, const Scale *scale, const char *name, double number)
{
    text_print(out, "\"%s\":", name);
    json_double(out, scale->kind == SCALE_TIME ? (number + 946684800.0) * 1000 : number);
}

static void put_item(TextBuffer *out, const Layer *layer, const MarkItem *item)
{
    const Panel *panel = layer->panel;

    text_character(out, '{');
    put_number(out, &panel->x, "x", item->x);
    text_character(out, ',');
    put_number(out, &panel->y, "y", item->y);
    if (layer->mark == MARK_BARS || layer->mark == MARK_RULES || layer->mark == MARK_AREA) {
        text_character(out, ',');
        put_number(out, &panel->x, "x2", item->x2);
        text_character(out, ',');
        put_number(out, &panel->y, "y2", item->y2);
    }
    if (layer->mark == MARK_BARS)
        text_print(out, ",\"shade\":%.3f", isnan(item->shade) ? 1 : item->shade);
    if (item->text.bytes != NULL) {
        text_add(out, ",\"text\":");
        put_string(out, item->text);
    }
    text_character(out, '}');
}

static void put_mark(TextBuffer *out, const Layer *layer)
{
    static const char *const names[] = {"point", "line", "line", "area", "rect", "rule", "text"};
    static const char *const aligns[] = {"center", "left", "right"};
    const char *color = layer->color == COLOR_INK ? "#222222" : layer->color < 0 ? "#8a8a8a" : colors[layer->color % COLORS];

    text_print(out, "{\"type\":\"%s\",\"color\":\"%s\"", names[layer->mark], color);
    if (layer->mark == MARK_STEPS)
        text_add(out, ",\"interpolate\":\"step-after\"");
    if (layer->mark == MARK_AREA)
        text_add(out, ",\"opacity\":0.2");
    if (layer->mark == MARK_POINTS)
        text_print(out, ",\"filled\":%s", layer->hollow ? "false" : "true");
    if (layer->mark == MARK_TEXTS)
        text_print(out, ",\"align\":\"%s\",\"dx\":%d", aligns[layer->anchor], layer->anchor == ANCHOR_START ? 5 : layer->anchor == ANCHOR_END ? -5 : 0);
    if (layer->dashed)
        text_add(out, ",\"strokeDash\":[5,4]");
    if (layer->mark != MARK_TEXTS)
        text_add(out, ",\"tooltip\":true");
    text_character(out, '}');
}

/* Tells whether U+2028 or U+2029 begins here, which end a line in an expression, so that a literal cannot hold them as they are. */
static bool ends_line(const Env *env, const char *text)
{
    return !env->foreign_text && (strncmp(text, "\xE2\x80\xA8", 3) == 0 || strncmp(text, "\xE2\x80\xA9", 3) == 0);
}

/* Writes a text as a literal of an expression that is in a JSON string. */
static void put_literal(TextBuffer *out, PictureText text)
{
    TextBuffer label = {.env = out->env};
    const char *at;

    put_string(&label, text);
    for (at = text_finish(&label, NULL); *at != '\0'; at++) {
        if (ends_line(out->env, at)) {
            text_print(out, "\\\\u%s", at[2] == '\xA8' ? "2028" : "2029");
            at += 2;
            continue;
        }
        if (*at == '"' || *at == '\\')
            text_character(out, '\\');
        text_character(out, *at);
    }
}

/* Writes the encoding of a scale. Bands are numbers with texts as labels of their ticks. */
static void put_scale(TextBuffer *out, const Scale *scale, const char *name, bool y)
{
    static const char *const types[] = {"quantitative", "quantitative", "temporal", "quantitative"};
    double low = scale->low, high = scale->high;
    bool turned = scale->reversed || (y && scale->kind == SCALE_BANDS);

    text_print(out, "\"%s\":{\"field\":\"%s\",\"type\":\"%s\",\"scale\":{", name, name, types[scale->kind]);
    if (scale->kind == SCALE_LOG)
        text_add(out, "\"type\":\"log\",");
    if (scale->kind == SCALE_TIME)
        text_print(out, "\"type\":\"utc\",");
    text_add(out, "\"domain\":[");
    json_double(out, scale->kind == SCALE_TIME ? (low + 946684800.0) * 1000 : low);
    text_character(out, ',');
    json_double(out, scale->kind == SCALE_TIME ? (high + 946684800.0) * 1000 : high);
    text_print(out, "],\"nice\":false,\"zero\":false%s},\"title\":", turned ? ",\"reverse\":true" : "");
    if (scale->title != NULL)
        put_string(out, picture_string(scale->title));
    else
        text_add(out, "null");
    if (scale->hidden || (scale->kind == SCALE_BANDS && scale->bands == NULL)) {
        text_add(out, ",\"axis\":null}");
        return;
    }
    if (scale->kind == SCALE_BANDS) {
        text_add(out, ",\"axis\":{\"grid\":false,\"values\":[");
        for (uint32_t i = 0; i < scale->band_count; i++) {
            env_poll_rows(out->env, i);
            text_print(out, "%s%u", i > 0 ? "," : "", i);
        }
        text_add(out, "],\"labelExpr\":\"[");
        for (uint32_t i = 0; i < scale->band_count; i++) {
            env_poll_rows(out->env, i);
            text_add(out, i > 0 ? "," : "");
            put_literal(out, scale->bands[i]);
        }
        text_add(out, "][datum.value]\"}");
    }
    text_character(out, '}');
}

static void put_layer(TextBuffer *out, const Layer *layer)
{
    const Panel *panel = layer->panel;

    out->env->poll(out->env); /* there may be a layer per row */
    text_add(out, "{\"mark\":");
    put_mark(out, layer);
    text_add(out, ",\"data\":{\"values\":[");
    for (uint64_t i = 0; i < layer->count; i++) {
        env_poll_rows(out->env, i);
        text_add(out, i > 0 ? "," : "");
        put_item(out, layer, &layer->items[i]);
    }
    text_add(out, "]},\"encoding\":{");
    put_scale(out, &panel->x, "x", false);
    text_character(out, ',');
    put_scale(out, &panel->y, "y", true);
    if (layer->mark == MARK_BARS || layer->mark == MARK_RULES || layer->mark == MARK_AREA)
        text_add(out, layer->mark == MARK_AREA ? ",\"y2\":{\"field\":\"y2\"}" : ",\"x2\":{\"field\":\"x2\"},\"y2\":{\"field\":\"y2\"}");
    if (layer->mark == MARK_BARS)
        text_add(out, ",\"opacity\":{\"field\":\"shade\",\"type\":\"quantitative\",\"scale\":{\"domain\":[0,1],\"range\":[0,1]},\"legend\":null}");
    if (layer->mark == MARK_LINE || layer->mark == MARK_STEPS)
        text_add(out, ",\"order\":null");
    if (layer->mark == MARK_TEXTS)
        text_add(out, ",\"text\":{\"field\":\"text\"}");
    if (layer->name != NULL) { /* the legend */
        text_add(out, ",\"color\":{\"datum\":");
        put_string(out, picture_string(layer->name));
        text_print(out, ",\"type\":\"nominal\",\"legend\":{\"title\":null},\"scale\":{}}");
    }
    text_add(out, "}}");
}

/* Writes the colors of the names in the legend. */
static void put_colors(TextBuffer *out, const Scene *scene)
{
    TextBuffer range = {.env = out->env};
    uint32_t count = 0;

    text_add(out, "\"config\":{\"range\":{\"category\":[");
    for (uint32_t p = 0; p < scene->panel_count; p++)
        for (uint32_t l = 0; l < scene->panels[p]->layer_count; l++) {
            const Layer *layer = scene->panels[p]->layers[l];

            env_poll_rows(out->env, l);
            if (layer->name != NULL)
                text_print(&range, "%s\"%s\"", count++ > 0 ? "," : "", layer->color < 0 ? "#8a8a8a" : colors[layer->color % COLORS]);
        }
    text_add(out, text_finish(&range, NULL));
    text_add(out, "]}}");
}

char *scene_vega(Scene *scene)
{
    TextBuffer out = {.env = scene->env};
    uint32_t rows = (scene->panel_count + scene->columns - 1) / scene->columns;

    text_add(&out, "{\"$schema\":\"https://vega.github.io/schema/vega-lite/v5.json\",\"title\":");
    put_string(&out, picture_string(scene->title));
    text_add(&out, ",\"description\":");
    put_string(&out, picture_string(text_finish(&scene->description, NULL)));
    text_character(&out, ',');
    put_colors(&out, scene);
    text_print(&out, ",\"columns\":%u,\"concat\":[", scene->columns);
    for (uint32_t p = 0; p < scene->panel_count; p++) {
        const Panel *panel = scene->panels[p];

        text_print(&out, "%s{\"width\":%.0f,\"height\":%.0f,", p > 0 ? "," : "", fmax(scene->width / scene->columns - 80, 40),
                   fmax((scene->height - 60) / rows - 50, 40));
        if (panel->title != NULL) {
            text_add(&out, "\"title\":");
            put_string(&out, picture_string(panel->title));
            text_character(&out, ',');
        }
        text_add(&out, "\"layer\":[");
        for (uint32_t l = 0, written = 0; l < panel->layer_count; l++)
            if (panel->layers[l]->count > 0) {
                text_add(&out, written++ > 0 ? "," : "");
                put_layer(&out, panel->layers[l]);
            }
        text_add(&out, "]}");
    }
    text_add(&out, "]}");
    return text_finish(&out, NULL);
}
