/* The task of the job that trains classifiers, for those who judge it. */
#ifndef ATTEND_TRAIN_JOB_CLASSIFICATION_H
#define ATTEND_TRAIN_JOB_CLASSIFICATION_H

#include "store/classifier_folder.h"
#include "train/classification.h"

typedef struct {
    at_classifier_folder folder; /* settings, model, weights, tokenizer, classes */
    at_classification loss;
} at_classification_task;

#endif
