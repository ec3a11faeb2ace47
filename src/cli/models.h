/* The models of a command: one, or several whose probabilities are averaged. */
#ifndef ATTEND_CLI_MODELS_H
#define ATTEND_CLI_MODELS_H

#include "cli/cli.h"

enum { ATTEND_MODELS_MAX = 16 };

typedef struct {
    attend_model *model[ATTEND_MODELS_MAX];
    size_t count;
} at_models;

/* Opens a model that must be able to do something; release it with attend_model_free. */
attend_status at_cli_model_open(at_cli *cli, const char *path, attend_capability can,
                                attend_model **out, attend_error *err);

/* Opens another translator, which must fit to those that are there. */
attend_status at_models_add(at_models *m, at_cli *cli, const char *path, attend_error *err);

/* The same of every path; paths may be NULL. */
attend_status at_models_add_all(at_models *m, at_cli *cli, const at_paths *paths,
                                attend_error *err);

/* The models after the first, as options of attend_translate. */
void at_models_use(const at_models *m, attend_translate_options *o);

/* Refuses an option that needs the weights of cross-attention if no model has any. */
attend_status at_models_need_attention(const at_models *m, const char *option, attend_error *err);

/* Numbers of each vector that the models read; 0: they read text. */
int at_models_features(const at_models *m);

void at_models_free(at_models *m);

#endif
