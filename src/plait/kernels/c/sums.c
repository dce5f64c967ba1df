/* CRC-32 of blocks of 4096 bytes by carry-less multiplication; the numbers that zlib gives.
 *
 * V. Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction",
 * Intel 2009. Polynomials have their bits reversed. 16 bytes that stand n bits before others are
 * folded into those: each half is multiplied by x^(n + 32) or x^(n - 32) modulo P. */
#include "plait.h"

#define BLOCK 4096

#if PLAIT_X86

#include <immintrin.h>

#define FOLDS PLAIT_TARGET("pclmul,sse4.1") static inline

FOLDS __m128i bytes16(const uint8_t *at) { return _mm_loadu_si128((const __m128i *)at); }

FOLDS __m128i folded(__m128i early, __m128i powers, __m128i later) {
    __m128i low = _mm_clmulepi64_si128(early, powers, 0x00);
    __m128i high = _mm_clmulepi64_si128(early, powers, 0x11);
    return _mm_xor_si128(later, _mm_xor_si128(low, high));
}

FOLDS uint32_t sum_of(const uint8_t *block) {
    const __m128i by512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4); /* x^480, x^544 */
    const __m128i by128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0); /* x^96, x^160 */
    const __m128i by64 = _mm_set_epi64x(0, 0x163cd6124);            /* x^64 */
    const __m128i barrett = _mm_set_epi64x(0x1f7011641, 0x1db710641); /* x^64 / P, P */
    const __m128i low32 = _mm_set_epi32(0, -1, 0, -1);
    __m128i a = _mm_xor_si128(bytes16(block), _mm_cvtsi32_si128(-1));
    __m128i b = bytes16(block + 16), c = bytes16(block + 32), d = bytes16(block + 48);
    for (int at = 64; at < BLOCK; at += 64) {
        a = folded(a, by512, bytes16(block + at));
        b = folded(b, by512, bytes16(block + at + 16));
        c = folded(c, by512, bytes16(block + at + 32));
        d = folded(d, by512, bytes16(block + at + 48));
    }
    a = folded(folded(folded(a, by128, b), by128, c), by128, d);
    /* 128 bits to 96 to 64, and those modulo P */
    a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, by128, 0x10));
    a = _mm_xor_si128(_mm_srli_si128(a, 4),
                      _mm_clmulepi64_si128(_mm_and_si128(a, low32), by64, 0x00));
    __m128i times = _mm_clmulepi64_si128(_mm_and_si128(a, low32), barrett, 0x10);
    times = _mm_clmulepi64_si128(_mm_and_si128(times, low32), barrett, 0x00);
    return ~(uint32_t)_mm_extract_epi32(_mm_xor_si128(a, times), 1);
}

PLAIT_TARGET("pclmul,sse4.1")
static void sums_of(const uint8_t *data, const int64_t *blocks, int64_t count, uint32_t *sums) {
    for (int64_t i = 0; i < count; i++) sums[i] = sum_of(data + blocks[i] * BLOCK);
}

PLAIT_TARGET("pclmul,sse4.1")
static int64_t changed_of(const uint8_t *data, const uint32_t *expected, uint8_t *checked,
                          const int64_t *firsts, const int64_t *lasts, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        for (int64_t block = firsts[i]; block <= lasts[i]; block++) {
            if (checked[block]) continue;
            if (sum_of(data + block * BLOCK) != expected[block]) return block;
            checked[block] = 1;
        }
    return -1;
}

static int able(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
}

#endif

/* The sums of some blocks; 0 if the processor has no instruction for it, for without one there is
 * nothing faster than zlib. */
PLAIT_API int plait_sums(const uint8_t *data, const int64_t *blocks, int64_t count,
                         uint32_t *sums) {
#if PLAIT_X86
    if (able()) {
        sums_of(data, blocks, count, sums);
        return 1;
    }
#else
    (void)data, (void)blocks, (void)count, (void)sums;
#endif
    return 0;
}

/* Check those blocks of spans that are not checked, first to last each, and note them. The first
 * that is not as expected, -1 if there is none, -2 as above. */
PLAIT_API int64_t plait_sums_changed(const uint8_t *data, const uint32_t *expected,
                                     uint8_t *checked, const int64_t *firsts, const int64_t *lasts,
                                     int64_t count) {
#if PLAIT_X86
    if (able()) return changed_of(data, expected, checked, firsts, lasts, count);
#else
    (void)data, (void)expected, (void)checked, (void)firsts, (void)lasts, (void)count;
#endif
    return -2;
}
