/* A pointer network as a folder (model_folder.h): config.json has the items' mean and spread, which
 * they are measured by. */
#ifndef ATTEND_STORE_POINTER_FOLDER_H
#define ATTEND_STORE_POINTER_FOLDER_H

#include "base/arena.h"
#include "models/pointer.h"

enum { ATTEND_ITEM_WIDTH_MOST = 1024 };

typedef struct {
    at_pointer_settings settings;
    at_pointer model;
    at_params *params;
    double mean[ATTEND_ITEM_WIDTH_MOST], spread[ATTEND_ITEM_WIDTH_MOST]; /* [model.width] */
    at_arena strings; /* what the settings point to */
} at_pointer_folder;

/* Everything but the weights; the folder is made where it is missing. */
attend_status at_pointer_folder_save(const char *folder, const at_pointer_folder *f,
                                     attend_error *err);

/* Everything but the weights: params is an empty set. at_pointer_folder_free it, on failure too. */
attend_status at_pointer_folder_open(const char *folder, at_pointer_folder *f, attend_error *err);

/* And the weights, of the folder's model.safetensors. No others can be added. */
attend_status at_pointer_folder_weights(at_pointer_folder *f, const char *folder,
                                        attend_error *err);
void at_pointer_folder_free(at_pointer_folder *f);

/* An item [width] as the model takes it. */
void at_pointer_folder_scale(const at_pointer_folder *f, const real *item, real *to);

#endif
