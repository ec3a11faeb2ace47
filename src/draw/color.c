/* The map of weights is a path through Oklab (Ottosson 2020), a space in which the distance of two
 * colours is how different they look: from white through blue to nearly black, at constant
 * speed along its length. The lines have the colours of Okabe and Ito (2008), which people with any
 * colour vision can tell apart. */
#include "draw/color.h"

#include <math.h>
#include <pthread.h>

typedef struct {
    double L, a, b;
} lab;

static double encode(double linear)
{
    double c = linear < 0 ? 0 : linear > 1 ? 1 : linear;
    return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

static at_color from_lab(lab c)
{
    double l = pow(c.L + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
    double m = pow(c.L - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
    double s = pow(c.L - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
    return (at_color){encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                      encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                      encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/* the path: lightness falls evenly, the hue turns from sea to night, colour swells in between */
static lab path(double t)
{
    double hue = (215 + 62 * t) * 3.14159265358979 / 180;
    double chroma = 0.12 * sin(3.14159265358979 * 0.82 * t);
    return (lab){1 - 0.715 * t, chroma * cos(hue), chroma * sin(hue)};
}

enum { SHADES = 256, STEPS = 1024 };

static lab shade[SHADES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static double distance(lab x, lab y)
{
    return sqrt(pow(x.L - y.L, 2) + pow(x.a - y.a, 2) + pow(x.b - y.b, 2));
}

/* points of the path at equal distances along it */
static void make_shades(void)
{
    double length = 0, gone = 0;
    for (int i = 0; i < STEPS; i++)
        length += distance(path((double)i / STEPS), path((i + 1.0) / STEPS));
    for (int i = 0, n = 0; n < SHADES; i++) {
        lab from = path((double)i / STEPS), to = path((i + 1.0) / STEPS);
        for (gone += distance(from, to); n < SHADES && n * length <= gone * (SHADES - 1) + 1e-9;
             n++)
            shade[n] = to;
    }
}

static lab shade_of(double share)
{
    pthread_once(&once, make_shades);
    return shade[share <= 0 ? 0 : share >= 1 ? SHADES - 1 : (int)(share * (SHADES - 1) + 0.5)];
}

at_color at_color_weight(double share)
{
    return isfinite(share) ? from_lab(shade_of(share)) : (at_color){0.85, 0.85, 0.85};
}

at_color at_color_on_weight(double share)
{
    return isfinite(share) && shade_of(share).L < 0.62 ? (at_color){1, 1, 1}
                                                       : (at_color){0.1, 0.1, 0.1};
}

at_color at_color_line(int number)
{
    static const unsigned char colors[ATTEND_COLOR_LINES][3] = {
        {0, 114, 178},  {213, 94, 0},  {0, 158, 115}, {204, 121, 167},
        {86, 180, 233}, {230, 159, 0}, {120, 94, 60}};
    if (number < 0)
        return number == -1 ? (at_color){0.5, 0.5, 0.5} : (at_color){0, 0, 0};
    const unsigned char *c = colors[number ? (number - 1) % ATTEND_COLOR_LINES : 0];
    return (at_color){c[0] / 255.0, c[1] / 255.0, c[2] / 255.0};
}

static at_color mix(at_color c, double with, double share)
{
    return (at_color){c.r + (with - c.r) * share, c.g + (with - c.g) * share,
                      c.b + (with - c.b) * share};
}

at_color at_color_head(int number)
{
    int round = number / (ATTEND_COLOR_LINES + 1), which = number % (ATTEND_COLOR_LINES + 1);
    at_color c = which < ATTEND_COLOR_LINES ? at_color_line(which + 1) : (at_color){0.3, 0.3, 0.3};
    return round % 3 == 0 ? c : round % 3 == 1 ? mix(c, 0, 0.4) : mix(c, 1, 0.45);
}

/* colours 16 to 231 of a terminal: six levels of red, green and blue */
static int level(double c)
{
    static const double ends[] = {0, 95 / 255.0, 135 / 255.0, 175 / 255.0, 215 / 255.0, 1};
    int best = 0;
    for (int i = 1; i < 6; i++)
        best = fabs(ends[i] - c) < fabs(ends[best] - c) ? i : best;
    return best;
}

int at_color_terminal(at_color c) { return 16 + 36 * level(c.r) + 6 * level(c.g) + level(c.b); }
