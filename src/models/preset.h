/* The named systems of the papers. A kind of models has one table of settings, which the command
 * line, a configuration file and config.json share; a preset is a kind and values of its settings.
 *
 *     const at_preset *p = at_preset_find("bahdanau", &err);
 *     at_preset_settings(p, &settings, &err);                     every setting has its value
 *     at_option_assign(.. p->kind->options .., &settings, ..);  some are changed
 *
 * Strings are borrowed: from the lists here, or from whoever assigned them. */
#ifndef ATTEND_MODELS_PRESET_H
#define ATTEND_MODELS_PRESET_H

#include "models/model.h"

typedef struct {
    const char *name, *formula; /* what it is */
    const char *source;
    const at_model_kind *kind;
    const char *attention; /* NULL: it has none */
    const char *settings;  /* "cell=gru bidirectional=yes": what differs from the defaults */
    const attend_setting *training; /* of a new run, where it differs from the defaults; the last
                                       has no name; NULL: none */
    int vocabulary; /* words it was made for, where words are learned and their number is not
                       asked for; 0: any number */
} at_preset;

#define PRESET(name) extern const at_preset at_preset_##name;
#include "models/presets.def"
#undef PRESET
extern const at_preset *const at_presets[];
extern const int at_preset_count;

/* The preset of that name, or NULL with an error that suggests one. */
const at_preset *at_preset_find(const char *name, attend_error *err);

/* The preset's value of a setting of the run, or NULL. */
const char *at_preset_training(const at_preset *p, const char *name);

/* Every setting of its kind as the preset has it. */
attend_status at_preset_settings(const at_preset *p, void *settings, attend_error *err);

#endif
