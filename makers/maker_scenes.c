/* Captions of scenes of two coloured shapes. */
#include "makers/scene.h"

static void make(at_dice *d, int size, at_made *made)
{
    (void)size;
    at_scene_make(d, false, made);
}

const at_maker at_maker_scenes = {
    .name = "scenes",
    .what = "patches of pictures of two coloured shapes, and captions",
    .features = true,
    .pictures = true,
    .make = make,
};
