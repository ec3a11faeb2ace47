/* Settings of one item of a list: the optimisers share one table of options (base/option.h), the
 * schedules another, and each item has some of the table's rows. They are set from code, from a
 * file, or from a text such as
 *
 *     adamw:lr=3e-4,weight_decay=0.1
 *
 * where '_' may stand for the '-' of a name. */
#ifndef ATTEND_TRAIN_SETTINGS_H
#define ATTEND_TRAIN_SETTINGS_H

#include <stddef.h>

#include "base/error.h"
#include "base/option.h"

typedef struct {
    const char *owner; /* "adamw" */
    const char *has;   /* the rows it has, separated by blanks */
    const at_option *options;
    void *fields;
} at_settings;

/* a row that the owner has, or NULL */
const at_option *at_setting_find(const at_settings *s, const char *name, size_t length);

/* A number for any row: 0 or 1 for a flag, the place of a choice. */
attend_status at_setting_set(const at_settings *s, const char *name, double value,
                             attend_error *err);

/* "warmup=10,total=50"; a flag may stand alone. Empty text sets nothing. */
attend_status at_settings_parse(const at_settings *s, const char *text, attend_error *err);

/* Does "adam:lr=0.5,eps=1e-6" set that name? */
bool at_settings_has(const char *text, const char *name);

/* the place of a word in a list separated by blanks, or -1; '_' and '-' are the same */
int at_word_place(const char *list, const char *word, size_t length);

#endif
