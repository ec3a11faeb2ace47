/* Which model a recipe begins with: a preset, that of a file, the one of a run that goes on, or the
 * model that a new run starts from. */
#ifndef ATTEND_API_RECIPE_MODEL_H
#define ATTEND_API_RECIPE_MODEL_H

#include "api/recipe.h"

/* Chooses the preset and fills r->model. The files are read; a file's settings that are but those
 * of its own preset are taken out of it where the caller names another one. */
attend_status at_recipe_choose(at_recipe *r, attend_error *err);

/* The caller's last word on a setting, or NULL; and the caller's, else the file's. */
const char *at_recipe_given(const at_recipe *r, const char *name);
const char *at_recipe_told(const at_recipe *r, const char *name);

/* Refuses settings that the caller gives and that would change nothing. */
attend_status at_recipe_refuse_idle(const at_recipe *r, attend_error *err);

/* Does a run go on? */
bool at_recipe_goes_on(const at_recipe *r);

#endif
