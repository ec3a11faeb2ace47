#include "cli/option_use.h"

#include <stdio.h>
#include <string.h>

static bool has(const at_option_use *use, const char *name)
{
    char word[68];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(use->options, word) != NULL;
}

static attend_status refuse(const char *name, const at_option_use *uses, int count, int which,
                            attend_error *err)
{
    at_str actions = {0};
    for (int i = 0; i < count; i++)
        if (has(&uses[i], name))
            at_str_print(&actions, "%s%s", actions.length ? ", " : "", uses[i].action);
    attend_status status = at_error(err, ATTEND_OPTION, "--%s is for %s, not for %s", name,
                                    at_str_text(&actions), uses[which].action);
    at_str_free(&actions);
    return status;
}

attend_status at_option_use_check(const at_option *options, const void *fields,
                                  const at_option_use *uses, int count, int which,
                                  attend_error *err)
{
    for (const at_option *o = options; o->name; o++)
        if (!has(&uses[which], o->name) && at_option_is_set(o, fields))
            return refuse(o->name, uses, count, which, err);
    return ATTEND_OK;
}
