#include "draw/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const at_axis at_axis_empty = {.low = INFINITY, .high = -INFINITY};

void at_axis_take(at_axis *a, double value)
{
    if (!isfinite(value) || (a->log && value <= 0))
        return;
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

void at_axis_widen(at_axis *a, double share)
{
    if (!(a->low <= a->high)) {
        a->low = a->log ? 1 : 0;
        a->high = a->log ? 10 : 1;
    }
    if (a->log) {
        double factor = a->high > a->low ? pow(a->high / a->low, share) : 2;
        a->low = fmax(a->low / factor, 1e-300);
        a->high = fmin(a->high * factor, 1e300);
        return;
    }
    double min = fmax(fabs(a->low), fabs(a->high)) * 1e-12;
    double space = a->high - a->low > min ? share * (a->high - a->low)
                                          : fmax(0.5, fabs(a->low) * 1e-3);
    a->low -= space;
    a->high += space;
}

/* ---- ticks -------------------------------------------------------------------------------- */

/* digits as they stand above the line */
static void superscript(char *out, size_t size, int number)
{
    static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    size_t used = 0;
    snprintf(plain, sizeof plain, "%d", number);
    for (const char *p = plain; *p; p++)
        used += (size_t)snprintf(out + used, size - used, "%s", *p == '-' ? "⁻" : digit[*p - '0']);
}

/* a hyphen in front of a number becomes a minus */
static void with_minus(char *out, size_t size, const char *number)
{
    snprintf(out, size, "%s%s", *number == '-' ? "−" : "", number + (*number == '-'));
}

static void label_plain(at_axis *a, int i, double step)
{
    char text[40], power[40];
    double value = fabs(a->tick[i]) < step / 2 ? 0 : a->tick[i];
    double max = fmax(fabs(a->low), fabs(a->high));
    if (max < 1e6 && step >= 1e-5)
        snprintf(text, sizeof text, "%.*f", step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9), value);
    else if (value == 0)
        strcpy(text, "0");
    else {
        int exponent = (int)floor(log10(max) + 1e-9);
        superscript(power, sizeof power, exponent);
        snprintf(text, sizeof text, "%.4g·10%.16s", value / pow(10, exponent), power);
    }
    with_minus(a->label[i], sizeof a->label[i], text);
}

static void mark_plain(at_axis *a, int max)
{
    double raw = (a->high - a->low) / max, power = pow(10, floor(log10(raw)));
    double digit = raw / power;
    double step = power * (digit <= 1.0001 ? 1 : digit <= 2.0001 ? 2 : digit <= 5.0001 ? 5 : 10);
    step = a->whole ? fmax(1, step) : step;
    double first = ceil(a->low / step - 1e-9);
    for (int i = 0; i < ATTEND_AXIS_TICKS && (first + i) * step <= a->high + 1e-9 * step; i++) {
        a->tick[a->count++] = (first + i) * step;
        label_plain(a, i, step);
    }
}

static void label_power(at_axis *a, double value)
{
    int exponent = (int)floor(log10(value) + 1e-9);
    char *label = a->label[a->count], power[40];
    int digit = (int)(value / pow(10, exponent) + 0.5);
    superscript(power, sizeof power, exponent);
    if (exponent >= -3 && exponent <= 4)
        snprintf(label, sizeof a->label[0], "%.*f", exponent < 0 ? -exponent : 0, value);
    else
        snprintf(label, sizeof a->label[0], "%s10%.16s",
                 digit == 1   ? ""
                 : digit == 2 ? "2·"
                              : "5·",
                 power);
    a->tick[a->count++] = value;
}

static void mark_log(at_axis *a, int max)
{
    static const int with[2][3] = {{1, 2, 5}, {1, 0, 0}};
    int from = (int)floor(log10(a->low) + 1e-9), to = (int)ceil(log10(a->high) - 1e-9);
    int kind = 3 * log10(a->high / a->low) > max + 1, every = 1 + (to - from) / (max + 1);
    for (int e = from; e <= to; e += every)
        for (int k = 0; k < 3 && with[kind][k]; k++) {
            double value = with[kind][k] * pow(10, e);
            bool inside = value >= a->low * (1 - 1e-9) && value <= a->high * (1 + 1e-9);
            if (inside && a->count < ATTEND_AXIS_TICKS)
                label_power(a, value);
        }
}

void at_axis_mark(at_axis *a, int max)
{
    a->count = 0;
    max = max < 2 ? 2 : max > ATTEND_AXIS_TICKS / 2 ? ATTEND_AXIS_TICKS / 2 : max;
    if (a->log)
        mark_log(a, max);
    else
        mark_plain(a, max);
}

double at_axis_position(const at_axis *a, double value)
{
    if (a->log)
        return value > 0 ? log(value / a->low) / log(a->high / a->low) : NAN;
    return (value - a->low) / (a->high - a->low);
}
