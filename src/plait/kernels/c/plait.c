#include "plait.h"

PLAIT_API int plait_abi(void) { return 1; }

static int found_level(void) {
#if PLAIT_X86
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vpopcntdq"))
        return 2;
    return 1;
#else
    return 0;
#endif
}

static int level = -1;  /* the same value whoever writes it */

int plait_level(void) {
    if (level < 0) level = found_level();
    return level;
}

/* Use no more than a level, so that the loops for other processors can be tried here. */
PLAIT_API void plait_cap(int most) {
    int found = found_level();
    level = found < most ? found : most;
}

PLAIT_API const char *plait_features(void) {
    switch (plait_level()) {
    case 2: return "AVX-512";
    case 1: return "AVX2";
    default: return "baseline";
    }
}
