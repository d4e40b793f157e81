/*
 * picture_axis.c - scales and their ticks. Steps between ticks are 1, 2 or 5 times a power of ten (P. S. Heckbert, "Nice numbers for graph
 * labels", Graphics Gems, 1990), or a usual span of time.
 */
#include "core/picture/picture_axis.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY 86400.0

/* Puts a comma between groups of three digits before the point. */
static void group_digits(char *text)
{
    char out[TICK_TEXT];
    size_t sign = text[0] == '-', digits = strspn(text + sign, "0123456789"), length = strlen(text), at = 0;

    if (digits < 5 || length + digits / 3 >= TICK_TEXT)
        return;
    for (size_t i = 0; i < length; i++) {
        size_t left = sign + digits - i; /* digits that follow, this one included */

        if (i > sign && i < sign + digits && left % 3 == 0)
            out[at++] = ',';
        out[at++] = text[i];
    }
    out[at] = '\0';
    memcpy(text, out, at + 1);
}

/* Takes the zeros and the plus out of an exponent: 1e+06 becomes 1e6. */
static void tidy_exponent(char *text)
{
    char *e = strchr(text, 'e'), *from, *to;

    if (e == NULL)
        return;
    from = to = e + 1;
    if (*from == '-')
        from = ++to;
    else if (*from == '+')
        from++;
    while (*from == '0' && from[1] != '\0')
        from++;
    memmove(to, from, strlen(from) + 1);
}

const char *number_text(double number, int digits, char buffer[TICK_TEXT])
{
    double size = fabs(number);

    if (size >= 1e15 || (size > 0 && size < 1e-4)) {
        snprintf(buffer, TICK_TEXT, "%.*g", digits, number);
        tidy_exponent(buffer);
    } else {
        int decimals = size > 0 ? digits - 1 - (int)floor(log10(size)) : 0;

        snprintf(buffer, TICK_TEXT, "%.*f", decimals < 0 ? 0 : decimals, number);
        if (strchr(buffer, '.') != NULL) {
            size_t length = strlen(buffer);

            while (buffer[length - 1] == '0')
                buffer[--length] = '\0';
            if (buffer[length - 1] == '.')
                buffer[--length] = '\0';
        }
        if (strcmp(buffer, "-0") == 0)
            strcpy(buffer, "0");
        group_digits(buffer);
    }
    return buffer;
}

/* Takes the zeros from the end of the digits before an exponent: 1.50e300 becomes 1.5e300. */
static void tidy_mantissa(char *text)
{
    char *e = strchr(text, 'e'), *end = e;

    if (strchr(text, '.') == NULL)
        return;
    while (end[-1] == '0')
        end--;
    end -= end[-1] == '.';
    memmove(end, e, strlen(e) + 1);
}

/* Writes a tick whose neighbors are a step away. */
static void tick_text(Tick *tick, double step, bool scientific)
{
    int decimals = (int)-floor(log10(step) + 1e-9);

    if (scientific) {
        int digits = tick->at == 0 ? 0 : (int)(floor(log10(fabs(tick->at)) + 1e-9) - floor(log10(step) + 1e-9));

        snprintf(tick->text, TICK_TEXT, "%.*e", digits < 0 ? 0 : digits > 15 ? 15 : digits, tick->at);
        tidy_mantissa(tick->text);
        tidy_exponent(tick->text);
        if (tick->at == 0)
            strcpy(tick->text, "0");
        return;
    }
    snprintf(tick->text, TICK_TEXT, "%.*f", decimals < 0 ? 0 : decimals, tick->at);
    group_digits(tick->text);
}

static void add_tick(Ticks *ticks, double at)
{
    if (ticks->count < TICKS_MOST)
        ticks->ticks[ticks->count++].at = at;
}

static void linear_ticks(const Scale *scale, uint32_t about, Ticks *ticks)
{
    double rough = fmin(scale->high / about - scale->low / about, 1e308), power = pow(10, floor(log10(rough))), part = rough / power;
    double step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10), most = fmax(fabs(scale->low), fabs(scale->high));
    bool scientific = most >= 1e9 || (most < 1e-3 && most > 0);
    double first, last;

    step = scale->whole ? fmax(step, 1) : step;
    first = ceil(scale->low / step - 1e-9);
    last = floor(scale->high / step + 1e-9);

    for (double i = first; i <= last && ticks->count < TICKS_MOST; i++) {
        add_tick(ticks, i == 0 ? 0 : i * step);
        tick_text(&ticks->ticks[ticks->count - 1], step, scientific);
    }
}

static void log_ticks(const Scale *scale, uint32_t about, Ticks *ticks)
{
    static const double parts[] = {1, 2, 5};
    double low = floor(log10(scale->low) + 1e-9), high = ceil(log10(scale->high) - 1e-9), every = ceil((high - low) / about);
    uint32_t few = high - low <= about / 2.0 ? 3 : 1;

    for (double decade = low; decade <= high && ticks->count < TICKS_MOST; decade += fmax(every, 1))
        for (uint32_t p = 0; p < few; p++) {
            double at = parts[p] * pow(10, decade);

            if (at < scale->low * (1 - 1e-9) || at > scale->high * (1 + 1e-9))
                continue;
            add_tick(ticks, at);
            if (scale->high >= 1e9 || scale->low < 1e-4) {
                snprintf(ticks->ticks[ticks->count - 1].text, TICK_TEXT, "%.0e", at);
                tidy_exponent(ticks->ticks[ticks->count - 1].text);
            } else {
                number_text(at, 6, ticks->ticks[ticks->count - 1].text);
            }
        }
}

/* ---- times ---- */

/* Returns the days since 2000-01-01 of a date of the Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms"). */
static double days_of(int64_t year, int64_t month)
{
    int64_t y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5;

    return (double)(era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 730425);
}

/* Sets the date that is so many days after 2000-01-01. */
static void date_of(double days, int64_t *year, int64_t *month, int64_t *day)
{
    int64_t z = (int64_t)days + 730425, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
    int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;

    *day = of_year - (153 * m + 2) / 5 + 1;
    *month = m < 10 ? m + 3 : m - 9;
    *year = y + era * 400 + (*month <= 2);
}

const char *time_text(double seconds, char buffer[TICK_TEXT])
{
    double days = floor(seconds / DAY), rest = floor(seconds - days * DAY);
    int64_t year, month, day;

    if (!(fabs(seconds) <= 1e14)) {
        snprintf(buffer, TICK_TEXT, "%.15g", seconds);
        return buffer;
    }
    date_of(days, &year, &month, &day);
    snprintf(buffer, TICK_TEXT, "%04lld-%02d-%02d", (long long)year, (int)month, (int)day);
    if (seconds != days * DAY)
        snprintf(buffer + strlen(buffer), TICK_TEXT - strlen(buffer), " %02d:%02d:%02d", (int)(rest / 3600), (int)fmod(rest / 60, 60), (int)fmod(rest, 60));
    return buffer;
}

/* Adds ticks at the first of every so many months. */
static void month_ticks(const Scale *scale, int64_t step, Ticks *ticks)
{
    int64_t year, month, day, at;

    date_of(floor(scale->low / DAY), &year, &month, &day);
    at = year * 12 + month - 1;
    at -= ((at % step) + step) % step;
    for (; ticks->count < TICKS_MOST; at += step) {
        int64_t y = at >= 0 ? at / 12 : (at - 11) / 12, m = at - y * 12 + 1;
        double seconds = days_of(y, m) * DAY;

        if (seconds > scale->high)
            break;
        if (seconds < scale->low)
            continue;
        add_tick(ticks, seconds);
        if (step % 12 == 0)
            snprintf(ticks->ticks[ticks->count - 1].text, TICK_TEXT, "%lld", (long long)y);
        else
            snprintf(ticks->ticks[ticks->count - 1].text, TICK_TEXT, "%lld-%02d", (long long)y, (int)m);
    }
}

/* Adds ticks every so many seconds. */
static void clock_ticks(const Scale *scale, double step, Ticks *ticks)
{
    for (double at = ceil(scale->low / step) * step; at <= scale->high && ticks->count < TICKS_MOST; at += step) {
        double days = floor(at / DAY), rest = at - days * DAY;
        int64_t year, month, day;
        char *text;

        date_of(days, &year, &month, &day);
        add_tick(ticks, at);
        text = ticks->ticks[ticks->count - 1].text;
        if (step >= DAY)
            snprintf(text, TICK_TEXT, "%lld-%02d-%02d", (long long)year, (int)month, (int)day);
        else if (rest == 0)
            snprintf(text, TICK_TEXT, "%02d-%02d", (int)month, (int)day);
        else if (step >= 60)
            snprintf(text, TICK_TEXT, "%02d:%02d", (int)(rest / 3600), (int)fmod(rest / 60, 60));
        else
            snprintf(text, TICK_TEXT, "%02d:%02d:%02d", (int)(rest / 3600), (int)fmod(rest / 60, 60), (int)fmod(rest, 60));
    }
}

static void time_ticks(const Scale *scale, uint32_t about, Ticks *ticks)
{
    static const double steps[] = {1, 2, 5, 15, 30, 60, 120, 300, 900, 1800, 3600, 10800, 21600, 43200, DAY, 2 * DAY, 7 * DAY, 14 * DAY};
    static const int64_t months[] = {1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000, 120000};
    double rough = (scale->high - scale->low) / about;

    if (rough < 0.5 || fabs(scale->low) > 1e14 || fabs(scale->high) > 1e14) {
        linear_ticks(scale, about, ticks);
        return;
    }
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (rough <= steps[i]) {
            clock_ticks(scale, steps[i], ticks);
            return;
        }
    for (size_t i = 0; i < sizeof(months) / sizeof(months[0]); i++)
        if (rough <= (double)months[i] * 30.5 * DAY) {
            month_ticks(scale, months[i], ticks);
            return;
        }
    linear_ticks(scale, about, ticks);
}

void scale_ticks(const Scale *scale, uint32_t about, Ticks *ticks)
{
    ticks->count = 0;
    if (scale->kind == SCALE_LOG)
        log_ticks(scale, about, ticks);
    else if (scale->kind == SCALE_TIME)
        time_ticks(scale, about, ticks);
    else if (scale->kind == SCALE_LINEAR)
        linear_ticks(scale, about, ticks);
}

void scale_finish(Scale *scale)
{
    double reach;

    if (scale->kind == SCALE_BANDS)
        return;
    if (!(scale->low <= scale->high)) /* there are no data */
        scale->low = scale->kind == SCALE_LOG ? 0.1 : 0, scale->high = 1;
    if (scale->kind == SCALE_LOG) {
        double share = scale->low == scale->high ? 2 : scale->tight ? 1 : pow(scale->high / scale->low, 0.03);

        scale->low = fmax(fmin(scale->low, 1e290) / share, 1e-300);
        scale->high = fmin(fmax(scale->high, 1e-290) * share, 1e300);
        return;
    }
    reach = scale->high * 0.04 - scale->low * 0.04; /* the width may be more than the greatest double */
    if (!(scale->high / 2 - scale->low / 2 > 1e-12 * fmax(fabs(scale->low), fabs(scale->high))))
        reach = scale->kind == SCALE_TIME ? fmax(DAY, fabs(scale->low) * 1e-9) : fmax(fabs(scale->low) * 0.05, scale->low == 0 ? 1 : 1e-300);
    else if (scale->tight)
        return;
    if (!scale->rooted || scale->low < 0)
        scale->low = fmax(scale->low - reach, -DBL_MAX);
    if (!scale->rooted || scale->high > 0 || scale->low == scale->high) /* all of a rooted scale is 0 */
        scale->high = fmin(scale->high + reach, DBL_MAX);
}

double scale_place(const Scale *scale, double value)
{
    double place = scale->kind == SCALE_LOG ? (log(fmax(value, 1e-300)) - log(scale->low)) / (log(scale->high) - log(scale->low))
                                            : (value / 2 - scale->low / 2) / (scale->high / 2 - scale->low / 2);

    return scale->reversed ? 1 - place : place;
}
