/* Hugging Face's DistilBERT; family_bert.c checks it. */
#include "oracle.h"

void at_check_distilbert(at_case *c) { at_check_bert(c); }
