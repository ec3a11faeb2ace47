/* The task of the job that trains classifiers, for those who judge it. */
#ifndef ATTEND_TRAIN_JOB_CLASSIFICATION_H
#define ATTEND_TRAIN_JOB_CLASSIFICATION_H

#include "train/classification.h"

typedef struct {
    at_classification loss;
} at_classification_task;

#endif
