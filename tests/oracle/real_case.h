/* Cases of the family `real` that have files of their own. */
#ifndef ATTEND_TESTS_REAL_CASE_H
#define ATTEND_TESTS_REAL_CASE_H

#include "oracle.h"

void at_check_aren(at_case *c);

/* Lengths [B] from a mask of padding at the end of rows, in the case's memory; NULL where there is
 * no mask. */
const int *at_case_lengths(at_case *c, const char *name);

#endif
