#include "base/cpu.h"

#include "base/log.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef ATTEND_AMX
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

static const char *const names[] = {"base", "avx2", "avx512", "amx"};
static atomic_int chosen = -1;

/* Does the processor multiply tiles of bfloat16, and does the system keep them for a thread that
 * waits? A process has to ask for that. */
static bool has_tiles(void)
{
#ifdef ATTEND_AMX
    enum { FEATURES = 7, TILES = 1 << 24, BFLOAT16 = 1 << 22 };      /* of the processor */
    enum { ASK = 0x1023 /* ARCH_REQ_XCOMP_PERM */, TILE_DATA = 18 }; /* of the system */
    unsigned a, b, c, d;
    return __get_cpuid_count(FEATURES, 0, &a, &b, &c, &d) && (d & TILES) && (d & BFLOAT16)
           && syscall(SYS_arch_prctl, ASK, TILE_DATA) == 0;
#else
    return false;
#endif
}

at_isa at_cpu_best(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("fma"))
        return has_tiles() ? ATTEND_ISA_AMX : ATTEND_ISA_AVX512;
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
        at_log(ATTEND_LOG_WARNING, "ATTEND_ISA is %.20s, not base, avx2, avx512 or amx; using %s",
               limit, names[isa]);
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
