/* Hugging Face's RoBERTa; family_bert.c checks it. */
#include "oracle.h"

void at_check_roberta(at_case *c) { at_check_bert(c); }
