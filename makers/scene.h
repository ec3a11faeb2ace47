/* Scenes of two coloured shapes, which makers of captions share. */
#ifndef ATTEND_MAKE_SCENE_H
#define ATTEND_MAKE_SCENE_H

#include "makers/maker.h"

/* Makes a scene: features of its patches, the caption, and the picture.
 *
 * unseen   true: one of the pairs of things that scenes leaves out */
void at_scene_make(at_dice *d, bool unseen, at_made *made);

#endif
