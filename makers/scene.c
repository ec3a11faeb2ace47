/* A scene has two things on a light ground, one beside or above the other, and a caption:
 *
 *     a red circle left of a blue square
 *
 * The left or upper one is named first, so that there is one right caption. It is somewhere, the
 * second at least three patches away along one axis and at most one along the other. Of the pairs
 * of things every fifth is left to scenes-unseen; each thing comes in both halves of the pairs of
 * `scenes`. The picture is small, for a grid of 8x8 patches of 4 by 4 colours. */
#include "makers/scene.h"

#include <stdlib.h>

#include "attend.h"

enum {
    SIDE = 64,            /* pixels of a picture */
    GRID = 8,             /* patches */
    COLOURS_OF_PATCH = 4, /* along a side of it */
    WIDTH = 3 * COLOURS_OF_PATCH * COLOURS_OF_PATCH + 2,
    REACH = 8, /* pixels of a shape from its middle, which is a corner of patches */
    NEAR = 8,  /* distances of the two along the axis of the relation and across */
    PIXELS = SIDE * SIDE
};

static const struct {
    const char *name;
    unsigned char rgb[3];
} colours[] = {{"red", {214, 39, 40}},     {"green", {44, 140, 44}}, {"blue", {31, 80, 200}},
               {"yellow", {240, 200, 20}}, {"black", {30, 30, 30}},  {"purple", {140, 60, 170}}};

static const char *const shapes[] = {"circle", "square", "triangle", "cross"};

static const struct {
    const char *text;
    int across, down; /* where the first is, seen from the second */
} relations[] = {{"left of", -1, 0}, {"above", 0, -1}};

enum {
    COLOURS = sizeof colours / sizeof *colours,
    SHAPES = sizeof shapes / sizeof *shapes,
    THINGS = COLOURS * SHAPES,
    RELATIONS = sizeof relations / sizeof *relations,
    LEFT_OUT = 5
};

typedef struct {
    int thing, x, y; /* the middle */
} placed;

/* in half pixels from the middle */
static bool covers(int shape, int x, int y)
{
    enum { R = 2 * REACH };
    switch (shape) {
    case 0: return x * x + y * y <= R * R;
    case 1: return abs(x) < R - 2 && abs(y) < R - 2;
    case 2: return y < R - 2 && 2 * abs(x) <= y + R;
    default: return abs(x) < R / 3 || abs(y) < R / 3;
    }
}

static void draw(unsigned char *rgb, const placed *p)
{
    for (int y = -REACH; y < REACH; y++)
        for (int x = -REACH; x < REACH; x++) {
            unsigned char *pixel = rgb + 3 * ((p->y + y) * SIDE + p->x + x);
            for (int c = 0; c < 3 && covers(p->thing % SHAPES, 2 * x + 1, 2 * y + 1); c++)
                pixel[c] = colours[p->thing / SHAPES].rgb[c];
        }
}

static int between(at_dice *d, int low, int high) { return low + at_dice_roll(d, high - low + 1); }

/* One coordinate of both, in patches: the first thing is before the second for way -1, and at most
 * one patch away for 0. */
static void place(at_dice *d, int way, int *first, int *second)
{
    enum { LOW = 1, HIGH = GRID - 1, APART = 3 };
    if (way == 0) {
        *first = between(d, LOW, HIGH);
        *second = between(d, *first > LOW ? *first - 1 : LOW, *first < HIGH ? *first + 1 : HIGH);
    } else {
        int before = between(d, LOW, HIGH - APART), after = between(d, before + APART, HIGH);
        *first = before;
        *second = after;
    }
    *first *= SIDE / GRID;
    *second *= SIDE / GRID;
}

static void choose_things(at_dice *d, bool unseen, placed *a, placed *b)
{
    do {
        a->thing = at_dice_roll(d, THINGS);
        b->thing = at_dice_roll(d, THINGS);
    } while (a->thing == b->thing || ((a->thing + b->thing) % LEFT_OUT == 0) != unseen);
}

/* The patches as text: "0.9500,..,-0.8750 ...". */
static void print_patches(const attend_picture *picture, at_str *source)
{
    float patch[GRID * GRID * WIDTH];
    attend_error err;
    if (attend_picture_patches(picture, GRID, GRID, COLOURS_OF_PATCH, patch, &err) < 0)
        return;
    for (int i = 0; i < GRID * GRID; i++)
        for (int k = 0; k < WIDTH; k++)
            at_str_print(source, "%s%.4f", k ? "," : i ? " " : "", (double)patch[i * WIDTH + k]);
}

static void say(at_str *target, const placed *p)
{
    at_str_print(target, "a %s %s", colours[p->thing / SHAPES].name, shapes[p->thing % SHAPES]);
}

void at_scene_make(at_dice *d, bool unseen, at_made *made)
{
    unsigned char rgb[3 * PIXELS];
    attend_picture picture = {SIDE, SIDE, rgb};
    placed a, b;
    int relation = at_dice_roll(d, RELATIONS), ground = between(d, 225, 255);
    for (int i = 0; i < PIXELS * 3; i++)
        rgb[i] = (unsigned char)ground;
    choose_things(d, unseen, &a, &b);
    place(d, relations[relation].across, &a.x, &b.x);
    place(d, relations[relation].down, &a.y, &b.y);
    draw(rgb, &a);
    draw(rgb, &b);
    print_patches(&picture, &made->source);
    say(&made->target, &a);
    at_str_print(&made->target, " %s ", relations[relation].text);
    say(&made->target, &b);
    made->width = made->height = SIDE;
    at_str_add_bytes(&made->rgb, (const char *)rgb, sizeof rgb);
}
