/*
 * scene.c - puts scenes together.
 */
#include "core/picture/scene.h"
#include "core/options/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

Scene *scene_new(Env *env, const Options *options)
{
    Scene *scene = env_array(env, 1, sizeof *scene);

    scene->env = env;
    scene->options = options;
    scene->columns = 1;
    scene->given_height = options_given(options, "height");
    scene->width = options_given(options, "width") ? (double)options_integer(options, "width") : 640;
    scene->height = scene->given_height ? (double)options_integer(options, "height") : 400;
    scene->description.env = scene->note.env = env;
    return scene;
}

Panel *scene_panel(Scene *scene, const char *title)
{
    Panel *panel;

    if (scene->panel_count == sizeof(scene->panels) / sizeof(scene->panels[0]))
        env_fail(scene->env, ERROR_INTERNAL, NULL, "a picture has more than %u panels", scene->panel_count);
    panel = env_array(scene->env, 1, sizeof *panel);
    panel->env = scene->env;
    panel->title = title;
    panel->x.low = panel->y.low = INFINITY;
    panel->x.high = panel->y.high = -INFINITY;
    scene->panels[scene->panel_count++] = panel;
    return panel;
}

Layer *panel_layer(Panel *panel, Mark mark, int color, const char *name)
{
    Layer *layer = env_array(panel->env, 1, sizeof *layer);

    panel->env->poll(panel->env); /* there may be one per row, each after a loop over the rows */
    layer->env = panel->env;
    layer->panel = panel;
    layer->mark = mark;
    layer->color = color;
    layer->name = name;
    panel->layers = env_grow(panel->env, panel->layers, panel->layer_count, &panel->layer_room, sizeof(Layer *));
    panel->layers[panel->layer_count++] = layer;
    panel->bytes += sizeof *layer;
    return layer;
}

void scale_include(Scale *scale, double value)
{
    if (!isfinite(value) || (scale->kind == SCALE_LOG && !(value > 0)))
        return;
    scale->low = fmin(scale->low, value);
    scale->high = fmax(scale->high, value);
}

MarkItem *layer_add_span(Layer *layer, double x, double y, double x2, double y2)
{
    Scale *across = &layer->panel->x, *up = &layer->panel->y;
    MarkItem *item;

    if (!isfinite(x) || !isfinite(y) || !isfinite(x2) || !isfinite(y2) || (across->kind == SCALE_LOG && !(x > 0 && x2 > 0)) ||
        (up->kind == SCALE_LOG && !(y > 0 && y2 > 0))) {
        layer->missing++;
        return NULL;
    }
    env_poll_rows(layer->env, layer->count);
    if (layer->count == layer->room) {
        uint64_t room = layer->room > 0 ? 2 * layer->room : 2; /* there may be a layer per row */

        layer->panel->bytes += (room - layer->room) * sizeof(MarkItem);
        env_require_memory(layer->env, layer->panel->bytes, "plot");
        layer->room = room;
        layer->items = layer->env->resize(layer->env, layer->items, layer->room * sizeof(MarkItem));
    }
    scale_include(across, x);
    scale_include(across, x2);
    scale_include(up, y);
    scale_include(up, y2);
    item = &layer->items[layer->count++];
    *item = (MarkItem){x, y, x2, y2, 1, {NULL, 0}};
    return item;
}

MarkItem *layer_add(Layer *layer, double x, double y)
{
    return layer_add_span(layer, x, y, x, y);
}

void scale_root(Scale *scale)
{
    scale_include(scale, 0);
    scale->rooted = true;
}

void scale_bands(Scale *scale, const PictureText *texts, uint32_t count)
{
    scale->kind = SCALE_BANDS;
    scale->bands = texts;
    scale->band_count = count;
    scale->low = -0.5;
    scale->high = count - 0.5;
}

/* Adds what a format prints. */
static void __attribute__((format(printf, 2, 0))) print(TextBuffer *buffer, const char *format, va_list arguments)
{
    char few[400];
    va_list again;
    int length;

    va_copy(again, arguments);
    length = vsnprintf(few, sizeof few, format, arguments);
    if (length >= (int)sizeof few) {
        char *text = env_array_raw(buffer->env, (size_t)length + 1, 1);

        vsnprintf(text, (size_t)length + 1, format, again);
        text_add(buffer, text);
    } else {
        text_add(buffer, few);
    }
    va_end(again);
}

PictureText scene_text(Env *env, const char *format, ...)
{
    TextBuffer out = {.env = env};
    va_list arguments;

    va_start(arguments, format);
    print(&out, format, arguments);
    va_end(arguments);
    return picture_string(text_finish(&out, NULL));
}

/* Adds a sentence to a buffer. */
static void add_sentence(TextBuffer *buffer, PictureText text)
{
    text_add(buffer, buffer->length > 0 ? " " : "");
    text_bytes(buffer, text.bytes, text.length);
}

void scene_say(Scene *scene, const char *format, ...)
{
    va_list arguments;

    text_add(&scene->description, scene->description.length > 0 ? " " : "");
    va_start(arguments, format);
    print(&scene->description, format, arguments);
    va_end(arguments);
}

void scene_note(Scene *scene, const char *format, ...)
{
    TextBuffer out = {.env = scene->env};
    va_list arguments;
    PictureText text;

    va_start(arguments, format);
    print(&out, format, arguments);
    va_end(arguments);
    text = picture_string(text_finish(&out, NULL));
    add_sentence(&scene->description, text);
    add_sentence(&scene->note, text);
}

void scene_missing(Scene *scene, uint64_t missing)
{
    if (missing > 0)
        scene_note(scene, "Not drawn for lack of a finite number: %llu.", (unsigned long long)missing);
}

void scene_room(Scene *scene, uint32_t bands)
{
    if (!scene->given_height)
        scene->height = fmax(scene->height, 110 + 17.0 * bands);
}
