/* Defaults of searching in the folders of the hub. */
#ifndef ATTEND_STORE_GENERATION_H
#define ATTEND_STORE_GENERATION_H

#include "base/json.h"
#include "models/generation.h"
#include "models/model.h"

/* Reads config.json, and generation_config.json over it (or NULL), into m->generation. Ids are
 * below `vocabulary`. A value that changes what transformers finds, and that is not known here, is
 * refused by its name. */
attend_status at_generation_read(at_model *m, const char *folder, const json_t *config,
                                 const json_t *generation, int vocabulary, attend_error *err);

/* Does a key of config.json say how texts are searched for? */
bool at_generation_has_key(const char *key);

#endif
