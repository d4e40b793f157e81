/*
 * test_picture.c - ticks of axes at round places, how numbers and labels are written, cut and escaped, and groups of texts.
 */
#include "check.h"

#include "core/picture/picture.h"
#include "core/picture/picture_axis.h"
#include "core/picture/picture_label.h"
#include "core/base/json.h"

static const char *ticks_text(Host *host, ScaleKind kind, double low, double high, uint32_t about)
{
    Scale scale = {.kind = kind, .low = low, .high = high};
    TextBuffer out = {.env = &host->env};
    Ticks ticks;

    scale_ticks(&scale, about, &ticks);
    for (uint32_t i = 0; i < ticks.count; i++)
        text_print(&out, "%s%s", i > 0 ? " " : "", ticks.ticks[i].text);
    return text_finish(&out, NULL);
}

static void test_ticks(Host *host)
{
    const double day = 86400;

    CHECK_TEXT(ticks_text(host, SCALE_LINEAR, 0, 1, 5), "0.0 0.2 0.4 0.6 0.8 1.0");
    CHECK_TEXT(ticks_text(host, SCALE_LINEAR, -0.31, 0.12, 5), "-0.3 -0.2 -0.1 0.0 0.1");
    CHECK_TEXT(ticks_text(host, SCALE_LINEAR, 0, 60000, 3), "0 20,000 40,000 60,000");
    CHECK_TEXT(ticks_text(host, SCALE_LINEAR, 1000, 9000, 4), "2000 4000 6000 8000");
    CHECK_TEXT(ticks_text(host, SCALE_LINEAR, 0, 4e12, 4), "0 1e12 2e12 3e12 4e12");
    CHECK_TEXT(ticks_text(host, SCALE_LINEAR, 0, 4e-7, 4), "0 1e-7 2e-7 3e-7 4e-7");
    CHECK_TEXT(ticks_text(host, SCALE_LINEAR, 0, 2e300, 4), "0 5e299 1e300 1.5e300 2e300");
    CHECK_TEXT(ticks_text(host, SCALE_LOG, 0.5, 2000, 5), "1 10 100 1000");
    CHECK_TEXT(ticks_text(host, SCALE_LOG, 1e-8, 1, 5), "1e-8 1e-6 1e-4 1e-2 1e0");
    CHECK_TEXT(ticks_text(host, SCALE_TIME, 0, 365 * day, 4), "2000-01 2000-04 2000-07 2000-10");
    CHECK_TEXT(ticks_text(host, SCALE_TIME, -3653 * day, 0, 3), "1990 1995 2000");
    CHECK_TEXT(ticks_text(host, SCALE_TIME, 59 * day, 61 * day, 3), "2000-02-29 2000-03-01 2000-03-02");
    CHECK_TEXT(ticks_text(host, SCALE_TIME, 12 * 3600, 36 * 3600, 3), "12:00 01-02 12:00");
}

/* Every scale has a width, whatever it is made of. */
static void test_ranges(Host *host)
{
    static const double values[] = {0, 5, -5, 1e308, -1e308, 1e-308, 1e15};

    (void)host;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int log = 0; log < 2; log++) {
            Scale scale = {.kind = log ? SCALE_LOG : SCALE_LINEAR, .low = INFINITY, .high = -INFINITY};

            scale_include(&scale, values[i]);
            scale_finish(&scale);
            CHECK(scale.low < scale.high && isfinite(scale.low) && isfinite(scale.high));
            CHECK(log || (scale_place(&scale, values[i]) >= 0 && scale_place(&scale, values[i]) <= 1));
        }
}

static void test_numbers(void)
{
    char buffer[TICK_TEXT];

    CHECK_TEXT(number_text(0, 4, buffer), "0");
    CHECK_TEXT(number_text(-0.00001, 4, buffer), "-1e-5");
    CHECK_TEXT(number_text(1234.5, 5, buffer), "1234.5");
    CHECK_TEXT(number_text(-1234567, 5, buffer), "-1,234,567");
    CHECK_TEXT(number_text(0.25, 4, buffer), "0.25");
    CHECK_TEXT(number_text(1.5e300, 4, buffer), "1.5e300");
}

static const char *escaped(Host *host, const char *text, double most)
{
    TextBuffer out = {.env = &host->env};

    label_xml_cut(&out, &host->env, picture_string(text), 10, most);
    return text_finish(&out, NULL);
}

static void test_labels(Host *host)
{
    CHECK_TEXT(escaped(host, "a<b>&\"c\"\n\x01\x7f", INFINITY), "a&lt;b&gt;&amp;&quot;c&quot; &#65533;&#65533;");
    CHECK_TEXT(escaped(host, "\xEF\xBF\xBF.", INFINITY), "&#65533;.");
    /* never inside a character */
    for (double most = 0; most < 60; most++) {
        const char *cut = escaped(host, "\xC3\xA4\xE2\x82\xAC\xC3\xA4\xC3\xA4\xC3\xA4", most);

        CHECK(text_is_valid(&host->env, cut, strlen(cut)));
    }
    CHECK_TEXT(escaped(host, "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", 30), "\xC3\xA4\xC3\xA4&#8230;\xC3\xA4");
    CHECK_TEXT(escaped(host, "a long name that goes on 12", 100), "a long nam&#8230;on 12");
    host->env.foreign_text = true; /* bytes of characters that are not known stay together */
    CHECK_TEXT(escaped(host, "ab\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", 25), "ab&#8230;");
    host->env.foreign_text = false;
}

static void test_groups(Host *host)
{
    static const char *const names[] = {"g"};
    static const char *const texts[] = {"10", "9", "b", "a", "9"};
    PictureData *data = picture_data_new(&host->env, names, 1);
    PictureGroups groups;

    for (int i = 0; i < 5; i++) {
        picture_data_row(data);
        picture_data_copy(data, 0, texts[i], (uint32_t)strlen(texts[i]));
    }
    groups = picture_groups_sorted(data, &data->columns[0]);
    CHECK_INT(groups.count, 4);
    CHECK_INT(groups.group[0], 1);
    CHECK_INT(groups.group[1], 0);
    CHECK_INT(groups.group[2], 3);
    CHECK_INT(groups.group[3], 2);
    CHECK_INT(groups.group[4], 0);
}

#define COLORED_ROWS 20000 /* more than ENV_POLL_ROWS, so that a pass over all of them polls */

/* A column of many values as color took a pass over all rows for each of them: minutes for 200,000 rows. Then a cancel waited until the last was written. */
static void test_a_color_per_row(Host *host)
{
    static const char *const names[] = {"x", "c", "other"};
    const char *json = "{\"x\": \"x\", \"y\": \"x\", \"color\": \"c\"}";
    const Options *options = options_parse(&host->env, "plot", plot_options, json, strlen(json), NULL, NULL, 0);
    PictureData *data = picture_rows(&host->env, names, 3, NULL, options);
    char text[16];

    for (int i = 0; i < COLORED_ROWS; i++) {
        picture_data_row(data);
        picture_data_number(data, 0, i);
        snprintf(text, sizeof text, "c%d", i);
        picture_data_copy(data, 1, text, (uint32_t)strlen(text));
    }
    CHECK(!data->columns[0].unused && !data->columns[1].unused && data->columns[2].unused && data->columns[2].numbers == NULL);
    host->polls = 0;
    (void)picture_of_rows(&host->env, data, options);
    CHECK(host->polls >= 2 * COLORED_ROWS && host->polls < COLORED_ROWS * 5 / 2);
}

int main(void)
{
    Host *host = host_new();

    test_ticks(host);
    test_ranges(host);
    test_numbers();
    test_labels(host);
    test_groups(host);
    test_a_color_per_row(host);
    host_free(host);
    return check_report();
}
