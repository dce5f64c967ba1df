/* Vectors: exact scores of rows, compact codes, and the rows that codes propose.
 *
 * Codes lie in blocks of 64 rows: for each plane of bits and each group of 8 dimensions 64 bytes, one
 * for each row, whose bit i is that of dimension 8 * group + i. A query is a table of 16 small numbers
 * for each 4 dimensions, so one shuffle looks up what 4 dimensions of many rows add (Andre, Kermarrec,
 * Le Scouarnec, "Cache locality is not enough", VLDB 2015). All sums of them are integers. */
#include "plait.h"

#include <math.h>
#include <string.h>

#if PLAIT_X86
#include <immintrin.h>
#endif

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* Compile a body three times, and name the one that fits the processor. */
#if PLAIT_X86
#define LEVELS(name, parameters, arguments)                                                        \
    static void name##_baseline parameters { name##_body arguments; }                              \
    PLAIT_TARGET("avx2") static void name##_avx2 parameters { name##_body arguments; }             \
    PLAIT_TARGET("avx512f,avx512bw,avx512vl,avx512dq")                     \
    static void name##_avx512 parameters { name##_body arguments; }                                \
    PLAIT_API void plait_##name parameters {                                                       \
        int level = plait_level();                                                                 \
        if (level == 2) name##_avx512 arguments;                                                   \
        else if (level == 1) name##_avx2 arguments;                                                \
        else name##_baseline arguments;                                                            \
    }
#else
#define LEVELS(name, parameters, arguments)                                                        \
    PLAIT_API void plait_##name parameters { name##_body arguments; }
#endif

/* The sum by halving, as plait.kernels.reference.vectors.sums; overwrites the terms. */
INLINE double halved(double *terms, int64_t width) {
    while (width > 1) {
        int64_t half = (width + 1) / 2;
        double *restrict low = terms; /* the halves do not overlap */
        const double *restrict high = terms + half;
        for (int64_t i = 0; i < width - half; i++) low[i] += high[i];
        width = half;
    }
    return terms[0];
}

INLINE const float *row_at(const float *rows, int64_t dim, const int64_t *ordinals, int64_t at) {
    return rows + (ordinals ? ordinals[at] : at) * dim;
}

INLINE void fetch_ahead(const float *rows, int64_t dim, const int64_t *ordinals, int64_t at,
                        int64_t count) {
    if (!ordinals || at >= count) return;
    const float *row = row_at(rows, dim, ordinals, at);
    for (int64_t i = 0; i < dim; i += 16) PREFETCH(row + i);
}

/* In the next two, work holds 2 * dim doubles. */

#define AHEAD 4 /* rows on their way from memory while one is worked on */

INLINE void vector_dots_body(const float *rows, int64_t dim, const int64_t *ordinals, int64_t count,
                             const float *query, double *work, double *out) {
    double *restrict terms = work, *restrict wide = work + dim;
    int64_t half = (dim + 1) / 2;
    for (int64_t i = 0; i < dim; i++) wide[i] = (double)query[i];
    for (int64_t i = 0; i < AHEAD; i++) fetch_ahead(rows, dim, ordinals, i, count);
    for (int64_t at = 0; at < count; at++) {
        fetch_ahead(rows, dim, ordinals, at + AHEAD, count);
        const float *row = row_at(rows, dim, ordinals, at);
        /* the first step of the sum as the products are made */
        for (int64_t i = 0; i < dim - half; i++)
            terms[i] = (double)row[i] * wide[i] + (double)row[half + i] * wide[half + i];
        if (dim < 2 * half) terms[half - 1] = (double)row[half - 1] * wide[half - 1];
        out[at] = halved(terms, half);
    }
}

INLINE void vector_distances_body(const float *rows, int64_t dim, const int64_t *ordinals,
                                  int64_t count, const float *query, double *work, double *out) {
    double *restrict terms = work, *restrict wide = work + dim;
    for (int64_t i = 0; i < dim; i++) wide[i] = (double)query[i];
    for (int64_t i = 0; i < AHEAD; i++) fetch_ahead(rows, dim, ordinals, i, count);
    for (int64_t at = 0; at < count; at++) {
        fetch_ahead(rows, dim, ordinals, at + AHEAD, count);
        const float *row = row_at(rows, dim, ordinals, at);
        for (int64_t i = 0; i < dim; i++) {
            double apart = (double)row[i] - wide[i];
            terms[i] = apart * apart;
        }
        out[at] = sqrt(halved(terms, dim));
    }
}

INLINE void vector_lengths_body(const float *rows, int64_t dim, int64_t count, double *terms,
                                double *out) {
    for (int64_t at = 0; at < count; at++) {
        const float *row = rows + at * dim;
        for (int64_t i = 0; i < dim; i++) terms[i] = (double)row[i] * (double)row[i];
        out[at] = sqrt(halved(terms, dim));
    }
}

/* work holds 2 * dim doubles; codes are zeros at first. */
INLINE void vector_codes_body(const float *rows, int64_t dim, int64_t first, int64_t count,
                              const double *scales, const double *center, int32_t planes,
                              double spread, int32_t near, double *work, uint8_t *codes,
                              float *factors) {
    double *centered = work, *terms = work + dim;
    int64_t groups = (dim + 7) / 8;
    double middle = (double)(1 << (planes - 1)), top = (double)((1 << planes) - 1);
    for (int64_t at = 0; at < count; at++) {
        const float *row = rows + at * dim;
        double scale = scales[at];
        for (int64_t i = 0; i < dim; i++) centered[i] = (double)row[i] * scale - center[i];
        for (int64_t i = 0; i < dim; i++) terms[i] = centered[i] * centered[i];
        double square = halved(terms, dim);
        double step = spread * sqrt(square / (double)dim);
        double inverse = step > 0.0 ? 1.0 / step : 0.0;
        int64_t place = first + at;
        uint8_t *block = codes + (place / 64) * planes * groups * 64 + place % 64;
        for (int64_t group = 0; group < groups; group++) {
            int64_t end = dim - group * 8 < 8 ? dim - group * 8 : 8;
            uint8_t bits[8] = {0};
            for (int64_t i = 0; i < end; i++) {
                double level = floor(centered[group * 8 + i] * inverse) + middle;
                level = level < 0.0 ? 0.0 : level;
                level = level > top ? top : level;
                terms[group * 8 + i] = (2.0 * level - top) * centered[group * 8 + i];
                unsigned number = (unsigned)level;
                for (int32_t plane = 0; plane < planes; plane++)
                    bits[plane] |= (uint8_t)(((number >> plane) & 1u) << i);
            }
            for (int32_t plane = 0; plane < planes; plane++)
                block[(plane * groups + group) * 64] = bits[plane];
        }
        double along = halved(terms, dim);
        if (near) {
            terms[0] = -0.5 * square;
        } else {
            for (int64_t i = 0; i < dim; i++) terms[i] = centered[i] * center[i];
            terms[0] = halved(terms, dim);
        }
        float *pair = factors + (place / 64) * 128 + place % 64;
        pair[0] = along > 0.0 ? (float)(square / along) : 0.0f;
        pair[64] = (float)terms[0];
    }
}

LEVELS(vector_dots,
       (const float *rows, int64_t dim, const int64_t *ordinals, int64_t count, const float *query,
        double *work, double *out),
       (rows, dim, ordinals, count, query, work, out))
LEVELS(vector_distances,
       (const float *rows, int64_t dim, const int64_t *ordinals, int64_t count, const float *query,
        double *work, double *out),
       (rows, dim, ordinals, count, query, work, out))
LEVELS(vector_lengths,
       (const float *rows, int64_t dim, int64_t count, double *terms, double *out),
       (rows, dim, count, terms, out))
LEVELS(vector_codes,
       (const float *rows, int64_t dim, int64_t first, int64_t count, const double *scales,
        const double *center, int32_t planes, double spread, int32_t near, double *work,
        uint8_t *codes, float *factors),
       (rows, dim, first, count, scales, center, planes, spread, near, work, codes, factors))

/* One number whose order is that of (highest key, lowest ordinal). */
INLINE uint64_t ordered(float key, uint32_t ordinal) {
    uint32_t bits;
    memcpy(&bits, &key, 4);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u; /* ascends with the key */
    return (uint64_t)(~bits) << 32 | ordinal;
}

INLINE float key_of(uint64_t number) {
    uint32_t bits = ~(uint32_t)(number >> 32);
    float key;
    bits = bits & 0x80000000u ? bits & 0x7fffffffu : ~bits;
    memcpy(&key, &bits, 4);
    return key;
}

/* The smallest `keep` of some different numbers come first; the largest of those is returned. */
static uint64_t select_smallest(uint64_t *numbers, int64_t count, int64_t keep) {
    int64_t low = 0, high = count - 1, wanted = keep - 1;
    while (low < high) {
        uint64_t a = numbers[low], b = numbers[low + (high - low) / 2], c = numbers[high];
        uint64_t pivot = a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
        int64_t i = low, j = high;
        while (i <= j) {
            while (numbers[i] < pivot) i++;
            while (numbers[j] > pivot) j--;
            if (i <= j) {
                uint64_t moved = numbers[i];
                numbers[i++] = numbers[j];
                numbers[j--] = moved;
            }
        }
        if (wanted <= j) high = j;
        else if (wanted >= i) low = i;
        else break;
    }
    return numbers[wanted];
}

/* What is kept of one query while blocks go by. */
typedef struct {
    uint64_t *numbers; /* room for 2 * keep + 64 */
    int64_t count, keep;
    float least; /* only rows with a higher key can still be among the best */
} Best;

INLINE void offer(Best *best, const float *keys, uint64_t passing, uint32_t first) {
    while (passing) {
        int bit = 0;
#if defined(__GNUC__)
        bit = __builtin_ctzll(passing);
#else
        while (!(passing >> bit & 1)) bit++;
#endif
        passing &= passing - 1;
        best->numbers[best->count++] = ordered(keys[bit], first + (uint32_t)bit);
    }
    if (best->count >= 2 * best->keep) {
        best->least = key_of(select_smallest(best->numbers, best->count, best->keep));
        best->count = best->keep;
    }
}

/* A query: tables of 2 * groups * 16 numbers whose sums over 4 planes' bits stay below 2^16, and
 * key = factor * (slope * sum + shift) + pull * bias. */
typedef struct {
    const uint8_t *tables;
    const uint16_t *wide; /* baseline only: 256 numbers for each group */
    float slope, shift, pull;
} Line;

/* Keys of one block and which of them exceed `least`. */
typedef uint64_t (*Keys)(const uint8_t *block, const float *factors, int64_t groups, int32_t planes,
                         const Line *line, float least, float *keys);

static uint64_t keys_baseline(const uint8_t *block, const float *factors, int64_t groups,
                              int32_t planes, const Line *line, float least, float *keys) {
    int32_t sums[64] = {0};
    for (int32_t plane = 0; plane < planes; plane++)
        for (int64_t group = 0; group < groups; group++, block += 64) {
            const uint16_t *wide = line->wide + group * 256;
            for (int row = 0; row < 64; row++) sums[row] += (int32_t)wide[block[row]] << plane;
        }
    uint64_t passing = 0;
    for (int row = 0; row < 64; row++) {
        float along = line->slope * (float)sums[row] + line->shift;
        keys[row] = factors[row] * along + line->pull * factors[64 + row] + 0.0f;
        passing |= (uint64_t)(keys[row] > least) << row;
    }
    return passing;
}

#if PLAIT_X86

PLAIT_TARGET("avx2")
static uint64_t keys_avx2(const uint8_t *block, const float *factors, int64_t groups,
                          int32_t planes, const Line *line, float least, float *keys) {
    const __m256i low4 = _mm256_set1_epi8(15);
    uint64_t passing = 0;
    for (int part = 0; part < 64; part += 32) {
        __m256i sums[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                           _mm256_setzero_si256()};
        for (int32_t plane = 0; plane < planes; plane++) {
            const uint8_t *bytes = block + plane * groups * 64 + part;
            const __m128i *tables = (const __m128i *)line->tables;
            /* 16-bit sums of pairs of rows, the even row's with 256 times the odd row's */
            __m256i both = _mm256_setzero_si256(), odd = both;
            for (int64_t group = 0; group < groups; group++) {
                __m256i code = _mm256_loadu_si256((const __m256i *)(bytes + group * 64));
                __m256i low = _mm256_and_si256(code, low4);
                __m256i high = _mm256_and_si256(_mm256_srli_epi16(code, 4), low4);
                __m256i first = _mm256_broadcastsi128_si256(_mm_loadu_si128(tables + 2 * group));
                __m256i next = _mm256_broadcastsi128_si256(_mm_loadu_si128(tables + 2 * group + 1));
                __m256i found = _mm256_add_epi8(_mm256_shuffle_epi8(first, low),
                                                _mm256_shuffle_epi8(next, high));
                both = _mm256_add_epi16(both, found);
                odd = _mm256_add_epi16(odd, _mm256_srli_epi16(found, 8));
            }
            __m256i even = _mm256_sub_epi16(both, _mm256_slli_epi16(odd, 8));
            __m256i front = _mm256_unpacklo_epi16(even, odd); /* rows 0-7 and 16-23 */
            __m256i back = _mm256_unpackhi_epi16(even, odd);  /* rows 8-15 and 24-31 */
            __m256i eights[4];
            eights[0] = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(front));
            eights[1] = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(back));
            eights[2] = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(front, 1));
            eights[3] = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(back, 1));
            for (int i = 0; i < 4; i++)
                sums[i] = _mm256_add_epi32(sums[i], _mm256_slli_epi32(eights[i], plane));
        }
        for (int i = 0; i < 4; i++) {
            int row = part + i * 8;
            __m256 along = _mm256_mul_ps(_mm256_set1_ps(line->slope), _mm256_cvtepi32_ps(sums[i]));
            along = _mm256_add_ps(along, _mm256_set1_ps(line->shift));
            along = _mm256_mul_ps(_mm256_loadu_ps(factors + row), along);
            __m256 bias = _mm256_loadu_ps(factors + 64 + row);
            bias = _mm256_mul_ps(_mm256_set1_ps(line->pull), bias);
            __m256 key = _mm256_add_ps(_mm256_add_ps(along, bias), _mm256_setzero_ps());
            _mm256_storeu_ps(keys + row, key);
            __m256 above = _mm256_cmp_ps(key, _mm256_set1_ps(least), _CMP_GT_OQ);
            passing |= (uint64_t)(unsigned)_mm256_movemask_ps(above) << row;
        }
    }
    return passing;
}

PLAIT_TARGET("avx512f,avx512bw,avx512vl")
static uint64_t keys_avx512(const uint8_t *block, const float *factors, int64_t groups,
                            int32_t planes, const Line *line, float least, float *keys) {
    const __m512i low4 = _mm512_set1_epi8(15);
    __m512i sums[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                       _mm512_setzero_si512()};
    for (int32_t plane = 0; plane < planes; plane++, block += groups * 64) {
        const __m128i *tables = (const __m128i *)line->tables;
        __m512i both = _mm512_setzero_si512(), odd = both;
        int64_t group = 0;
        for (; group < groups; group++) {
            __m512i code = _mm512_loadu_si512(block + group * 64);
            __m512i low = _mm512_and_si512(code, low4);
            __m512i high = _mm512_and_si512(_mm512_srli_epi16(code, 4), low4);
            __m512i first = _mm512_broadcast_i32x4(_mm_loadu_si128(tables + 2 * group));
            __m512i next = _mm512_broadcast_i32x4(_mm_loadu_si128(tables + 2 * group + 1));
            __m512i found =
                _mm512_add_epi8(_mm512_shuffle_epi8(first, low), _mm512_shuffle_epi8(next, high));
            if (++group < groups) { /* four numbers of at most 63 are below 256 */
                code = _mm512_loadu_si512(block + group * 64);
                low = _mm512_and_si512(code, low4);
                high = _mm512_and_si512(_mm512_srli_epi16(code, 4), low4);
                first = _mm512_broadcast_i32x4(_mm_loadu_si128(tables + 2 * group));
                next = _mm512_broadcast_i32x4(_mm_loadu_si128(tables + 2 * group + 1));
                found = _mm512_add_epi8(found, _mm512_add_epi8(_mm512_shuffle_epi8(first, low),
                                                               _mm512_shuffle_epi8(next, high)));
            }
            both = _mm512_add_epi16(both, found);
            odd = _mm512_add_epi16(odd, _mm512_srli_epi16(found, 8));
        }
        __m512i even = _mm512_sub_epi16(both, _mm512_slli_epi16(odd, 8));
        __m512i front = _mm512_unpacklo_epi16(even, odd);
        __m512i back = _mm512_unpackhi_epi16(even, odd);
        /* quarters of front and back in turn are the rows in order */
        __m512i start = _mm512_permutex2var_epi64(front, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                                                  back);
        __m512i end = _mm512_permutex2var_epi64(front, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15),
                                                back);
        __m512i sixteens[4];
        sixteens[0] = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(start));
        sixteens[1] = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(start, 1));
        sixteens[2] = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(end));
        sixteens[3] = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(end, 1));
        for (int i = 0; i < 4; i++)
            sums[i] = _mm512_add_epi32(sums[i], _mm512_slli_epi32(sixteens[i], (unsigned)plane));
    }
    uint64_t passing = 0;
    for (int i = 0; i < 4; i++) {
        __m512 along = _mm512_mul_ps(_mm512_set1_ps(line->slope), _mm512_cvtepi32_ps(sums[i]));
        along = _mm512_add_ps(along, _mm512_set1_ps(line->shift));
        along = _mm512_mul_ps(_mm512_loadu_ps(factors + 16 * i), along);
        __m512 bias = _mm512_loadu_ps(factors + 64 + 16 * i);
        bias = _mm512_mul_ps(_mm512_set1_ps(line->pull), bias);
        __m512 key = _mm512_add_ps(_mm512_add_ps(along, bias), _mm512_setzero_ps());
        _mm512_storeu_ps(keys + 16 * i, key);
        passing |= (uint64_t)_mm512_cmp_ps_mask(key, _mm512_set1_ps(least), _CMP_GT_OQ) << (16 * i);
    }
    return passing;
}

#endif

#define BLOCKS 32 /* so many stay in the cache while all queries look at them */

/* The best `keep` rows by key for each of some queries, found[query] of them.
 *
 * codes: (blocks, planes * groups, 64); factors: (blocks, 2, 64); allowed: a bit for each row, or
 * NULL; tables: (queries, 2 * groups, 16); lines: (queries, 3) slope, shift, pull; wide: room for
 * (queries, groups, 256) numbers, used without AVX2; numbers: room for (queries, 2 * keep + 64);
 * least: (queries,). What is found comes first in numbers: the complement of the ordered key above
 * the ordinal, in any order. */
PLAIT_API void plait_vector_propose(const uint8_t *codes, const float *factors, int64_t rows,
                                    int64_t groups, int32_t planes, const uint64_t *allowed,
                                    const uint8_t *tables, const float *lines, int64_t queries,
                                    int64_t keep, uint16_t *wide, uint64_t *numbers, float *least,
                                    int64_t *found) {
    Keys keys_of = keys_baseline;
#if PLAIT_X86
    int level = plait_level();
    if (level == 2) keys_of = keys_avx512;
    else if (level == 1) keys_of = keys_avx2;
#endif
    if (keys_of == keys_baseline)
        for (int64_t group = 0; group < queries * groups; group++)
            for (int byte = 0; byte < 256; byte++)
                wide[group * 256 + byte] = (uint16_t)(tables[group * 32 + (byte & 15)] +
                                                      tables[group * 32 + 16 + (byte >> 4)]);
    int64_t room = 2 * keep + 64, blocks = (rows + 63) / 64;
    for (int64_t query = 0; query < queries; query++) {
        least[query] = -INFINITY;
        found[query] = 0;
    }
    for (int64_t start = 0; start < blocks; start += BLOCKS) {
        int64_t end = start + BLOCKS < blocks ? start + BLOCKS : blocks;
        for (int64_t query = 0; query < queries; query++) {
            Best best = {numbers + query * room, found[query], keep, least[query]};
            const float *of = lines + query * 3;
            Line line = {tables + query * groups * 32, wide + query * groups * 256, of[0], of[1],
                         of[2]};
            float keys[64];
            for (int64_t block = start; block < end; block++) {
                uint64_t mask = allowed ? allowed[block] : ~(uint64_t)0;
                if (rows - block * 64 < 64) mask &= ((uint64_t)1 << (rows - block * 64)) - 1;
                if (!mask) continue;
                mask &= keys_of(codes + block * planes * groups * 64, factors + block * 128, groups,
                                planes, &line, best.least, keys);
                if (mask) offer(&best, keys, mask, (uint32_t)(block * 64));
            }
            found[query] = best.count;
            least[query] = best.least;
        }
    }
    for (int64_t query = 0; query < queries; query++)
        if (found[query] > keep) {
            select_smallest(numbers + query * room, found[query], keep);
            found[query] = keep;
        }
}
