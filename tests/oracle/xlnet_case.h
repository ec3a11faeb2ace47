/* An XLNet of a case and its batch, for the families xlnet and train. */
#ifndef ATTEND_TESTS_XLNET_CASE_H
#define ATTEND_TESTS_XLNET_CASE_H

#include "models/xlnet.h"
#include "oracle.h"

enum { ATTEND_XLNET_CASE_LAYERS = 64 };

typedef struct {
    at_xlnet model;
    bool several; /* labels of a text */
    bool keeps;   /* use_mems_eval: returns a memory */
    at_xlnet_input in;
    at_tensor *memory[ATTEND_XLNET_CASE_LAYERS]; /* of the case's tape */
} at_xlnet_case;

/* The model, with the case's parameters, and its inputs. What cannot be read, or is not known here,
 * becomes a verdict; false then. */
bool at_xlnet_case_open(at_case *c, at_xlnet_case *x);

/* Of tokens, on any tape, without memory. */
at_tensor *at_xlnet_case_loss(at_tape *t, const at_xlnet_case *x, at_ids labels);

#endif
