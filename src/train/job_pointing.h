/* The task of the job that trains pointer networks, for those who judge it. */
#ifndef ATTEND_TRAIN_JOB_POINTING_H
#define ATTEND_TRAIN_JOB_POINTING_H

#include "data/items.h"
#include "store/model_folder.h"

typedef struct {
    at_items *items[2]; /* to train on, to validate with */
    const at_batch *batch;
    real *features;     /* [B,S,F] of the batch, scaled */
    int *before;        /* [B,T]: the places before each step */
    size_t seen, right; /* of the last validation: sequences, and those with no place wrong */
} at_pointing_task;

#endif
