/* A BERT of a case: its mask, for the families bert and train; and the real one of sentences. */
#ifndef ATTEND_TESTS_BERT_CASE_H
#define ATTEND_TESTS_BERT_CASE_H

#include "oracle.h"

/* attention_mask [B,T] or [B,T,T] of the inputs; NULL where there is none. */
at_mask *at_bert_case_mask(at_case *c);

/* all-MiniLM-L6-v2: states and attention, and the vectors of its texts. */
at_check_family at_check_minilm;

#endif
