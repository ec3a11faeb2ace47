/* Inside a training run: its parts, which run_prepare.c makes and run.c uses. */
#ifndef ATTEND_TRAIN_RUN_PARTS_H
#define ATTEND_TRAIN_RUN_PARTS_H

#include "store/translator_folder.h"
#include "train/run.h"

struct at_run {
    at_run_settings settings;
    at_run_hooks hooks;
    at_translator_folder folder; /* settings, model, weights, tokenizers */
    at_corpus *corpus, *valid;   /* valid: of its own file, or the same */
    unsigned char *part;         /* of each example of corpus */
    at_encoded *numbers[2];      /* to train on, to validate with */
    at_encoded_supply sentences[2];
    at_batches *batches;
    at_arena memory; /* of one batch */
    at_trainer *trainer;
    at_tape *tape; /* of validations */
    at_translation task;
    at_standing standing;
    int64_t steps; /* of the whole run */
    int lock;
};

/* Reports an event, or a line of text. */
int at_run_tell(at_run *r, at_run_event e);
void at_run_say(at_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* folder/name in out; at_free it; NULL without memory */
char *at_run_path(const at_run *r, const char *name);

/* Everything up to the first step of a fresh run. */
attend_status at_run_prepare(at_run *r, const at_translator *settings, attend_error *err);

/* Takes the folder for this run alone. */
attend_status at_run_lock(at_run *r, attend_error *err);

/* To where the checkpoint in the folder stands. */
attend_status at_run_go_on(at_run *r, attend_error *err);

#endif
