/* Which instruction set the kernels use. Chosen once, at the first question, from cpuid; the
 * environment variable ATTEND_ISA (base, avx2, avx512, amx) can ask for less. */
#ifndef ATTEND_BASE_CPU_H
#define ATTEND_BASE_CPU_H

#include <stdbool.h>

/* amx is avx512 with tiles of bfloat16 for products of gradients. Where it is chosen, the system is
 * asked for them, for the whole process: stacks of signals (sigaltstack) then need 11 KB. Where the
 * system refuses, it is avx512. */
typedef enum { ATTEND_ISA_BASE, ATTEND_ISA_AVX2, ATTEND_ISA_AVX512, ATTEND_ISA_AMX } at_isa;

at_isa at_cpu_isa(void);
at_isa at_cpu_best(void); /* of this processor */
const char *at_isa_name(at_isa isa);

/* Uses another instruction set from now on, for tests; false where the machine lacks it. */
bool at_cpu_use(at_isa isa);

#endif
