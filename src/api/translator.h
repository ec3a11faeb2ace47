/* Inside an attend_translator, for the files of this folder. */
#ifndef ATTEND_API_TRANSLATOR_H
#define ATTEND_API_TRANSLATOR_H

#include "attend.h"
#include "decode/translate.h"
#include "store/translator_folder.h"

struct attend_translator {
    int count;
    struct {
        at_translator_folder folder;
        at_continuation *continuation;
    } model[ATTEND_ENSEMBLE_MOST];
};

/* inside an attend_features */
const at_features *at_features_of(const attend_features *f);

/* What at_translate takes; model has room for all of them. */
at_translating at_translator_with(const attend_translator *t,
                                  at_continuation *model[ATTEND_ENSEMBLE_MOST]);

#endif
