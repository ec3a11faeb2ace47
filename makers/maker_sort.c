/* Numbers to be brought into order: "83 12 57" becomes "12 57 83". What a pointer network learns
 * first (Vinyals et al. 2015). Numbers go from 0 to 99, and none comes twice. */
#include "makers/maker.h"

enum { NUMBERS = 100 };

static void say(at_str *s, int number) { at_str_print(s, s->length ? " %d" : "%d", number); }

static void make(at_dice *d, int size, at_made *made)
{
    at_str *source = &made->source, *target = &made->target;
    bool taken[NUMBERS] = {false};
    for (int i = 0; i < size;) {
        int number = at_dice_roll(d, NUMBERS);
        if (taken[number])
            continue;
        taken[number] = true;
        say(source, number);
        i++;
    }
    for (int number = 0; number < NUMBERS; number++)
        if (taken[number])
            say(target, number);
}

const at_maker at_maker_sort = {
    .name = "sort",
    .what = "different numbers, to be sorted",
    .size = 5,
    .smallest = 2,
    .largest = 50,
    .make = make,
};
