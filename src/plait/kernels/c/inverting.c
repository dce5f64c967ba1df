/* An inverted index made: see kernels/inverting.py. */
#include "postings.h"

#include <string.h>

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

PLAIT_API void plait_terms_blocks(int64_t count, const uint64_t *starts, const uint32_t *docs,
                                  const void *tfs, int width, const uint32_t *lengths,
                                  uint32_t *lasts, uint64_t *bounds, uint32_t *pairs) {
    uint64_t block = 0, found = 0;
    bounds[0] = 0;
    for (int64_t t = 0; t < count; t++)
        for (uint64_t first = starts[t]; first < starts[t + 1]; first += BLOCK) {
            uint64_t last = first + BLOCK < starts[t + 1] ? first + BLOCK : starts[t + 1];
            uint32_t kept[BLOCK][2];
            int n = 0;
            for (uint64_t i = first; i < last; i++) {
                uint32_t tf = number_at(tfs, width, i), length = lengths[docs[i]];
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
            lasts[block] = docs[last - 1];
            bounds[++block] = found;
        }
}

#define GONE UINT32_MAX    /* the new number of a document that is left out */

/* How many documents of each term are not left out. */
PLAIT_API void plait_terms_kept(const Index *x, int64_t count, const uint32_t *numbers,
                                uint32_t *kept) {
    for (int64_t t = 0; t < count; t++) {
        uint32_t n = 0;
        for (uint64_t i = x->starts[t]; i < x->starts[t + 1]; i++) n += numbers[x->docs[i]] != GONE;
        kept[t] = n;
    }
}

/* The new number of the next document of a part that is not left out, GONE behind the last. */
static uint32_t next_of(const Index *x, const uint32_t *numbers, uint64_t *at, uint64_t end) {
    for (; *at < end; ++*at)
        if (numbers[x->docs[*at]] != GONE) return numbers[x->docs[*at]];
    return GONE;
}

/* The postings of several indexes as one; at, ends, nexts and queue have room for one number of
   each. The queue holds the parts that still have some of a term, by their next document. */
PLAIT_API void plait_terms_merge(int64_t parts, const Index *const *indexes,
                                 const uint32_t *const *numbers, const int64_t *const *olds,
                                 int64_t count, uint64_t *at, uint64_t *ends, uint32_t *nexts,
                                 int64_t *queue, uint32_t *docs, void *tfs, int width) {
    uint64_t to = 0;
    for (int64_t t = 0; t < count; t++) {
        int64_t waiting = 0;
        for (int64_t p = 0; p < parts; p++) {
            int64_t old = olds[p][t];
            if (old < 0) continue;
            at[p] = indexes[p]->starts[old];
            ends[p] = indexes[p]->starts[old + 1];
            nexts[p] = next_of(indexes[p], numbers[p], at + p, ends[p]);
            if (nexts[p] == GONE) continue;
            int64_t place = waiting++;
            for (; place > 0 && nexts[queue[place - 1]] > nexts[p]; place--)
                queue[place] = queue[place - 1];
            queue[place] = p;
        }
        while (waiting > 0) {
            int64_t p = queue[0];
            const Index *x = indexes[p];
            uint32_t next = nexts[p], others = waiting > 1 ? nexts[queue[1]] : GONE;
            do {
                uint32_t tf = number_at(x->tfs, x->tf_bytes, at[p]++);
                docs[to] = next;
                if (width == 1) ((uint8_t *)tfs)[to] = (uint8_t)tf;
                else if (width == 2) ((uint16_t *)tfs)[to] = (uint16_t)tf;
                else ((uint32_t *)tfs)[to] = tf;
                to++;
                next = next_of(x, numbers[p], at + p, ends[p]);
            } while (next < others);
            nexts[p] = next;
            int64_t place = 0;
            for (; place + 1 < waiting && nexts[queue[place + 1]] < next; place++)
                queue[place] = queue[place + 1];
            queue[place] = p;
            if (next == GONE) waiting--;  /* it went to the end */
        }
    }
}

/* The terms of some rows under new numbers, each row to its place. */
PLAIT_API void plait_terms_renumber(int64_t rows, const int64_t *ordinals, const uint64_t *begins,
                                    const uint32_t *terms, const uint32_t *numbers,
                                    const uint64_t *targets, uint32_t *renumbered) {
    for (int64_t r = 0; r < rows; r++) {
        uint64_t from = begins[ordinals[r]], stop = begins[ordinals[r] + 1], to = targets[r];
        while (from < stop) renumbered[to++] = numbers[terms[from++]];
    }
}
