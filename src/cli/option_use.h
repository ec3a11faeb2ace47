/* Options that only some of a command's actions have, such as `data check` and `data split`. */
#ifndef ATTEND_CLI_OPTION_USE_H
#define ATTEND_CLI_OPTION_USE_H

#include "base/option.h"

typedef struct {
    const char *action;  /* "check" */
    const char *options; /* those that it has, with blanks around each: " src tgt " */
} at_option_use;

/* Fails where an option is set that this action does not have; the message says which have it. */
attend_status at_option_use_check(const at_option *options, const void *fields,
                                  const at_option_use *uses, int count, int which,
                                  attend_error *err);

#endif
