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

static bool has_tiles(void)
{
#ifdef ATTEND_AMX
    enum { FEATURES = 7, TILES = 1 << 24, BFLOAT16 = 1 << 22 };
    unsigned a, b, c, d;
    return __get_cpuid_count(FEATURES, 0, &a, &b, &c, &d) && (d & TILES) && (d & BFLOAT16);
#else
    return false;
#endif
}

/* Tiles are large, so the system keeps them for a thread that waits only where the process has
 * asked for it. */
static bool may_use_tiles(void)
{
#ifdef ATTEND_AMX
    enum { ASK = 0x1023 /* ARCH_REQ_XCOMP_PERM */, TILE_DATA = 18 };
    return has_tiles() && syscall(SYS_arch_prctl, ASK, TILE_DATA) == 0;
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

/* what ATTEND_ISA asks for */
static at_isa limit(void)
{
    const char *name = getenv("ATTEND_ISA");
    at_isa best = at_cpu_best();
    for (int i = 0; name && i < (int)(sizeof names / sizeof *names); i++)
        if (strcmp(name, names[i]) == 0)
            return (at_isa)i;
    if (name && *name)
        at_log(ATTEND_LOG_WARNING, "ATTEND_ISA is %.20s, not base, avx2, avx512 or amx; using %s",
               name, names[best]);
    return best;
}

static at_isa wanted(void)
{
    at_isa best = at_cpu_best(), max = limit(), isa = max < best ? max : best;
    return isa == ATTEND_ISA_AMX && !may_use_tiles() ? ATTEND_ISA_AVX512 : isa;
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
    if (isa > at_cpu_best() || (isa == ATTEND_ISA_AMX && !may_use_tiles()))
        return false;
    atomic_store(&chosen, (int)isa);
    return true;
}
