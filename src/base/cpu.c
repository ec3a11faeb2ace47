#include "base/cpu.h"

#include "base/log.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"base", "avx2", "avx512"};
static atomic_int chosen = -1;

at_isa at_cpu_best(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("fma"))
        return ATTEND_ISA_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return ATTEND_ISA_AVX2;
#endif
    return ATTEND_ISA_BASE;
}

static at_isa wanted(void)
{
    at_isa isa = at_cpu_best();
    const char *limit = getenv("ATTEND_ISA");
    for (int i = 0; limit && i < (int)(sizeof names / sizeof *names); i++)
        if (strcmp(limit, names[i]) == 0)
            return i < (int)isa ? (at_isa)i : isa;
    if (limit && *limit)
        at_log(ATTEND_LOG_WARNING, "ATTEND_ISA is %.20s, not base, avx2 or avx512; using %s", limit,
               names[isa]);
    return isa;
}

at_isa at_cpu_isa(void)
{
    int isa = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (isa < 0) {
        isa = wanted();
        atomic_store_explicit(&chosen, isa, memory_order_relaxed);
    }
    return (at_isa)isa;
}

const char *at_isa_name(at_isa isa) { return names[isa]; }

bool at_cpu_use(at_isa isa)
{
    if (isa > at_cpu_best())
        return false;
    atomic_store(&chosen, (int)isa);
    return true;
}
