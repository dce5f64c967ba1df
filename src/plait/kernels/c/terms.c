/* An inverted index searched: see kernels/terms.py. */
#include "postings.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 8192
#define LOOKUP 12         /* postings that are added up in the time in which one is looked up */
#define MANY 64           /* terms; of more it takes longer to choose some than they save */
#define TABLE (1 << 14)   /* lengths below this have their norm in a table */
#define RAISED 1.000001   /* bounds are raised by this, more than any rounding takes away */
#define LEAST 1e-20       /* weights above this have no score so low that it is rounded more */

typedef struct {
    double k1, b, delta, mean;
    int kind;
} Formula;

/* What is kept of a length: k1 * norm, or norm for the fourth formula. Operations in the order of
 * kernels/reference/terms.py, here and in the next function. */
static double column_of(const Formula *f, uint32_t length) {
    double norm = (1.0 - f->b) + f->b * ((double)length / f->mean);
    return f->kind == 3 ? norm : f->k1 * norm;
}

static inline double share_of(const Formula *f, int64_t kind, double tf, double column) {
    double shifted;
    switch (kind) {
    case 0: return tf / (tf + column);
    case 1: return (f->k1 + 1.0) * tf / (tf + column);
    case 2: return (f->k1 + 1.0) * tf / (tf + column) + f->delta;
    default:
        shifted = tf / column + f->delta;
        return (f->k1 + 1.0) * shifted / (f->k1 + shifted);
    }
}

/* An index under a formula. */
typedef struct {
    const Index *index;
    Formula formula;
    double *table;           /* what is kept of each length; NULL where they are too long */
} Scale;

static inline double column_at(const Scale *s, uint32_t length) {
    return s->table ? s->table[length] : column_of(&s->formula, length);
}

/* What postings and formulas are like: given as constants where it counts. */
typedef struct {
    int64_t kind, tf_bytes, dl_bytes;
} Type;

static const Type COMMON = {0, 1, 1};

static Type type_of(const Scale *s) {
    Type type = {s->formula.kind, s->index->tf_bytes, s->index->dl_bytes};
    return type;
}

/* The weighted share of a frequency in a document of some length. */
static inline double value_of(const Scale *s, int64_t kind, double weight, uint32_t tf,
                              uint32_t length) {
    return weight * share_of(&s->formula, kind, (double)tf, column_at(s, length));
}

/* That of posting i. */
static inline double value_at(const Scale *s, Type type, double weight, uint64_t i) {
    const Index *x = s->index;
    uint32_t tf = number_at(x->tfs, type.tf_bytes, i);
    uint32_t length = number_at(x->dls, type.dl_bytes, i);
    return value_of(s, type.kind, weight, tf, length);
}

#define TFS 4             /* frequencies up to this have their values in a table */

typedef struct {
    double weight;
    const double *values;    /* of each length, for the first frequencies; NULL for few postings */
    double bound;            /* the highest weighted share in the window */
    const double *highest;   /* the same of each block */
    const uint32_t *lasts;   /* the last document of each block */
    uint64_t blocks, block;  /* how many, and the first that does not end before the window */
    uint64_t start, end;     /* its postings */
    uint64_t from, at;       /* those that were added up in this window */
    int minor;               /* it cannot bring a document in, and is looked up */
} Term;

static Term term_of(const Index *x, int64_t number, double weight) {
    Term t = {0};
    t.weight = weight;
    t.lasts = x->lasts + x->blocks[number];
    t.blocks = x->blocks[number + 1] - x->blocks[number];
    t.start = t.from = t.at = x->starts[number];
    t.end = x->starts[number + 1];
    return t;
}

/* The first place in [low, high) whose number is not less than a wanted one. */
static uint64_t lower_bound(const uint32_t *numbers, uint64_t low, uint64_t high, uint32_t wanted) {
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (numbers[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The posting of a document among those from the term's block on; end if it has not the term. */
static uint64_t find(const Index *x, const Term *t, uint32_t doc) {
    uint64_t step = 1;
    while (t->block + step < t->blocks && t->lasts[t->block + step - 1] < doc) step *= 2;
    uint64_t most = t->block + step < t->blocks ? t->block + step : t->blocks;
    uint64_t block = lower_bound(t->lasts, t->block + step / 2, most, doc);
    if (block == t->blocks) return t->end;
    uint64_t low = t->start + block * BLOCK;
    uint64_t high = low + BLOCK < t->end ? low + BLOCK : t->end;
    uint64_t at = lower_bound(x->docs, low, high, doc);
    return x->docs[at] == doc ? at : t->end;  /* at < high: the block ends at doc or after it */
}

/* What a term adds to a document, 0 if it has it not. */
static double value_in(const Scale *s, const Term *t, uint32_t doc) {
    uint64_t at = find(s->index, t, doc);
    if (at == t->end) return 0.0;
    return value_at(s, type_of(s), t->weight, at);
}

/* The highest weighted share of each block of a term. */
static void bound_blocks(const Scale *s, const Term *t, int64_t number, double *highest) {
    const Index *x = s->index;
    const uint64_t *bounds = x->bounds + x->blocks[number];
    for (uint64_t k = 0; k < t->blocks; k++) {
        double most = 0.0;
        for (uint64_t p = bounds[k]; p < bounds[k + 1]; p++) {
            double column = column_at(s, x->pairs[2 * p + 1]);
            double share = share_of(&s->formula, s->formula.kind, (double)x->pairs[2 * p], column);
            if (share > most) most = share;
        }
        highest[k] = t->weight * most;
    }
}

/* The documents of a window: what was added up, and which of them came above the cut. */
typedef struct {
    uint32_t first, last;
    double cut;
    double *sums;
    uint8_t *seen;           /* NULL unless all are wanted, whatever the sign of their score */
    uint32_t *found;         /* with room for one that does not count */
    int64_t reached;
} Window;

/* Add up postings from t->at on, up to a posting or the end of the window. Nothing in the loop
 * branches on a sum, which no processor could foresee. */
static inline void add_typed(const Scale *s, Term *t, Window *w, uint64_t stop, Type type,
                             int seen) {
    const uint32_t *docs = s->index->docs, first = w->first, last = w->last;
    const void *tfs = s->index->tfs, *dls = s->index->dls;
    const uint64_t stride = (uint64_t)s->index->longest + 1;
    const double cut = w->cut, weight = t->weight, *values = t->values;
    double *sums = w->sums;
    uint32_t *found = w->found;
    int64_t n = w->reached;
    uint64_t i = t->at;
    for (; i < stop && docs[i] <= last; i++) {
        uint32_t d = docs[i] - first;
        uint32_t tf = number_at(tfs, type.tf_bytes, i);
        uint32_t length = number_at(dls, type.dl_bytes, i);
        double value = values && tf - 1 < TFS ? values[(tf - 1) * stride + length]
                                              : value_of(s, type.kind, weight, tf, length);
        double before = sums[d], sum = before + value;
        sums[d] = sum;
        found[n] = d;
        if (seen) {
            n += !w->seen[d];
            w->seen[d] = 1;
        } else {
            n += (before <= cut) & (sum > cut);
        }
    }
    t->at = i;
    w->reached = n;
}

static void add_up(const Scale *s, Term *t, Window *w, uint64_t stop) {
    Type type = type_of(s);
    if (w->seen) add_typed(s, t, w, stop, type, 1);
    else if (memcmp(&type, &COMMON, sizeof type) == 0) add_typed(s, t, w, stop, COMMON, 0);
    else add_typed(s, t, w, stop, type, 0);
}

/* Add up a term in a window, without blocks of which no document can come above the cut: others
 * is as much as the other terms bring. */
static void add_term(const Scale *s, Term *t, Window *w, double others, double least) {
    const uint32_t *docs = s->index->docs;
    uint64_t begin = t->start + t->block * BLOCK;
    if (t->at < begin) t->at = begin;
    t->from = t->at;
    for (uint64_t k = t->block; k < t->blocks; k++, begin += BLOCK) {
        uint64_t stop = begin + BLOCK < t->end ? begin + BLOCK : t->end;
        if ((t->highest[k] + others) * RAISED > least) {
            if (t->at < begin) t->at = begin;
            if (docs[t->at] < w->first) t->at = lower_bound(docs, t->at, stop, w->first);
            add_up(s, t, w, stop);
        }
        if (t->lasts[k] >= w->last) break;
    }
}

/* A heap of the best: the worst on top, of equal scores the highest document. */
typedef struct {
    float score;
    uint32_t doc;
} Entry;

typedef struct {
    Entry *entries;
    int64_t size, keep;
} Best;

static inline int worse(Entry a, Entry b) {
    return a.score < b.score || (a.score == b.score && a.doc > b.doc);
}

static void sift_down(Entry *heap, int64_t size) {
    Entry moved = heap[0];
    int64_t at = 0;
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

static void offer(Best *best, double score, uint32_t doc) {
    Entry *heap = best->entries, entry = {(float)score, doc};
    if (best->size < best->keep) {
        int64_t at = best->size++;
        for (; at > 0 && worse(entry, heap[(at - 1) / 2]); at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
        heap[at] = entry;
    } else if (worse(heap[0], entry)) {
        heap[0] = entry;
        sift_down(heap, best->size);
    }
}

/* Set each term's bound in the window; their sum. */
static double bound_window(Term *terms, int64_t count, uint32_t first, uint32_t last) {
    double total = 0.0;
    for (int64_t i = 0; i < count; i++) {
        Term *t = terms + i;
        t->bound = 0.0;
        while (t->block < t->blocks && t->lasts[t->block] < first) t->block++;
        for (uint64_t k = t->block; k < t->blocks; k++) {
            if (t->highest[k] > t->bound) t->bound = t->highest[k];
            if (t->lasts[k] >= last) break;
        }
        total += t->bound;
    }
    return total;
}

/* Choose the minor terms: those of the lowest bounds, which together do not come above least, and
 * as many of them as make it cheapest. Puts all in order of their bounds; how many are minor. */
static int64_t choose_minors(Term *terms, int64_t count, double least, int *order, double *rest) {
    double left = 0.0, reach = 0.0;
    int64_t minors = 0;
    *rest = 0.0;
    for (int64_t i = 0; i < count; i++) {
        int64_t j = i;
        for (; j > 0 && terms[order[j - 1]].bound > terms[i].bound; j--) order[j] = order[j - 1];
        order[j] = (int)i;
        terms[i].minor = 0;
        left += (double)(terms[i].end - terms[i].start);
    }
    double cheapest = left;
    for (int64_t m = 0; m < count; m++) {
        const Term *t = terms + order[m];
        reach += t->bound;
        if (reach * RAISED > least) break;
        left -= (double)(t->end - t->start);
        if (left * (1 + LOOKUP) <= cheapest) {
            cheapest = left * (1 + LOOKUP);
            minors = m + 1;
            *rest = reach;
        }
    }
    for (int64_t m = 0; m < minors; m++) terms[order[m]].minor = 1;
    return minors;
}

/* The score of a document from what its other terms add up to, if it comes above least; else 0. */
static double with_minors(const Scale *s, const Term *terms, int64_t count, const int *order,
                          int64_t minors, double rest, double least, double sum, uint32_t doc) {
    int more = 0;
    for (int64_t m = minors; m-- > 0;) {  /* the highest bound first, until it is out of reach */
        const Term *t = terms + order[m];
        if ((sum + rest) * RAISED <= least) return 0.0;
        double value = value_in(s, t, doc);
        more |= value > 0.0;
        sum += value;
        rest -= t->bound;
    }
    if (sum * RAISED <= least) return 0.0;
    if (!more) return sum;
    sum = 0.0;  /* again, in the order of the terms */
    for (int64_t i = 0; i < count; i++) sum += value_in(s, terms + i, doc);
    return sum;
}

static void clear(const Scale *s, const Term *terms, int64_t count, const Window *w) {
    uint64_t touched = 0;
    for (int64_t i = 0; i < count; i++) touched += terms[i].at - terms[i].from;
    if (touched > WINDOW / 16 || w->seen) {
        memset(w->sums, 0, WINDOW * sizeof *w->sums);
        if (w->seen) memset(w->seen, 0, WINDOW);
        return;
    }
    const uint32_t *docs = s->index->docs;
    for (int64_t i = 0; i < count; i++)
        for (uint64_t p = terms[i].from; p < terms[i].at; p++)
            if (docs[p] >= w->first) w->sums[docs[p] - w->first] = 0.0;
}

static void search(const Scale *s, Term *terms, int64_t count, const uint64_t *allowed, Window *w,
                   int *order, Best *best) {
    for (int64_t first = 0; first < s->index->documents; first += WINDOW) {
        int64_t after = first + WINDOW;
        w->first = (uint32_t)first;
        w->last = (uint32_t)((after < s->index->documents ? after : s->index->documents) - 1);
        double total = bound_window(terms, count, w->first, w->last);
        double least = 0.0, rest = 0.0;  /* least: the score of the worst that is kept */
        int64_t minors = 0;
        for (int64_t i = 0; i < count; i++) terms[i].minor = 0;
        int full = best->size == best->keep && !w->seen;
        if (full) {
            least = (double)best->entries[0].score;
            if (total * RAISED <= least) continue;
            if (count <= MANY) minors = choose_minors(terms, count, least, order, &rest);
        }
        w->cut = least / (RAISED * RAISED) - rest;
        if (w->cut < 0.0) w->cut = 0.0;
        w->reached = 0;
        for (int64_t i = 0; i < count; i++) {
            Term *t = terms + i;
            if (t->minor) t->from = t->at;
            else add_term(s, t, w, total * RAISED - t->bound, full ? least : -DBL_MAX);
        }
        for (int64_t k = 0; k < w->reached; k++) {
            double sum = w->sums[w->found[k]];
            uint32_t doc = w->first + w->found[k];
            if (full && (sum + rest) * RAISED <= least) continue;
            if (allowed && !(allowed[doc >> 6] >> (doc & 63) & 1)) continue;
            if (minors) {
                sum = with_minors(s, terms, count, order, minors, rest, least, sum, doc);
                if (sum == 0.0) continue;
            }
            offer(best, sum, doc);
            if (full) least = (double)best->entries[0].score;
        }
        clear(s, terms, count, w);
    }
}

/* With a table if lengths are short enough for one and there are enough postings of these terms. */
static Scale scale_of(const Index *x, const Formula *f, int64_t count, const int64_t *asked) {
    Scale s = {x, *f, NULL};
    uint64_t uses = 0;
    for (int64_t i = 0; i < count; i++) uses += x->starts[asked[i] + 1] - x->starts[asked[i]];
    if (x->longest >= TABLE || (uint64_t)x->longest > uses) return s;
    s.table = malloc((size_t)(x->longest + 1) * sizeof *s.table);
    for (int64_t l = 0; s.table && l <= x->longest; l++) s.table[l] = column_of(f, (uint32_t)l);
    return s;
}

/* Make the values of the terms for which it pays; what was allocated for them. */
static double *tabulate(const Scale *s, Term *terms, int64_t count) {
    const uint64_t stride = (uint64_t)s->index->longest + 1, size = TFS * stride;
    double *values = s->table ? malloc((size_t)count * size * sizeof *values) : NULL, *next = values;
    for (int64_t i = 0; values && i < count; i++) {
        Term *t = terms + i;
        if (t->end - t->start < 4 * size) continue;
        for (uint64_t k = 0; k < size; k++) {
            uint32_t tf = (uint32_t)(k / stride) + 1, length = (uint32_t)(k % stride);
            next[k] = value_of(s, s->formula.kind, t->weight, tf, length);
        }
        t->values = next;
        next += size;
    }
    return values;
}

/* The best documents; how many, or -1 for no memory. */
PLAIT_API int64_t plait_terms_search(const Index *x, int kind, double k1, double b, double delta,
                                     double mean, int64_t count, const int64_t *asked,
                                     const double *weights, const uint64_t *allowed, int64_t keep,
                                     uint32_t *docs, float *scores) {
    int64_t blocks = 0, size = -1;
    int unbounded = 0;  /* bounds are those of scores above 0 */
    for (int64_t i = 0; i < count; i++) {
        blocks += (int64_t)(x->blocks[asked[i] + 1] - x->blocks[asked[i]]);
        unbounded |= !(weights[i] > LEAST);
    }
    const Formula formula = {k1, b, delta, mean, kind};
    Scale s = scale_of(x, &formula, count, asked);
    double *highest = malloc((size_t)(blocks + 1) * sizeof *highest);
    Term *terms = malloc((size_t)(count + 1) * sizeof *terms);
    int *order = malloc((size_t)(count + 1) * sizeof *order);
    Window w = {0};
    w.sums = calloc(WINDOW, sizeof *w.sums);
    w.found = malloc((WINDOW + 1) * sizeof *w.found);
    w.seen = unbounded ? calloc(WINDOW, 1) : NULL;
    Best best = {malloc((size_t)(keep + 1) * sizeof(Entry)), 0, keep};
    if (highest && terms && order && w.sums && w.found && (w.seen || !unbounded) &&
        best.entries) {
        double *next = highest;
        for (int64_t i = 0; i < count; i++) {
            terms[i] = term_of(x, asked[i], weights[i]);
            terms[i].highest = next;
            bound_blocks(&s, terms + i, asked[i], next);
            next += terms[i].blocks;
        }
        double *values = tabulate(&s, terms, count);
        search(&s, terms, count, allowed, &w, order, &best);
        free(values);
        size = best.size;
        for (int64_t left = size; left > 0; left--) {
            docs[left - 1] = best.entries[0].doc;
            scores[left - 1] = best.entries[0].score;
            best.entries[0] = best.entries[left - 1];
            sift_down(best.entries, left - 1);
        }
    }
    free(s.table);
    free(highest);
    free(terms);
    free(order);
    free(w.sums);
    free(w.found);
    free(w.seen);
    free(best.entries);
    return size;
}

/* Add the shares of terms to the sums of all documents, and note which have one. */
PLAIT_API void plait_terms_add(const Index *x, int kind, double k1, double b, double delta,
                               double mean, int64_t count, const int64_t *asked,
                               const double *weights, double *sums, uint8_t *matched) {
    const Formula formula = {k1, b, delta, mean, kind};
    Scale s = scale_of(x, &formula, count, asked);
    for (int64_t t = 0; t < count; t++)
        for (uint64_t i = x->starts[asked[t]]; i < x->starts[asked[t] + 1]; i++) {
            sums[x->docs[i]] += value_at(&s, type_of(&s), weights[t], i);
            matched[x->docs[i]] = 1;
        }
    free(s.table);
}

/* The scores of some documents, and whether they have one of the terms. */
PLAIT_API void plait_terms_score(const Index *x, int kind, double k1, double b, double delta,
                                 double mean, int64_t count, const int64_t *asked,
                                 const double *weights, int64_t wanted, const int64_t *docs,
                                 double *sums, uint8_t *matched) {
    Formula formula = {k1, b, delta, mean, kind};
    Scale s = {x, formula, NULL};
    for (int64_t i = 0; i < count; i++) {
        Term t = term_of(x, asked[i], weights[i]);
        for (int64_t k = 0; k < wanted; k++) {
            uint64_t at = find(x, &t, (uint32_t)docs[k]);
            if (at == t.end) continue;
            sums[k] += value_at(&s, type_of(&s), t.weight, at);
            matched[k] = 1;
        }
    }
}
