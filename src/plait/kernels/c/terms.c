/* An inverted index: made, and searched. See kernels/terms.py for what the arrays are. */
#include "plait.h"

#include <stdlib.h>
#include <string.h>

#if PLAIT_X86
#include <immintrin.h>
#endif

#define BLOCK 128
#define WINDOW 8192
#define TABLE (1 << 14)   /* lengths below this have their norm in a table */
#define RAISED 1.000001   /* bounds are raised by this, more than any rounding takes away */

PLAIT_API void plait_terms_invert(int64_t documents, const uint32_t *sizes, const uint32_t *terms,
                                  const uint32_t *tfs, int64_t count, uint64_t *starts,
                                  uint32_t *docs, uint32_t *sorted) {
    uint64_t postings = 0;
    for (int64_t d = 0; d < documents; d++) postings += sizes[d];
    memset(starts, 0, (size_t)(count + 1) * sizeof *starts);
    for (uint64_t i = 0; i < postings; i++) starts[terms[i] + 1]++;
    for (int64_t t = 0; t < count; t++) starts[t + 1] += starts[t];
    uint64_t at = 0;
    for (int64_t d = 0; d < documents; d++)
        for (uint32_t i = 0; i < sizes[d]; i++, at++) {
            uint64_t place = starts[terms[at]]++;
            docs[place] = (uint32_t)d;
            sorted[place] = tfs[at];
        }
    for (int64_t t = count; t > 0; t--) starts[t] = starts[t - 1];
    starts[0] = 0;
}

PLAIT_API void plait_terms_impacts(int64_t count, const uint64_t *starts, const uint32_t *docs,
                                   const uint32_t *tfs, const uint32_t *lengths, uint64_t *bounds,
                                   uint32_t *pairs) {
    uint64_t block = 0, found = 0;
    bounds[0] = 0;
    for (int64_t t = 0; t < count; t++)
        for (uint64_t first = starts[t]; first < starts[t + 1]; first += BLOCK) {
            uint64_t last = first + BLOCK < starts[t + 1] ? first + BLOCK : starts[t + 1];
            uint32_t kept[BLOCK][2];
            int n = 0;
            for (uint64_t i = first; i < last; i++) {
                uint32_t tf = tfs[i], length = lengths[docs[i]];
                int beaten = 0;
                for (int j = 0; j < n && !beaten; j++)
                    beaten = kept[j][0] >= tf && kept[j][1] <= length;
                if (beaten) continue;
                int m = 0;
                for (int j = 0; j < n; j++)
                    if (!(tf >= kept[j][0] && length <= kept[j][1])) {
                        kept[m][0] = kept[j][0];
                        kept[m++][1] = kept[j][1];
                    }
                int j = m;  /* by falling tf */
                while (j > 0 && kept[j - 1][0] < tf) {
                    kept[j][0] = kept[j - 1][0];
                    kept[j][1] = kept[j - 1][1];
                    j--;
                }
                kept[j][0] = tf;
                kept[j][1] = length;
                n = m + 1;
            }
            memcpy(pairs + 2 * found, kept, (size_t)n * sizeof kept[0]);
            found += (uint64_t)n;
            bounds[++block] = found;
        }
}

/* The share of a term, in the order of operations of kernels/reference/terms.py. */
typedef struct {
    int kind;
    double k1, b, delta, mean;
} Formula;

static double norm_of(const Formula *f, uint32_t length) {
    return (1.0 - f->b) + f->b * ((double)length / f->mean);
}

/* What a length has in the table: k1 * norm, or norm for the fourth formula. */
static double column_of(const Formula *f, uint32_t length) {
    double norm = norm_of(f, length);
    return f->kind == 3 ? norm : f->k1 * norm;
}

static inline double share_of(const Formula *f, double tf, double column) {
    double shifted;
    switch (f->kind) {
    case 0: return tf / (tf + column);
    case 1: return (f->k1 + 1.0) * tf / (tf + column);
    case 2: return (f->k1 + 1.0) * tf / (tf + column) + f->delta;
    default:
        shifted = tf / column + f->delta;
        return (f->k1 + 1.0) * shifted / (f->k1 + shifted);
    }
}

typedef struct {
    double weight;
    double bound;            /* the highest share times weight in the window */
    uint64_t from, to;       /* the postings inside the window, once they are looked for */
    uint64_t end;            /* after the last posting */
    uint64_t start;
    uint64_t block;          /* the first block that does not end before the window */
    uint64_t blocks;         /* how many there are */
    const double *highest;   /* of each block */
    int placed;              /* from and to are those of this window */
} Term;

typedef struct {
    const uint32_t *lengths;
    const double *table;     /* NULL: too long lengths */
    const uint32_t *docs;
    const void *tfs;
    int width;
    Formula formula;
} Index;

static inline uint32_t tf_at(const Index *x, uint64_t i) {
    switch (x->width) {
    case 1: return ((const uint8_t *)x->tfs)[i];
    case 2: return ((const uint16_t *)x->tfs)[i];
    default: return ((const uint32_t *)x->tfs)[i];
    }
}

static inline double value_at(const Index *x, double weight, uint64_t i) {
    uint32_t length = x->lengths[x->docs[i]];
    double column = x->table ? x->table[length] : column_of(&x->formula, length);
    return weight * share_of(&x->formula, (double)tf_at(x, i), column);
}

/* The first place in [low, high) whose document is not less than doc. */
static uint64_t lower_bound(const uint32_t *docs, uint64_t low, uint64_t high, uint32_t doc) {
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (docs[middle] < doc) low = middle + 1;
        else high = middle;
    }
    return low;
}

static inline uint32_t last_doc(const Index *x, const Term *t, uint64_t block) {
    uint64_t after = t->start + (block + 1) * BLOCK;
    return x->docs[(after < t->end ? after : t->end) - 1];
}

static void accumulate_plain(const Index *x, const Term *t, uint32_t first, double *sums) {
    for (uint64_t i = t->from; i < t->to; i++) sums[x->docs[i] - first] += value_at(x, t->weight, i);
}

#if PLAIT_X86
PLAIT_TARGET("avx512f,avx512bw,avx512vl,avx512dq,avx2")
static void accumulate_wide(const Index *x, const Term *t, uint32_t first, double *sums) {
    const uint8_t *tfs = (const uint8_t *)x->tfs;
    const __m512d weight = _mm512_set1_pd(t->weight);
    const __m256i base = _mm256_set1_epi32((int)first), zero = _mm256_setzero_si256();
    const __m512d up = _mm512_set1_pd(x->formula.k1 + 1.0), more = _mm512_set1_pd(x->formula.delta);
    for (uint64_t i = t->from; i < t->to; i += 8) {
        __mmask8 in = t->to - i < 8 ? (__mmask8)((1u << (t->to - i)) - 1) : 0xff;
        __m256i doc = _mm256_mask_loadu_epi32(base, in, x->docs + i);
        __m256i length = _mm256_mmask_i32gather_epi32(zero, in, doc, (const int *)x->lengths, 4);
        __m512d column = _mm512_mask_i32gather_pd(up, in, length, x->table, 8);
        __m128i bytes = _mm_maskz_loadu_epi8(in, tfs + i);
        __m512d tf = _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(bytes));
        __m512d below = _mm512_add_pd(tf, column);
        __m512d share;
        if (x->formula.kind == 0) share = _mm512_div_pd(tf, below);
        else {
            share = _mm512_div_pd(_mm512_mul_pd(up, tf), below);
            if (x->formula.kind == 2) share = _mm512_add_pd(share, more);
        }
        __m256i place = _mm256_sub_epi32(doc, base);
        __m512d old = _mm512_mask_i32gather_pd(up, in, place, sums, 8);
        __m512d sum = _mm512_add_pd(old, _mm512_mul_pd(weight, share));
        _mm512_mask_i32scatter_pd(sums, in, place, sum, 8);
    }
}
#endif

/* Where sums are above a number, ascending; how many. */
static int64_t above_plain(const double *sums, int64_t count, double cut, uint32_t *found) {
    int64_t n = 0, d = 0;
    for (; d + 8 <= count; d += 8) {
        int some = 0;
        for (int j = 0; j < 8; j++) some |= sums[d + j] > cut;
        if (!some) continue;
        for (int j = 0; j < 8; j++)
            if (sums[d + j] > cut) found[n++] = (uint32_t)(d + j);
    }
    for (; d < count; d++)
        if (sums[d] > cut) found[n++] = (uint32_t)d;
    return n;
}

#if PLAIT_X86
PLAIT_TARGET("avx512f,avx512bw,avx512vl,avx512dq,avx2")
static int64_t above_wide(const double *sums, int64_t count, double cut, uint32_t *found) {
    const __m512d least = _mm512_set1_pd(cut);
    int64_t n = 0, d = 0;
    for (; d + 16 <= count; d += 16) {
        __m512d low = _mm512_loadu_pd(sums + d), high = _mm512_loadu_pd(sums + d + 8);
        unsigned some = (unsigned)_mm512_cmp_pd_mask(low, least, _CMP_GT_OQ) |
                        (unsigned)_mm512_cmp_pd_mask(high, least, _CMP_GT_OQ) << 8;
        for (; some; some &= some - 1) found[n++] = (uint32_t)(d + __builtin_ctz(some));
    }
    for (; d < count; d++)
        if (sums[d] > cut) found[n++] = (uint32_t)d;
    return n;
}
#endif

/* A heap of the best: the worst on top, of equal scores the highest document. */
typedef struct {
    float score;
    uint32_t doc;
} Entry;

static inline int worse(Entry a, Entry b) {
    return a.score < b.score || (a.score == b.score && a.doc > b.doc);
}

static void sift_down(Entry *heap, int64_t size, int64_t at) {
    Entry moved = heap[at];
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= size) break;
        if (child + 1 < size && worse(heap[child + 1], heap[child])) child++;
        if (!worse(heap[child], moved)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void offer(Entry *heap, int64_t *size, int64_t keep, Entry entry) {
    if (*size < keep) {
        int64_t at = (*size)++;
        while (at > 0 && worse(entry, heap[(at - 1) / 2])) {
            heap[at] = heap[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        heap[at] = entry;
    } else if (worse(heap[0], entry)) {
        heap[0] = entry;
        sift_down(heap, *size, 0);
    }
}

/* Find the postings of a window. */
static void place(const Index *x, Term *t, uint32_t first, uint32_t last) {
    if (t->placed) return;
    t->placed = 1;
    if (t->block == t->blocks) {
        t->from = t->to = t->end;
        return;
    }
    uint64_t begin = t->start + t->block * BLOCK;
    if (begin > t->from) t->from = begin;
    if (x->docs[t->from] < first) {  /* then it is in the same block */
        uint64_t stop = begin + BLOCK < t->end ? begin + BLOCK : t->end;
        t->from = lower_bound(x->docs, t->from + 1, stop, first);
    }
    uint64_t low = t->from, step = 8;
    while (low + step < t->end && x->docs[low + step] <= last) {
        low += step;
        step *= 2;
    }
    t->to = lower_bound(x->docs, low, low + step < t->end ? low + step : t->end, last + 1);
}

PLAIT_API int64_t plait_terms_search(
    const uint32_t *lengths, int64_t documents, int64_t longest, int kind, double k1, double b,
    double delta, double mean, int64_t count, const int64_t *asked, const double *weights,
    const uint64_t *starts, const uint32_t *docs, const void *tfs, int width,
    const uint64_t *blocks, const uint64_t *bounds, const uint32_t *pairs, const uint64_t *allowed,
    int64_t keep, uint32_t *best, float *scores) {
    Index x = {lengths, NULL, docs, tfs, width, {kind, k1, b, delta, mean}};
    uint64_t every = 0;
    for (int64_t t = 0; t < count; t++) every += blocks[asked[t] + 1] - blocks[asked[t]];
    int tabled = longest < TABLE;
    double *table = tabled ? malloc((size_t)(longest + 1) * sizeof *table) : NULL;
    double *highest = malloc((size_t)(every + 1) * sizeof *highest);
    double *sums = calloc(WINDOW, sizeof *sums);
    Term *terms = malloc((size_t)count * sizeof *terms);
    int *order = malloc((size_t)count * sizeof *order);
    char *minor = malloc((size_t)count);
    Entry *heap = malloc((size_t)keep * sizeof *heap);
    uint32_t *found = malloc(WINDOW * sizeof *found);
    int64_t size = 0;
    if ((tabled && !table) || !highest || !sums || !terms || !order || !minor || !heap || !found) {
        size = -1;
        goto done;
    }
    if (tabled)
        for (int64_t l = 0; l <= longest; l++) table[l] = column_of(&x.formula, (uint32_t)l);
    x.table = table;
    double *next = highest;
    for (int64_t i = 0; i < count; i++) {
        Term *t = terms + i;
        int64_t number = asked[i];
        t->weight = weights[i];
        t->start = t->from = t->to = starts[number];
        t->end = starts[number + 1];
        t->block = 0;
        t->blocks = blocks[number + 1] - blocks[number];
        t->highest = next;
        for (uint64_t k = 0; k < t->blocks; k++) {
            double most = 0.0;
            uint64_t block = blocks[number] + k;
            for (uint64_t p = bounds[block]; p < bounds[block + 1]; p++) {
                double value = weights[i] * share_of(&x.formula, (double)pairs[2 * p],
                                                     column_of(&x.formula, pairs[2 * p + 1]));
                if (value > most) most = value;
            }
            *next++ = most;
        }
    }
#if PLAIT_X86
    int wide = plait_level() >= 2 && width == 1 && table && kind < 3;
#endif
    double least = 0.0;  /* the score of the worst that is kept, once there are enough */
    for (int64_t first = 0; first < documents; first += WINDOW) {
        int64_t after = first + WINDOW < documents ? first + WINDOW : documents;
        uint32_t last = (uint32_t)(after - 1);
        double total = 0.0;
        for (int64_t i = 0; i < count; i++) {
            Term *t = terms + i;
            t->bound = 0.0;
            t->placed = 0;
            if (t->to > t->from) t->from = t->to;
            while (t->block < t->blocks && last_doc(&x, t, t->block) < first) t->block++;
            for (uint64_t k = t->block; k < t->blocks; k++) {
                uint64_t begin = t->start + k * BLOCK;
                if (begin < t->end && docs[begin] > last) break;
                if (t->highest[k] > t->bound) t->bound = t->highest[k];
                if (last_doc(&x, t, k) >= last) break;
            }
            total += t->bound;
        }
        if (total == 0.0) continue;
        int full = size == keep;
        if (full && total * RAISED <= least) continue;
        /* The terms that cannot bring a document in by themselves. */
        double rest = 0.0;
        int64_t minors = 0;
        memset(minor, 0, (size_t)count);
        if (full && count > 1) {
            for (int64_t i = 0; i < count; i++) {
                int64_t j = i;
                while (j > 0 && terms[order[j - 1]].bound > terms[i].bound) {
                    order[j] = order[j - 1];
                    j--;
                }
                order[j] = (int)i;
            }
            while (minors < count && (rest + terms[order[minors]].bound) * RAISED <= least) {
                rest += terms[order[minors]].bound;
                minor[order[minors++]] = 1;
            }
        }
        for (int64_t i = 0; i < count; i++) {
            if (minor[i]) continue;
            Term *t = terms + i;
            place(&x, t, (uint32_t)first, last);
#if PLAIT_X86
            if (wide) accumulate_wide(&x, t, (uint32_t)first, sums);
            else
#endif
                accumulate_plain(&x, t, (uint32_t)first, sums);
        }
        int64_t inside = after - first, reached;
        double cut = full ? least / (RAISED * RAISED) - rest : 0.0;
        if (cut < 0.0) cut = 0.0;
#if PLAIT_X86
        if (wide) reached = above_wide(sums, inside, cut, found);
        else
#endif
            reached = above_plain(sums, inside, cut, found);
        for (int64_t k = 0; k < reached; k++) {
            double sum = sums[found[k]];
            if (full && (sum + rest) * RAISED <= least) continue;
            uint32_t doc = (uint32_t)(first + found[k]);
            if (allowed && !(allowed[doc >> 6] >> (doc & 63) & 1)) continue;
            if (minors) {
                /* The minor terms by falling bound, until it is out of reach. */
                double reach = rest;
                int64_t m = minors;
                while (m > 0 && (sum + reach) * RAISED > least) {
                    Term *t = terms + order[--m];
                    reach -= t->bound;
                    place(&x, t, (uint32_t)first, last);
                    uint64_t at = lower_bound(docs, t->from, t->to, doc);
                    if (at < t->to && docs[at] == doc) sum += value_at(&x, t->weight, at);
                }
                if (m > 0 || sum * RAISED <= least) continue;
                sum = 0.0;  /* again, in the order of the terms */
                for (int64_t i = 0; i < count; i++) {
                    Term *t = terms + i;
                    uint64_t at = lower_bound(docs, t->from, t->to, doc);
                    if (at < t->to && docs[at] == doc) sum += value_at(&x, t->weight, at);
                }
            }
            Entry entry = {(float)sum, doc};
            offer(heap, &size, keep, entry);
            if (size == keep) {
                full = 1;
                least = (double)heap[0].score;
            }
        }
        memset(sums, 0, (size_t)inside * sizeof *sums);
    }
    for (int64_t left = size; left > 0; left--) {
        best[left - 1] = heap[0].doc;
        scores[left - 1] = heap[0].score;
        heap[0] = heap[left - 1];
        sift_down(heap, left - 1, 0);
    }
done:
    free(table);
    free(highest);
    free(sums);
    free(terms);
    free(order);
    free(minor);
    free(heap);
    free(found);
    return size;
}
