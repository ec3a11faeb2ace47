/* The weights of a folder: model.safetensors, or the files that model.safetensors.index.json names,
 * which hold a part of the tensors each. */
#ifndef ATTEND_STORE_WEIGHT_FILES_H
#define ATTEND_STORE_WEIGHT_FILES_H

#include "store/weights.h"

typedef struct {
    at_lent_file **file; /* owned by the set */
    int count, room;
    at_arena memory;
} at_weight_files;

/* Opens all files for a set of parameters, which closes them when it is freed. No name is in two
 * files, and every name of the index is in the file that it names. */
attend_status at_weight_files_open(const char *folder, at_params *params, at_weight_files *out,
                                   attend_error *err);
/* The same of a single file. */
attend_status at_weight_files_open_one(const char *path, at_params *params, at_weight_files *out,
                                       attend_error *err);
void at_weight_files_free(at_weight_files *f); /* not the files themselves */

/* The tensors of all files; *from receives the file of one, and may be NULL. */
int at_weight_files_tensors(const at_weight_files *f);
const at_stored *at_weight_files_at(const at_weight_files *f, int index, const at_lent_file **from);
const at_stored *at_weight_files_find(const at_weight_files *f, const char *name,
                                      const at_lent_file **from); /* or NULL */

#endif
