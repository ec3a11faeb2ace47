/* Inside an attend_translator, for the files of this folder. */
#ifndef ATTEND_API_TRANSLATOR_H
#define ATTEND_API_TRANSLATOR_H

#include "attend.h"
#include "decode/translate.h"
#include "store/model_folder.h"

struct attend_translator {
    int count;
    at_model *model[ATTEND_ENSEMBLE_MOST];
    at_session *session;
};

/* inside an attend_features */
const at_features *at_features_of(const attend_features *f);

#endif
