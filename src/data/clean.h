/* A text without what should not be in it: control characters and invisible ones go, characters
 * that some programs take for a line end become blanks, and blanks at the ends go. */
#ifndef ATTEND_DATA_CLEAN_H
#define ATTEND_DATA_CLEAN_H

#include "base/str.h"
#include "text/tokenizer.h"

/* Appends the clean text. Tabs and line ends inside of it stay. */
void at_clean(at_str *out, at_text t);

#endif
