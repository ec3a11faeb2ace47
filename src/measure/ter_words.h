/* The words that TER compares: Tercom's normalisation, as sacreBLEU does it. */
#ifndef ATTEND_MEASURE_TER_WORDS_H
#define ATTEND_MEASURE_TER_WORDS_H

#include "measure/measure.h"

/* text becomes its words with one space between them */
void at_ter_words(const attend_measure_options *o, at_chars *text, at_chars *spare);

#endif
