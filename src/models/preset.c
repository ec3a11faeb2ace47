#include "models/preset.h"

#include <string.h>

#include "base/guess.h"
#include "base/option_alias.h"

const at_preset *at_preset_find(const char *name, attend_error *err)
{
    at_guess guess = {.word = name};
    for (int i = 0; i < at_preset_count; i++) {
        if (strcmp(at_presets[i]->name, name) == 0)
            return at_presets[i];
        at_guess_consider(&guess, at_presets[i]->name, strlen(at_presets[i]->name));
    }
    at_error(err, ATTEND_OPTION, "there is no preset '%.40s'%s%s%s", name,
             *guess.best ? "; did you mean '" : "; attend list presets shows those there are",
             guess.best, *guess.best ? "'?" : "");
    return NULL;
}

const char *at_preset_training(const at_preset *p, const char *name)
{
    for (const attend_setting *s = p->training; s && s->name; s++)
        if (at_option_alias_same(name, s->name))
            return s->value;
    return NULL;
}

/* A text keeps what it is given: it must be a constant. */
static attend_status assign_text(const at_preset *p, void *settings, const char *name,
                                 const char *value, attend_error *err)
{
    at_option_set set = {p->kind->options, settings};
    void *fields;
    const at_option *o = at_option_find(&set, 1, name, &fields);
    return o ? at_option_assign(o, value, fields, name, err)
             : at_error(err, ATTEND_OPTION, "preset %s: there is no setting '%s'", p->name, name);
}

/* "name=value name=value" */
static attend_status assign_all(const at_preset *p, void *settings, attend_error *err)
{
    at_option_set set = {p->kind->options, settings};
    attend_status status = ATTEND_OK;
    for (const char *next = p->settings; *next && status >= 0; next += strspn(next, " ")) {
        char name[48], value[64];
        void *fields;
        size_t n = strcspn(next, "="), length = strcspn(next + n, " ");
        if (n >= sizeof name || length < 1 || length > sizeof value)
            return at_error(err, ATTEND_OPTION, "preset: '%.40s' is no setting", next);
        memcpy(name, next, n);
        name[n] = '\0';
        memcpy(value, next + n + 1, length - 1);
        value[length - 1] = '\0';
        const at_option *o = at_option_find(&set, 1, name, &fields);
        if (!o || o->type == ATTEND_OPTION_STRING)
            return at_error(err, ATTEND_OPTION, "preset: '%s' cannot be set so", name);
        status = at_option_assign(o, value, fields, name, err);
        next += n + length;
    }
    return status;
}

attend_status at_preset_settings(const at_preset *p, void *settings, attend_error *err)
{
    attend_status status = at_options_defaults(p->kind->options, settings, err);
    if (status >= 0)
        status = assign_text(p, settings, "preset", p->name, err);
    if (status >= 0 && p->attention)
        status = assign_text(p, settings, "attention", p->attention, err);
    return status < 0 ? status : assign_all(p, settings, err);
}
