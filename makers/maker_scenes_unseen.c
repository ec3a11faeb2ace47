/* Captions of scenes of two coloured shapes. */
#include "makers/scene.h"

static void make(at_dice *d, int size, at_made *made)
{
    (void)size;
    at_scene_make(d, true, made);
}

const at_maker at_maker_scenes_unseen = {
    .name = "scenes-unseen",
    .what = "the same with the pairs of things that scenes leaves out",
    .features = true,
    .pictures = true,
    .make = make,
};
