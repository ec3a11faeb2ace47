/* Points in the unit square and those of them on their convex hull, counter-clockwise from the one
 * that comes first among the points given (Vinyals et al. 2015). A point is "0.25,0.71". The hull
 * is Andrew's monotone chain, on whole hundredths, so that no rounding decides. */
#include <stdlib.h>

#include "makers/maker.h"

enum { MAX_POINTS = 50, GRID = 100, MIN_POINTS = 5 };

typedef struct {
    int x, y, position;
} point;

static int by_x(const void *one, const void *other)
{
    const point *a = one, *b = other;
    return a->x != b->x ? a->x - b->x : a->y - b->y;
}

/* twice the area of the triangle, above 0 where c lies to the left of the way from a to b */
static int turn(point a, point b, point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* The corners, counter-clockwise from the leftmost; points on an edge are left out. */
static int hull_of(point *sorted, int n, point *corner)
{
    int count = 0;
    for (int way = 0; way < 2; way++) { /* below, from left to right, and back above */
        int first = count;
        for (int i = 0; i < n; i++) {
            point next = sorted[way ? n - 1 - i : i];
            while (count - first >= 2 && turn(corner[count - 2], corner[count - 1], next) <= 0)
                count--;
            corner[count++] = next;
        }
        count--; /* the end of one way is the beginning of the other */
    }
    return count;
}

static void say(at_str *s, point p)
{
    at_str_print(s, "%s0.%02d,0.%02d", s->length ? " " : "", p.x, p.y);
}

static void make(at_dice *d, int size, at_made *made)
{
    at_str *source = &made->source, *target = &made->target;
    point points[MAX_POINTS], corner[2 * MAX_POINTS];
    int n = MIN_POINTS + at_dice_roll(d, size - MIN_POINTS + 1);
    bool taken[GRID * GRID] = {false};
    for (int i = 0; i < n;) {
        int at = at_dice_roll(d, GRID * GRID);
        if (taken[at])
            continue;
        taken[at] = true;
        points[i] = (point){at / GRID, at % GRID, i};
        say(source, points[i++]);
    }
    qsort(points, (size_t)n, sizeof *points, by_x);
    int count = hull_of(points, n, corner), first = 0;
    for (int i = 1; i < count; i++)
        if (corner[i].position < corner[first].position)
            first = i;
    for (int i = 0; i < count; i++)
        say(target, corner[(first + i) % count]);
}

const at_maker at_maker_hull = {
    .name = "hull",
    .what = "points, and those on their convex hull",
    .size = 10,
    .smallest = MIN_POINTS,
    .largest = MAX_POINTS,
    .make = make,
};
