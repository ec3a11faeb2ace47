/* The task of the job that trains translators, for those who judge it. */
#ifndef ATTEND_TRAIN_JOB_TRANSLATION_H
#define ATTEND_TRAIN_JOB_TRANSLATION_H

#include "train/guide.h"
#include "train/translation.h"

typedef struct {
    at_translation loss;
    at_guide *guide; /* or NULL */
} at_translation_task;

#endif
