#include "plait.h"

PLAIT_API int plait_abi(void) { return 1; }

int plait_level(void) {
#if PLAIT_X86
    static int level = -1;  /* the same value whoever writes it */
    if (level < 0) {
        __builtin_cpu_init();
        int found = 0;
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found = 1;
        if (found && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
            __builtin_cpu_supports("avx512vpopcntdq"))
            found = 2;
        level = found;
    }
    return level;
#else
    return 0;
#endif
}

PLAIT_API const char *plait_features(void) {
    switch (plait_level()) {
    case 2: return "AVX-512";
    case 1: return "AVX2";
    default: return "baseline";
    }
}
